import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort, useProcesses } from "./support/processes.js"
import { type Service, startService } from "./support/service.js"

const ROOT = join(import.meta.dirname, "../../..")

const section = (): string => {
  const [, found] =
    /^## Try it\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? []
  if (found === undefined) throw new Error('The README has no section "Try it"')
  return found
}

/** What a reader would paste; the command that starts the service (`sh`) is the test's own business. */
const pasted = (): string =>
  Array.from(section().matchAll(/^```bash\n([\s\S]*?)^```$/gm), ([, code]) => code).join("\n")

const processes = useProcesses()
let service: Service
beforeAll(async () => {
  service = await startService(processes, { database: "embedded" })
})
afterAll(() => service?.close())

interface Outcome {
  readonly code: number | null
  readonly output: string
}

const bash = (script: string, environment: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { HOME = "", PATH = "" } = process.env
    const child = spawn("bash", ["-euo", "pipefail"], { env: { HOME, PATH, ...environment }, signal })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
    }
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
    child.stdin.end(script)
  })

describe('the README\'s "Try it"', () => {
  it("works as it is pasted, to a webhook whose signature is right", async ({ signal }) => {
    const script = pasted()
    expect(script).not.toMatch(/<[A-Z_]+>|YOUR_|…/)
    // Whatever goes wrong, the app that the text starts in the background goes with its shell.
    const guarded = `trap 'kill "\${APP_PID:-}" 2>/dev/null || true' EXIT\n${script}`
    const { code, output } = await bash(guarded, { SERVICE: service.url, APP_PORT: String(await freePort()) }, signal)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("The webhook is genuine.") })
    expect(output).toContain('"type":"place.enter"')
    expect(output).not.toContain("Forged")
    expect(output).toContain('"state":"at_place"')
  })
})
