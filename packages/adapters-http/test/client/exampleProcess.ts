import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, vi } from "vitest"

const EXAMPLES = join(import.meta.dirname, "../../examples")
const PATIENCE = { timeout: 60_000, interval: 20 }

const running = new Set<ChildProcess>()
/** Ends the processes of all examples, also after a test that failed. */
afterAll(() => Promise.all(Array.from(running, (child) => child.kill("SIGKILL"))))

/** A port that is free now. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface ExampleProcess {
  readonly output: () => string
  readonly ended: Promise<number | null>
  readonly hasWritten: (text: string) => Promise<void>
  /** Sends SIGTERM. */
  readonly stop: () => void
}

/**
 * Starts an example as a reader would: with the built package, and with nothing of the test run's environment but
 * `PATH`.
 */
export const startExample = (name: string, environment: Readonly<Record<string, string>>): ExampleProcess => {
  const child = spawn(process.execPath, [join(EXAMPLES, name)], {
    cwd: EXAMPLES,
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
  }
  return {
    output: () => output,
    ended: new Promise((resolve) =>
      child.once("close", (code) => {
        running.delete(child)
        resolve(code)
      })
    ),
    hasWritten: (text) =>
      vi.waitFor(() => {
        if (!output.includes(text)) throw new Error(`${name} did not write ${JSON.stringify(text)}:\n${output}`)
      }, PATIENCE),
    stop: () => child.kill("SIGTERM")
  }
}
