import { Layer, Logger } from "effect"
import type { Logging } from "../settings/Settings.js"
import * as StackTraces from "./StackTraces.js"

const LOGGERS = {
  stdout: { json: Logger.json, pretty: Logger.pretty },
  stderr: {
    json: Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.jsonLogger)),
    pretty: Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true }))
  }
}

/**
 * Logs in colour on a terminal. `json`: one object on each line, with the annotations (`request_id`). A command whose
 * output is for programs logs to standard error.
 */
export const layer = ({ format, level }: Logging, to: "stdout" | "stderr" = "stdout"): Layer.Layer<never> =>
  Layer.mergeAll(LOGGERS[to][format], Logger.minimumLogLevel(level), StackTraces.layer)
