import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, vi } from "vitest"

const FOLDER = fileURLToPath(new URL("../..", import.meta.url))
const PATIENCE = { timeout: 60_000, interval: 20 }

export const sourceOf = (name: string): string => readFileSync(`${FOLDER}examples/${name}`, "utf8")

const running = new Set<ChildProcess>()
/** When the tests of a file end, ends every example that still runs, for example because its test failed. */
afterAll(() => Promise.all([...running].map(ended)))

/** An example that runs in a separate process, on a free port. */
export interface Example {
  readonly url: string
  /** What the example has written to stdout and stderr so far, line by line. */
  readonly lines: () => ReadonlyArray<string>
  readonly hasWritten: (text: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts an example with the built package, as a reader of the documentation would. `vary` changes the source of the
 * example before the start. The example gets the secrets but not the environment of the test run.
 */
export const start = async (
  name: string,
  secrets: ReadonlyArray<string>,
  vary?: (source: string) => string
): Promise<Example> => {
  const args = vary === undefined ? [`examples/${name}`] : ["--input-type=module", "--eval", vary(sourceOf(name))]
  const child = spawn(process.execPath, args, {
    cwd: FOLDER,
    env: { PATH: process.env["PATH"], PORT: "0", WEBHOOK_SECRETS: secrets.join(", ") },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
  }
  const hasWritten = (text: string) =>
    vi.waitFor(() => {
      if (!output.includes(text)) throw new Error(`${name} did not write ${JSON.stringify(text)}:\n${output}`)
    }, PATIENCE)
  const port = await vi.waitFor(() => {
    const found = /listening on port (\d+)/.exec(output)?.[1]
    if (found === undefined) throw new Error(`${name} does not listen:\n${output}`)
    return found
  }, PATIENCE)
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    lines: () => output.split("\n"),
    hasWritten,
    stop: () => ended(child)
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (!running.delete(child) || child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
