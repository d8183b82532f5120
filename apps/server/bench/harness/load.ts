import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Message, Order, Outcome } from "./load/Order.js"
import * as Program from "./Program.js"
import type { Sample } from "./Row.js"
import * as Usage from "./Usage.js"

const MAIN = join(import.meta.dirname, "load/main.ts")

export interface Load extends Omit<Order, "warmUpSeconds" | "script"> {
  /** Module whose default export is a `Script.Open`, as a file URL: `new URL("presence.load.ts", import.meta.url)`. */
  readonly script: URL
  readonly warmUpSeconds?: number
}

/** Loads the `measured` processes over HTTP for a while. Fails when one of them ends, or answers anything but 2xx. */
export const load = async (
  measured: ReadonlyArray<Program.Running>,
  { script, warmUpSeconds = 0.5, ...order }: Load
): Promise<Sample> => {
  const client = Program.source("load client", MAIN)
  let before = 0
  const cpu = () => measured.reduce((sum, { pid }) => sum + Usage.cpuMicros(pid), 0)
  try {
    let cpuMicros = 0
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      client.child.on("message", (message: Message) => {
        if (message._tag === "Started") before = cpu()
        else if (message._tag === "Failed") reject(new Error(`the load failed: ${message.reason}`))
        else {
          cpuMicros = cpu() - before
          resolve(message.outcome)
        }
      })
      client.child.once("exit", () => reject(new Error(`the load client ended:\n${client.output()}`)))
      const full: Order = { ...order, warmUpSeconds, script: pathToFileURL(script.pathname).href }
      client.child.send(full)
    })
    for (const running of measured) running.mustRun()
    return { ...outcome, cpuMicrosPerOp: cpuMicros / outcome.operations, peakMB: highest(measured) }
  } finally {
    await client.stop()
  }
}

const highest = (measured: ReadonlyArray<Program.Running>): number | null => {
  const peaks = measured.map((running) => running.peakMB()).filter((MB) => MB !== null)
  return peaks.length === 0 ? null : Math.max(...peaks)
}
