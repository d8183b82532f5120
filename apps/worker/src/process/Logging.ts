import { Layer, Logger } from "effect"
import type { Logging } from "../settings/Settings.js"
import * as StackTraces from "./StackTraces.js"

/**
 * Logs to standard output, in colour on a terminal. `json`: one object on each line, with the annotations
 * (`request_id`).
 */
export const layer = ({ format, level }: Logging): Layer.Layer<never> =>
  Layer.mergeAll(format === "json" ? Logger.json : Logger.pretty, Logger.minimumLogLevel(level), StackTraces.layer)
