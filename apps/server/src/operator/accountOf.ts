import { Account, AccountStore } from "@place-access/domain/accounts"
import { CannotStart } from "@place-access/worker"
import { Effect, Option } from "effect"
import type { AccountName } from "./AccountCommand.js"

/** Finds the account that an operator names, and says why a command did nothing. */

const isEmail = (name: AccountName): name is Account.Email => name.includes("@")

export const unknown = (name: AccountName) =>
  new CannotStart({
    message: `${isEmail(name) ? `${name} has no account here` : `There is no account with the id ${name}`}. Nothing was changed.`
  })

export const unavailable = () => new CannotStart({ message: "The database did not answer. Try again." })

/** Finds the account of a person. A test person, and the placeholder for deleted accounts, are unknown (staff-2). */
export const find = (name: AccountName) =>
  Effect.gen(function* () {
    const store = yield* AccountStore
    const found = isEmail(name)
      ? Option.map(yield* store.findByEmail(name), ({ account }) => account)
      : yield* store.find(name)
    return yield* Option.match(Option.filter(found, Account.isPerson), {
      onNone: () => unknown(name),
      onSome: (account) => Effect.succeed<Account.Account>(account)
    })
  }).pipe(Effect.catchTag("StoreError", unavailable))

/**
 * Fails when another account has the address. The store refuses only a confirmed address. But on a server without
 * `SMTP_URL` no account has a confirmed address, so a mistyped address would lock the owner of that address out.
 */
export const requireFree = (email: Account.Email, id: Account.Account["id"]) =>
  Effect.gen(function* () {
    const holder = yield* Effect.mapError((yield* AccountStore).findByEmail(email), unavailable)
    if (Option.isNone(holder) || holder.value.account.id === id) return
    const other = holder.value.account
    const taken = `${email} is the address of another account, ${other.id}`
    return yield* new CannotStart({
      message:
        other.confirmedAt === null
          ? `${taken}. Nothing was changed. Give that account another address, or delete it, first: ` +
            `npm start -- account address ${other.id} EMAIL`
          : `${taken}, which has confirmed it. Nothing was changed.`
    })
  })
