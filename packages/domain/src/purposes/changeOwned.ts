import { Effect, type Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId, PurposeId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Purpose } from "./Purpose.js"
import { PurposeStore } from "./PurposeStore.js"

/** One step in the life of an app's own purpose. `NotFound` for somebody else's app, and for a purpose of another app. */
export const changeOwned = <E>(
  account: Account,
  appId: AppId,
  id: PurposeId,
  step: (before: Purpose, now: Timestamp) => Either.Either<Purpose, E>
) =>
  Effect.gen(function* () {
    const app = yield* getOwnedApp(account, appId)
    const outcome = yield* (yield* PurposeStore).update(id, (before, now) => {
      if (before.appId !== app.id) return { outcome: Option.none<Either.Either<Purpose, E>>(), after: null }
      const after = step(before, now)
      return { outcome: Option.some(after), after: after._tag === "Right" ? after.right : null }
    })
    const after = yield* Effect.mapError(Option.flatten(outcome), () => new NotFound({ what: "purpose" }))
    return yield* after
  })
