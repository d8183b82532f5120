import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import { createInterface } from "node:readline"
import { ask } from "../cli/password.js"
import type { DeveloperCredentials } from "./Service.js"

/**
 * Takes the e-mail from the command line or the environment, and the password from the environment. Asks the person at
 * the terminal for an e-mail or a password that is missing. `code` of the result takes the code of the second factor
 * from the environment, or asks for it.
 */
export const find = (email: string | undefined): Effect.Effect<DeveloperCredentials, CannotStart> =>
  Effect.gen(function* () {
    const { PLACE_ACCESS_CODE, PLACE_ACCESS_EMAIL, PLACE_ACCESS_PASSWORD } = process.env
    const known = email ?? PLACE_ACCESS_EMAIL ?? ""
    return {
      email: known === "" ? yield* orNobody("PLACE_ACCESS_EMAIL", askOpenly("E-mail: ")) : known,
      password:
        PLACE_ACCESS_PASSWORD === undefined || PLACE_ACCESS_PASSWORD === ""
          ? yield* orNobody("PLACE_ACCESS_PASSWORD", ask("Password: "))
          : PLACE_ACCESS_PASSWORD,
      code: code(PLACE_ACCESS_CODE ?? "")
    }
  })

/**
 * Returns the code from PLACE_ACCESS_CODE, or asks for one. A code of an authenticator app expires within a minute, so
 * a program must set the variable directly before it starts `listen`.
 */
const code = (known: string) =>
  known === "" ? orNobody("PLACE_ACCESS_CODE", askOpenly(ASKS_FOR_CODE)) : Effect.succeed(known)

const ASKS_FOR_CODE =
  "Your account has a second factor.\nThe code of your authenticator app, or a recovery code (passkeys work in browsers only): "

const orNobody = (name: string, question: Effect.Effect<string>): Effect.Effect<string, CannotStart> =>
  process.stdin.isTTY && process.stdout.isTTY
    ? question
    : new CannotStart({ fault: "usage", message: `There is no terminal to ask at: set ${name}.` })

const askOpenly = (question: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    let answer = ""
    lines.once("SIGINT", () => {
      resume(Effect.interrupt)
      lines.close()
    })
    lines.once("close", () => resume(Effect.succeed(answer)))
    lines.question(question, (typed) => {
      answer = typed.trim()
      lines.close()
    })
  })
