import { type Account, createAccount as create } from "@place-access/domain/accounts"
import { CannotStart } from "@place-access/worker/host"
import { Console, Effect } from "effect"
import * as password from "./password.js"

interface Asked {
  readonly email: Account.Email
  readonly roles: ReadonlyArray<Account.Role>
  readonly displayName: Account.DisplayName | undefined
  readonly passwordFromStdin: boolean
}

/** The operator's way to the first admin (decision A4). A password that was made up is printed, once. */
export const createAccount = ({ passwordFromStdin, ...asked }: Asked) =>
  Effect.gen(function* () {
    const chosen = yield* password.choose(passwordFromStdin)
    const account = yield* create({ ...asked, password: chosen.password }).pipe(
      Effect.catchTags({
        Conflict: () =>
          new CannotStart({ message: `There is an account of ${asked.email} already; nothing was changed.` }),
        StoreError: () => new CannotStart({ message: "The database could not store the account; try again." })
      })
    )
    const roles = account.roles.length === 0 ? "a plain user" : account.roles.join(" and ")
    yield* Console.log(`The account of ${account.email} is made: ${roles}.`)
    if (chosen.isNew) yield* Console.log(`Its password, shown this once: ${chosen.password}`)
  })
