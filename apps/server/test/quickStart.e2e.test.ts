import { spawn } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "./support/freePort.js"
import { useProcesses } from "./support/processes.js"
import { type Service, startService } from "./support/service.js"

/** The commands that a reader would paste from the server's page. The page is made from `docs/quick-start.md`. */
const pasted = async (): Promise<string> => {
  const response = await fetch(`${service.url}/docs/quick-start`)
  return Array.from(
    (await response.text()).matchAll(/<code class="language-bash">([\s\S]*?)<\/code>/g),
    ([, code = ""]) => code.replace(/&(lt|gt|quot|#39|amp);/g, (all, name: string) => CHARACTERS[name] ?? all)
  ).join("\n")
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" }

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

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("docs/quick-start.md [wire-1-start]", () => {
  it("works as it is pasted from the page of the server, to a webhook whose signature is right", async ({ signal }) => {
    const script = await pasted()
    expect(script).not.toMatch(/<[A-Z_]+>|YOUR_|…/)
    expect(script).toContain(service.url)
    // The pasted commands start an app in the background. This trap ends the app when the shell ends.
    const guarded = `trap 'kill "\${APP_PID:-}" 2>/dev/null || true' EXIT\n${script}`
    const { code, output } = await bash(guarded, { APP_PORT: String(await freePort()) }, signal)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("The webhook is genuine.") })
    expect(output).toContain('"type":"place.enter"')
    expect(output).not.toContain("Forged")
    expect(output).toContain('"state":"at_place"')
    // Every answer must end with a line break, so that the next answer begins on its own line.
    const answers = output.split("\n").filter((line) => line.includes('{"'))
    expect(answers.filter((line) => !isJson(line))).toEqual([])
    expect(answers.length).toBeGreaterThan(6)
  })
})
