import { Effect, Either, Option } from "effect"
import type * as Account from "../accounts/Account.js"
import { type App, getApp, getAppToChange } from "../apps/index.js"
import * as Submission from "../reviews/Submission.js"
import {
  type AppId,
  Entropy,
  NotFound,
  PurposeId,
  type Scope,
  type ShownState,
  Timestamp,
  program
} from "../shared/index.js"
import * as DeclaredScopes from "./DeclaredScopes.js"
import * as Purpose from "./Purpose.js"
import * as PurposeGate from "./PurposeGate.js"
import * as PurposeLife from "./PurposeLife.js"
import { PurposeStore } from "./PurposeStore.js"

/**
 * The app's purposes, ordered by key. Archived purposes are included, because their keys cannot be used again. Fails
 * with `NotFound` for an account outside the app's team.
 */
export const listPurposes = program("listPurposes", function* (account: Account.Account, appId: AppId) {
  const app = yield* getApp(account, appId, "read")
  return yield* (yield* PurposeStore).list(app.id)
})

/**
 * Returns the key of the purpose that a call for coordinates names, if the purpose allows `scope` (Spec §4.4); else
 * fails with `PurposeRefused`. `key` is the key as the app sent it, or undefined when the app sent none.
 */
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
 * Creates a draft, which an app that is not in production can use immediately (Spec §3.2). Its errors:
 * - `NotFound` for an account outside the app's team.
 * - `Forbidden` for a member who may only read.
 * - `Invalid` for scopes that the app neither declares nor proposes.
 * - `Conflict` when the app ever had a purpose with this key, has too many purposes or is revoked.
 */
export const createPurpose = program(
  "createPurpose",
  function* (account: Account.Account, appId: AppId, input: NewPurpose) {
    const app = yield* getAppToChange(account, appId)
    const refused = DeclaredScopes.refused(input.terms.scopes, app)
    if (refused !== undefined) return yield* refused
    const id = PurposeId.make(yield* Entropy.id("pps"))
    const purpose = Purpose.draft(appId, id, input.key, input.terms, yield* Timestamp.now)
    yield* (yield* PurposeStore).create(purpose)
    return purpose
  }
)

/**
 * Edits a purpose. Its errors:
 * - `NotFound` for an account outside the app's team, and for a purpose that the app does not have.
 * - `Invalid` for scopes that the app neither declares nor proposes.
 * - `Conflict` for an archived purpose, for a revoked app, and for a form that showed another revision (`shown`, as in
 *   `PurposeLife.edit`).
 * - `Forbidden` for a member who may only read. Also `Forbidden` for an edit after which the purpose waits for a
 *   reviewer, while the account's address does not count as confirmed by `rule`.
 */
export const updatePurpose = program(
  "updatePurpose",
  function* (
    account: Account.Account,
    appId: AppId,
    id: PurposeId,
    change: PurposeLife.PurposeEdit,
    rule: Account.AddressRule,
    shown: ShownState<number>
  ) {
    const app = yield* getAppToChange(account, appId)
    const refused = change.scopes === undefined ? undefined : DeclaredScopes.refused(change.scopes, app)
    if (refused !== undefined) return yield* refused
    return yield* changeOwned(app, id, (before, now) =>
      Either.flatMap(PurposeLife.edit(before, change, now, shown), Submission.admit(account, rule, before))
    )
  }
)

/**
 * Submits a draft or rejected purpose for review. Its errors:
 * - `NotFound` for an account outside the app's team, and for a purpose that the app does not have.
 * - `Conflict` when the purpose is in any other state, the app is revoked, or the form showed another revision
 *   (`shown`, as in `updatePurpose`).
 * - `Forbidden` for a member who may only read, and while the account's address does not count as confirmed by `rule`.
 */
export const submitPurpose = program(
  "submitPurpose",
  function* (
    account: Account.Account,
    appId: AppId,
    id: PurposeId,
    rule: Account.AddressRule,
    shown: ShownState<number>
  ) {
    const app = yield* getAppToChange(account, appId)
    return yield* changeOwned(app, id, (before, now) =>
      Either.flatMap(PurposeLife.submit(before, now, shown), Submission.admit(account, rule, before))
    )
  }
)

/**
 * Archives a purpose for good; its key cannot be used again (Spec §3.2, decision P1). Idempotent. Its errors:
 * - `NotFound` for an account outside the app's team, and for a purpose that the app does not have.
 * - `Forbidden` for a member who may only read.
 */
export const archivePurpose = program(
  "archivePurpose",
  function* (account: Account.Account, appId: AppId, id: PurposeId) {
    const app = yield* getApp(account, appId, "develop")
    return yield* changeOwned(app, id, (before, now) => Either.right(PurposeLife.archive(before, now)))
  }
)

/** Commits one transition of a purpose of the app. Fails with `NotFound` for a purpose that the app does not have. */
const changeOwned = <E>(
  app: App.App,
  id: PurposeId,
  step: (before: Purpose.Purpose, now: Timestamp.Timestamp) => Either.Either<Purpose.Purpose, E>
) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* PurposeStore).update(id, (before, now) => {
      if (before.appId !== app.id) return { outcome: Option.none<Either.Either<Purpose.Purpose, E>>(), after: null }
      const after = step(before, now)
      return { outcome: Option.some(after), after: after._tag === "Right" ? after.right : null }
    })
    const after = yield* Effect.mapError(Option.flatten(outcome), () => new NotFound({ what: "purpose" }))
    return yield* after
  })
