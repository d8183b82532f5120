import { Effect, Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { Account } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

/**
 * A map from these ids to their accounts, without unknown ids. A page often names one person many times, so each id is
 * looked up once.
 */
export const findAccounts = (ids: Iterable<UserId>) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const found = new Map<UserId, Account>()
    for (const id of new Set(ids)) {
      const account = yield* accounts.find(id)
      if (Option.isSome(account)) found.set(id, account.value)
    }
    return found
  })
