import { type ConfigError, reduceWithContext } from "effect/ConfigError"
import { type Config, Effect } from "effect"
import { CannotStart } from "../CannotStart.js"

type Lines = ReadonlyArray<string>

const line = (path: ReadonlyArray<string>, message: string): Lines => [`${path.join(".")} ${message}`]

/** One line for each problem; each line begins with the name of the variable. */
export const lines = (error: ConfigError): Lines =>
  Array.from(
    new Set(
      reduceWithContext(error, undefined, {
        andCase: (_, left: Lines, right: Lines) => [...left, ...right],
        orCase: (_, left, right) => [...left, ...right],
        invalidDataCase: (_, path, message) => line(path, message),
        missingDataCase: (_, path, message) => line(path, message),
        sourceUnavailableCase: (_, path, message) => line(path, message),
        unsupportedCase: (_, path, message) => line(path, message)
      })
    )
  )

/** Reads settings. The error lists all problems, not only the first. */
export const read = <A>(config: Config.Config<A>): Effect.Effect<A, CannotStart> =>
  Effect.mapError(
    config,
    (error) =>
      new CannotStart({
        fault: "settings",
        message: ["The settings in the environment cannot be used:", ...lines(error).map((text) => `  ${text}`)].join(
          "\n"
        )
      })
  )
