import type { CannotStart } from "@place-access/worker"
import { type Console, Effect, Either } from "effect"

/** Runs a command of the server in this process. Returns what the command prints, or its error. */
export const outputOf = (command: Effect.Effect<void, CannotStart>): Promise<string> =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const console = yield* Effect.console
    const listening: Console.Console = {
      ...console,
      log: (...words) => Effect.sync(() => void lines.push(words.join(" ")))
    }
    const ended = yield* Effect.either(Effect.withConsole(command, listening))
    return Either.isLeft(ended) ? ended.left.message : lines.join("\n")
  }).pipe(Effect.runPromise)
