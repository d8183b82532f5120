import { Effect, Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { type App, AppLife, getApp } from "../apps/index.js"
import { type AppId, Conflict, Entropy, NotFound, PurposeId, type Scope, Timestamp, program } from "../shared/index.js"
import * as DeclaredScopes from "./DeclaredScopes.js"
import * as Purpose from "./Purpose.js"
import * as PurposeGate from "./PurposeGate.js"
import * as PurposeLife from "./PurposeLife.js"
import { PurposeStore } from "./PurposeStore.js"

/** The app's purposes by key, with archived ones: their keys stay taken. `NotFound` for another account's app. */
export const listPurposes = program("listPurposes", function* (account: Account, appId: AppId) {
  const app = yield* getApp(account, appId, "read")
  return yield* (yield* PurposeStore).list(app.id)
})

/** Lets a call for coordinates pass if its purpose allows `scope` (Spec §4.4). `key`: as sent, or undefined. */
export const usePurpose = program(
  "usePurpose",
  function* (app: Pick<App.App, "id" | "status">, key: string | undefined, scope: Scope.SensitiveScope) {
    const purposes = yield* (yield* PurposeStore).list(app.id)
    const verdict = PurposeGate.decide(purposes, app.status, key, scope)
    if (verdict._tag === "Allowed") return verdict.purpose.key
    const known = purposes.find((purpose) => purpose.key === key)
    return yield* new PurposeGate.PurposeRefused({ reason: verdict.reason, key: known?.key ?? null })
  }
)

export interface NewPurpose {
  readonly key: Purpose.PurposeKey
  readonly terms: Purpose.PurposeTerms
}

/**
 * Creates a draft, which an app in the sandbox can use at once (Spec §3.2). `NotFound` for another account's app,
 * `Invalid` for scopes that the app does not declare, `Conflict` when the app ever had the key.
 */
export const createPurpose = program("createPurpose", function* (account: Account, appId: AppId, input: NewPurpose) {
  const app = yield* getApp(account, appId, "develop")
  const refused = DeclaredScopes.refused(input.terms.scopes, app)
  if (refused !== undefined) return yield* refused
  const id = PurposeId.make(yield* Entropy.id("pps"))
  const purpose = Purpose.draft(appId, id, input.key, input.terms, yield* Timestamp.now)
  yield* (yield* PurposeStore).create(purpose)
  return purpose
})

/** Edits a purpose. `NotFound`: another account's; `Invalid`: undeclared scopes; `Conflict`: archived. */
export const updatePurpose = program(
  "updatePurpose",
  function* (account: Account, appId: AppId, id: PurposeId, change: PurposeLife.PurposeEdit) {
    const app = yield* getApp(account, appId, "develop")
    const refused = change.scopes === undefined ? undefined : DeclaredScopes.refused(change.scopes, app)
    if (refused !== undefined) return yield* refused
    return yield* changeOwned(account, appId, id, (before, now) => PurposeLife.edit(before, change, now))
  }
)

/** Submits a draft or rejected purpose for review. `NotFound` for another account's, `Conflict` in any other state. */
export const submitPurpose = program("submitPurpose", function* (account: Account, appId: AppId, id: PurposeId) {
  const app = yield* getApp(account, appId, "develop")
  return yield* changeOwned(account, appId, id, (before, now) =>
    app.revokedAt === null ? PurposeLife.submit(before, now) : Either.left(new Conflict({ reason: AppLife.REVOKED }))
  )
})

/** Archives a purpose: final, and its key stays taken (Spec §3.2, decision P1). Idempotent. */
export const archivePurpose = program("archivePurpose", function* (account: Account, appId: AppId, id: PurposeId) {
  return yield* changeOwned(account, appId, id, (before, now) => Either.right(PurposeLife.archive(before, now)))
})

/** One transition of an app's own purpose. `NotFound` for another account's app, and for another app's purpose. */
const changeOwned = <E>(
  account: Account,
  appId: AppId,
  id: PurposeId,
  step: (before: Purpose.Purpose, now: Timestamp.Timestamp) => Either.Either<Purpose.Purpose, E>
) =>
  Effect.gen(function* () {
    const app = yield* getApp(account, appId, "develop")
    const outcome = yield* (yield* PurposeStore).update(id, (before, now) => {
      if (before.appId !== app.id) return { outcome: Option.none<Either.Either<Purpose.Purpose, E>>(), after: null }
      const after = step(before, now)
      return { outcome: Option.some(after), after: after._tag === "Right" ? after.right : null }
    })
    const after = yield* Effect.mapError(Option.flatten(outcome), () => new NotFound({ what: "purpose" }))
    return yield* after
  })
