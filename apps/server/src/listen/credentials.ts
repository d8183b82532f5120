import { CannotStart } from "@place-access/worker/host"
import { Effect } from "effect"
import { createInterface } from "node:readline"
import { ask } from "../cli/password.js"
import type { Credentials } from "./Service.js"

/** From the command line (the e-mail alone), the environment, or the person at the terminal. */
export const find = (email: string | undefined): Effect.Effect<Credentials, CannotStart> =>
  Effect.gen(function* () {
    const { PLACE_ACCESS_EMAIL, PLACE_ACCESS_PASSWORD } = process.env
    const known = email ?? PLACE_ACCESS_EMAIL ?? ""
    return {
      email: known === "" ? yield* orNobody("PLACE_ACCESS_EMAIL", askOpenly("E-mail: ")) : known,
      password:
        PLACE_ACCESS_PASSWORD === undefined || PLACE_ACCESS_PASSWORD === ""
          ? yield* orNobody("PLACE_ACCESS_PASSWORD", ask("Password: "))
          : PLACE_ACCESS_PASSWORD
    }
  })

const orNobody = (name: string, asked: Effect.Effect<string>): Effect.Effect<string, CannotStart> =>
  process.stdin.isTTY && process.stdout.isTTY
    ? asked
    : new CannotStart({ fault: "usage", message: `Nobody can be asked here: set ${name}.` })

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
