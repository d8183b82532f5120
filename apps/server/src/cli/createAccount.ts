import { type Account, createAccount as create } from "@place-access/domain/accounts"
import { CannotStart } from "@place-access/worker"
import { Console, Effect } from "effect"
import * as password from "./password.js"

interface AccountOptions {
  readonly email: Account.Email
  readonly roles: ReadonlyArray<Account.Role>
  readonly displayName: Account.DisplayName | undefined
  readonly passwordFromStdin: boolean
}

/**
 * Makes an account from the command line; the operator makes the first admin this way (decision A4). A generated
 * password is printed once.
 */
export const createAccount = ({ passwordFromStdin, ...asked }: AccountOptions) =>
  Effect.gen(function* () {
    const chosen = yield* password.choose(passwordFromStdin)
    const account = yield* create({ ...asked, password: chosen.password }).pipe(
      Effect.catchTags({
        Invalid: ({ problems: [{ message }] }) => new CannotStart({ message: `The password ${message}.` }),
        Conflict: () => new CannotStart({ message: `${asked.email} has an account already. Nothing was changed.` }),
        StoreError: () => new CannotStart({ message: "The database could not store the account. Try again." })
      })
    )
    const roles = account.roles.length === 0 ? "a plain user" : account.roles.join(" and ")
    yield* Console.log(`Made an account for ${account.email}: ${roles}.`)
    if (chosen.isNew) yield* Console.log(`Its password, shown only once: ${chosen.password}`)
  })
