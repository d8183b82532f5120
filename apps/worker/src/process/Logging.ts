import { Layer, Logger } from "effect"
import type { Logging } from "../settings/Settings.js"
import * as PrettyLogger from "./PrettyLogger.js"
import * as StackTraces from "./StackTraces.js"

const instead = (logger: Logger.Logger<unknown, void>) => Logger.replace(Logger.defaultLogger, logger)

const LOGGERS = {
  stdout: {
    json: Logger.json,
    pretty: instead(Logger.withConsoleLog(PrettyLogger.to(process.stdout)))
  },
  stderr: {
    json: instead(Logger.withConsoleError(Logger.jsonLogger)),
    pretty: instead(Logger.withConsoleError(PrettyLogger.to(process.stderr)))
  }
}

/**
 * The logger of a program. With `pretty` it uses colors on a terminal; with `json` it writes one object on each line,
 * with the annotations (such as `request_id`). A command whose output other programs read logs to standard error.
 */
export const layer = ({ format, level }: Logging, to: "stdout" | "stderr" = "stdout"): Layer.Layer<never> =>
  Layer.mergeAll(LOGGERS[to][format], Logger.minimumLogLevel(level), StackTraces.layer)
