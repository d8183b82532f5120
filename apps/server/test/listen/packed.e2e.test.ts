import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pack, type Packed } from "../../../../packages/domain/test/support/packed.js"
import { createApp, RULES_SCOPE, signUp } from "../support/people.js"
import { useProcesses } from "../support/processes.js"
import { type Service, startService } from "../support/service.js"
import { until } from "../support/until.js"

/** Sends a signal to a program and to the processes that it started. */
const interrupt = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid !== undefined) process.kill(-pid, signal)
}

describe("listen as one file, which npx runs without a clone", () => {
  const processes = useProcesses()
  let packed: Packed
  let service: Service
  let empty: string | undefined
  const started: Array<ChildProcess> = []
  beforeAll(async () => {
    ;[packed, service, empty] = await Promise.all([
      pack("listen"),
      startService(processes, { database: "embedded" }),
      mkdtemp(join(tmpdir(), "place-access-"))
    ])
  })
  afterAll(async () => {
    for (const one of started) if (one.exitCode === null && one.signalCode === null) interrupt(one, "SIGKILL")
    await service?.close()
    await packed?.remove()
    if (empty !== undefined) await rm(empty, { recursive: true, force: true })
  })

  it("is one file beside its manifest", () => {
    expect([...packed.files].sort()).toEqual(["listen.mjs", "package.json"])
  })

  it("listens to the events of a developer's app, in a folder that has nothing", async () => {
    const person = await signUp(service.url, "robin")
    const app = await createApp(person, "https://app.example/callback", [RULES_SCOPE])
    const child = spawn(
      "npx",
      ["--yes", "--offline", `--package=${packed.tarball}`, "place-access-listen", "--service", service.url],
      {
        cwd: empty,
        env: { PATH: process.env["PATH"], PLACE_ACCESS_EMAIL: person.email, PLACE_ACCESS_PASSWORD: person.password },
        stdio: ["ignore", "pipe", "pipe"],
        // The program gets its own process group, and the test sends the signal to the whole group, as a terminal does
        // with Control-C: npx waits for the command and does not pass a signal on.
        detached: true
      }
    )
    started.push(child)
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
    }
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
    // The secret is on a separate line, which may come in a later chunk.
    await until("the secret", () => (/whsec_[\w-]+/.test(output) || child.exitCode !== null ? true : undefined))
    if (child.exitCode !== null) await ended
    expect(output).toContain(`Listening to Umbrella (${app.id}).`)
    expect(output).toMatch(/whsec_[\w-]+/)
    interrupt(child, "SIGINT")
    await ended
  })

  it("names itself in its help, and in the one line that refuses an unknown option", async () => {
    const folder = await packed.install()
    const run = async (argument: string): Promise<string> => {
      const child = spawn(process.execPath, [join(folder, "node_modules/place-access-listen/listen.mjs"), argument])
      let output = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
      }
      await new Promise((resolve) => child.once("close", resolve))
      return output.trim()
    }
    expect(await run("--help")).toMatch(/^place-access-listen --forward http/)
    expect(await run("--nope")).toMatch(/^[^\n]*'--nope'[^\n]* Try: place-access-listen --help$/)
    await rm(folder, { recursive: true, force: true })
  })
})
