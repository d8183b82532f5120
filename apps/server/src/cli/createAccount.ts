import { NodeEntropy } from "@place-access/adapters-pg"
import type { Account } from "@place-access/domain/accounts"
import { Console, Effect } from "effect"
import type { ServerSettings } from "../ServerSettings.js"
import { carryOut } from "./accounts.js"
import * as password from "./password.js"

interface AccountOptions {
  readonly email: Account.Email
  readonly roles: ReadonlyArray<Account.Role>
  readonly displayName: Account.DisplayName | undefined
  readonly passwordFromStdin: boolean
}

/**
 * Makes an account from the command line; the operator makes the first admin this way (decision A4). If the operator
 * gives no password, this command generates one and prints it once. The server that makes the account does not generate
 * the password, so it never sends a password back.
 */
export const createAccount = (
  { displayName, email, passwordFromStdin, roles }: AccountOptions,
  settings: ServerSettings
) =>
  Effect.gen(function* () {
    const chosen = yield* Effect.provide(password.choose(passwordFromStdin), NodeEntropy.layer)
    const { sentences } = yield* carryOut(
      { _tag: "Create", email, roles, displayName, password: chosen.password },
      settings
    )
    yield* Console.log(sentences.join("\n"))
    if (chosen.isNew) yield* Console.log(`Its password, shown only once: ${chosen.password}`)
  })
