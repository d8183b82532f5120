import { execFile, spawn } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../support/freePort.js"
import { createApp, signUp } from "../support/people.js"
import { useProcesses } from "../support/processes.js"
import { type Service, startService } from "../support/service.js"
import { until } from "../support/until.js"

const ROOT = join(import.meta.dirname, "../../../..")
const run = promisify(execFile)
const QUIETLY = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]

describe("docs/first-webhook.md: the published tarballs and a running service", () => {
  const processes = useProcesses()
  const started: Array<ReturnType<typeof spawn>> = []
  let service: Service
  let folder: string
  beforeAll(async () => {
    ;[service, folder] = await Promise.all([
      startService(processes, { database: "embedded" }),
      mkdtemp(join(tmpdir(), "place-access-first-"))
    ])
    await run(process.execPath, [join(ROOT, ".ci/pack.mjs"), join(folder, "packed")], { cwd: ROOT })
  }, 240_000)
  afterAll(async () => {
    for (const child of started) child.kill("SIGKILL")
    await service?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  /** Starts a program of the folder. Returns a function that returns what the program has written so far. */
  const start = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) => {
    const { HOME = "", PATH = "" } = process.env
    const child = spawn(process.execPath, [...args], {
      cwd: folder,
      env: { HOME, PATH, ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    started.push(child)
    let written = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (written += text))
    return () => written
  }

  it("suffice for a webhook that the developer's own program has verified", async () => {
    const guide = await readFile(join(ROOT, "docs/first-webhook.md"), "utf8")
    const tarballs = (await readdir(join(folder, "packed"))).filter((name) => !name.includes("domain"))
    const named = Array.from(guide.matchAll(/\.\/(place-access-[\w-]+-[\d.]+\.tgz)/g), ([, name = ""]) => name)
    expect(named.sort()).toEqual(tarballs.sort())
    await run("npm", ["init", "-y", ...QUIETLY], { cwd: folder })
    await run("npm", ["install", ...QUIETLY, ...tarballs.map((name) => `./packed/${name}`)], { cwd: folder })
    const programs = Array.from(guide.matchAll(/```js\n([^]*?)```/g), ([, text = ""]) => text)
    expect(programs.length).toBe(2)
    for (const [index, name] of ["receiver.mjs", "arrive.mjs"].entries()) {
      await writeFile(join(folder, name), programs[index] ?? "")
    }

    const person = await signUp(service.url, "first")
    const app = await createApp(person, "https://app.example/callback")
    const port = await freePort()
    const forward = `http://127.0.0.1:${port}/webhooks`
    const listen = start(
      ["node_modules/place-access-listen/listen.mjs", "--service", service.url, "--forward", forward],
      { PLACE_ACCESS_EMAIL: person.email, PLACE_ACCESS_PASSWORD: person.password }
    )
    const secret = await until("listen to show the secret", () => /whsec_\S+/.exec(listen())?.[0])
    const receiver = start(["receiver.mjs"], { PORT: String(port), WEBHOOK_SECRET: secret })
    await until("the receiver to answer", async () => {
      const answer = await fetch(forward, { method: "POST", body: "{}" }).catch(() => undefined)
      await answer?.body?.cancel()
      return answer?.status === 400 ? true : undefined
    })
    const arrive = start(["arrive.mjs"], {
      SERVICE: service.url,
      CLIENT_ID: app.id,
      CLIENT_SECRET: app.clientSecret
    })
    await until("the trip to be simulated", () => arrive().includes("arrived") || undefined)
    await until("the event to be verified", () => receiver().includes("verified place.enter") || undefined)
    expect(receiver()).toContain("refused missing_header")
  })
})
