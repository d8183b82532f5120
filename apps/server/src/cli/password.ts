import { Account } from "@place-access/domain/accounts"
import { Entropy } from "@place-access/domain/shared"
import { CannotStart } from "@place-access/worker"
import { Effect, Schema } from "effect"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { Writable } from "node:stream"

/** A password, and whether it was generated. The command must print a generated password, because nobody knows it. */
export interface ChosenPassword {
  readonly password: Account.Password
  readonly isNew: boolean
}

/**
 * Chooses a password: reads it from standard input if `fromStdin` is true, or from the person at the terminal, or
 * generates one. The command takes no password as an argument, because other users of the machine can read a program's
 * arguments.
 */
export const choose = (fromStdin: boolean): Effect.Effect<ChosenPassword, CannotStart, Entropy.Entropy> =>
  fromStdin ? piped : process.stdin.isTTY && process.stdout.isTTY ? prompted : madeUp

const check = (typed: string): Effect.Effect<ChosenPassword, CannotStart> =>
  Schema.decodeUnknown(Account.Password)(typed).pipe(
    Effect.map((password) => ({ password, isNew: false })),
    Effect.mapError((error) => new CannotStart({ message: `The password ${error.message.split("\n").at(-1)}.` }))
  )

const piped = Effect.flatMap(
  Effect.promise(() => text(process.stdin)),
  (all) => check(all.replace(/\r?\n$/, ""))
)

const madeUp: Effect.Effect<ChosenPassword, never, Entropy.Entropy> = Effect.map(Entropy.secret, (secret) => ({
  // The password has 120 random bits, in groups that a person can copy by hand.
  password: Account.Password.make((secret.slice(0, 24).match(/.{6}/g) ?? []).join("-")),
  isNew: true
}))

const prompted = Effect.gen(function* () {
  const typed = yield* ask("Password (empty: the command makes one): ")
  if (typed === "") return yield* madeUp
  const chosen = yield* check(typed)
  if ((yield* ask("The same password again: ")) !== typed)
    return yield* new CannotStart({ message: "The two passwords differ." })
  return chosen
})

/** Asks at the terminal without showing what the person types. */
export const ask = (question: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    process.stdout.write(question)
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
    let answer = ""
    lines.once("line", (line) => {
      answer = line
      lines.close()
    })
    // Runs after the person typed a line. It also runs when the terminal was closed or the person typed Control-D: then
    // the answer is empty.
    lines.once("close", () => {
      process.stdout.write("\n")
      resume(Effect.succeed(answer))
    })
    lines.once("SIGINT", () => {
      process.stdout.write("\n")
      resume(Effect.interrupt)
      lines.removeAllListeners("close")
      lines.close()
    })
  })
