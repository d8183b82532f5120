import { join } from "node:path"
import type { Message, Order, Outcome } from "./load/Order.js"
import * as Program from "./Program.js"
import * as Usage from "./Usage.js"

const MAIN = join(import.meta.dirname, "load/main.ts")

export const start = (): Program.Running => Program.source("load client", MAIN)

export interface Load extends Omit<Order, "warmUpSeconds" | "script"> {
  /**
   * The file URL of a module whose default export is a `Script.Open`, such as `new URL("presence.load.ts",
   * import.meta.url)`.
   */
  readonly script: URL
  readonly warmUpSeconds?: number
}

/**
 * The results of one round: the figures that the load client reports, and the processor time and memory peak of the
 * measured processes.
 */
export interface Loaded extends Outcome {
  readonly cpuMicrosPerOp: number
  readonly peakMB: number | null
}

/**
 * Loads the `measured` processes over HTTP for one round. Fails when a process ends, or when an answer has a status
 * other than 2xx. With `mayBeRefused`, answers with 503 are allowed too.
 */
export const load = async (
  client: Program.Running,
  measured: ReadonlyArray<Program.Running>,
  { script, warmUpSeconds = 0.5, ...order }: Load
): Promise<Loaded> => {
  let before = 0
  let cpuMicros = 0
  const cpu = () => measured.reduce((sum, { pid }) => sum + Usage.cpuMicros(pid), 0)
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    const ended = () => reject(new Error(`the load client ended:\n${client.output()}`))
    const listen = (message: Message) => {
      if (message._tag === "Started") {
        before = cpu()
        return
      }
      client.child.off("message", listen).off("exit", ended)
      if (message._tag === "Failed") return reject(new Error(`the load failed: ${message.reason}`))
      cpuMicros = cpu() - before
      resolve(message.outcome)
    }
    client.child.on("message", listen).once("exit", ended)
    const full: Order = { ...order, warmUpSeconds, script: script.href }
    client.child.send(full)
  })
  for (const running of measured) running.mustRun()
  return { ...outcome, cpuMicrosPerOp: cpuMicros / outcome.operations, peakMB: highest(measured) }
}

const highest = (measured: ReadonlyArray<Program.Running>): number | null => {
  const peaks = measured.map((running) => running.peakMB()).filter((MB) => MB !== null)
  return peaks.length === 0 ? null : Math.max(...peaks)
}
