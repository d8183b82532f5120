import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { type AppChange, AppStore, type Registered } from "./AppStore.js"

/** `AppStore.update` for the owner alone: whether it is the owner's is decided under the lock, with the rest. */
export const changeOwned = <A>(
  account: Account,
  id: AppId,
  decide: (before: Registered, now: Timestamp) => AppChange<A>
) =>
  Effect.gen(function* () {
    const apps = yield* AppStore
    const outcome = yield* apps.update(id, (before, now) => {
      if (before.app.ownerId !== account.id) return { outcome: Option.none<A>(), after: null }
      const { outcome, ...change } = decide(before, now)
      return { outcome: Option.some(outcome), ...change }
    })
    return yield* Effect.mapError(Option.flatten(outcome), () => new NotFound({ what: "app" }))
  })
