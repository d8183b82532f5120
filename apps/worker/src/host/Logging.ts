import { Layer, Logger } from "effect"
import type { Logging } from "./Settings.js"
import * as StackTraces from "./StackTraces.js"

/** Logs to standard output, in colour on a terminal. `json`: one object a line, with the annotations (`request_id`). */
export const layer = ({ format, level }: Logging): Layer.Layer<never> =>
  Layer.mergeAll(format === "json" ? Logger.json : Logger.pretty, Logger.minimumLogLevel(level), StackTraces.layer)
