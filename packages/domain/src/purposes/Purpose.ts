// A purpose: why an app reads coordinates. Decisions M13 and purposes-2.
import { Schema } from "effect"
import type { AppStatus } from "../apps/App.js"
import type { Submittable } from "../reviews/Submission.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { brand } from "../shared/Errors.js"
import { type AppId, type PurposeId, Scope, Text } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** The developer's name of a purpose, which the app sends with each call for coordinates (Spec §2.4, §3.2). */
export const PurposeKey = Schema.String.pipe(
  Schema.pattern(/^[a-z][a-z0-9_]{2,39}$/, {
    message: () => "must be 3 to 40 characters of a-z, 0-9 and _, starting with a letter"
  }),
  brand("PurposeKey")
)
export type PurposeKey = typeof PurposeKey.Type

/** The status of a purpose that is not archived. */
export const LiveStatus = Schema.Literal("draft", "in_review", "approved", "rejected")
export type LiveStatus = typeof LiveStatus.Type

export const PurposeStatus = Schema.Literal(...LiveStatus.literals, "archived")
export type PurposeStatus = typeof PurposeStatus.Type

/**
 * The terms of a purpose. A reviewer reads and approves all of them; users read the approved `description` word for
 * word.
 */
export const PurposeTerms = Schema.Struct({
  description: Text.line(10, 200),
  scopes: Scope.listOf(Scope.SensitiveScope).pipe(
    Schema.minItems(1, { message: () => "must name at least one sensitive scope" })
  ),
  expectedDailyVolume: Schema.Int.pipe(
    Schema.between(1, 10_000, { message: () => "must be a whole number from 1 to 10000" })
  )
})
export type PurposeTerms = typeof PurposeTerms.Type

/**
 * The most purposes that an app can have, archived ones included. There is a limit because a reviewer reads each
 * purpose.
 */
export const MAX_PER_APP = AccountLimits.PURPOSES.most

/**
 * The reason why the app cannot get a purpose with this key; undefined when the app can get it. `present` are the keys
 * of all the app's purposes, archived ones included.
 */
export const refusal = (present: ReadonlyArray<string>, key: PurposeKey): string | undefined =>
  present.includes(key)
    ? "the app has, or had, a purpose with this key"
    : present.length >= MAX_PER_APP
      ? AccountLimits.PURPOSES.refusal
      : undefined

interface Facts extends Submittable {
  readonly appId: AppId
  readonly id: PurposeId
  /** The key is unique within the app, even after the purpose is archived (decision P1). */
  readonly key: PurposeKey
  /** The newest terms, which a reviewer may not have approved yet. */
  readonly terms: PurposeTerms
  /** The last approved terms. They stay in force while an edit waits for a reviewer. */
  readonly approved: PurposeTerms | null
  /**
   * The reviewer's last note. The note is removed by the next submission, by an edit of an approved purpose (which
   * counts as a submission), and by an edit back to the approved terms. Every other edit keeps the note.
   */
  readonly reviewNote: string | null
  readonly createdAt: Timestamp
}

export interface Live extends Facts {
  readonly status: LiveStatus
  readonly archivedAt: null
}

/** An archived purpose. It is final: it cannot be used or submitted. */
export interface Archived extends Facts {
  readonly status: "archived"
  readonly submission: null
  readonly archivedAt: Timestamp
}

export type Purpose = Live | Archived

/**
 * The terms that the app may use now: the approved terms or, while no terms are approved and the app is not in
 * production, the newest terms. Undefined when the app may not use the purpose.
 */
export const usableTerms = (purpose: Purpose, app: AppStatus): PurposeTerms | undefined =>
  purpose.status === "archived" ? undefined : (purpose.approved ?? (app === "production" ? undefined : purpose.terms))

/**
 * The description that users see: the description in the last approved terms or, when no terms were approved, in the
 * newest terms.
 */
export const wording = ({ approved, terms }: Pick<Purpose, "approved" | "terms">): string =>
  (approved ?? terms).description

/**
 * The approval of a purpose by a reviewer. Users see this description from `at` until the purpose is approved again.
 */
export interface PurposeApproval {
  readonly purposeId: PurposeId
  readonly at: Timestamp
  readonly description: string
}

/**
 * The description that users saw at `at`: the description that was approved last before this time, or at it. Before the
 * first approval, the result is the first approved description, because earlier drafts are not stored. `approvals`: the
 * approvals of all purposes of the app, oldest first.
 */
export const wordingAt = (purpose: Purpose, approvals: ReadonlyArray<PurposeApproval>, at: Timestamp): string => {
  const own = approvals.filter(({ purposeId }) => purposeId === purpose.id)
  return (own.findLast((one) => one.at <= at) ?? own[0])?.description ?? wording(purpose)
}

/** The terms with scopes in catalogue order and without repeats, so that equal sets of scopes are equal arrays. */
export const normalised = (terms: PurposeTerms): PurposeTerms => ({
  ...terms,
  scopes: Scope.sensitive.filter((scope) => terms.scopes.includes(scope))
})

/** Whether two terms, both normalised, have the same content for a reviewer. */
export const sameTerms = (a: PurposeTerms, b: PurposeTerms): boolean =>
  a.description === b.description && a.expectedDailyVolume === b.expectedDailyVolume && Scope.same(a.scopes, b.scopes)

/** A new purpose is a draft (Spec §3.2). */
export const draft = (appId: AppId, id: PurposeId, key: PurposeKey, terms: PurposeTerms, now: Timestamp): Live => ({
  appId,
  id,
  key,
  status: "draft",
  terms: normalised(terms),
  approved: null,
  reviewNote: null,
  revision: 1,
  submission: null,
  createdAt: now,
  archivedAt: null
})

/** The purposes that the app can use now, with the terms of `usableTerms`. */
export const usable = (
  purposes: ReadonlyArray<Purpose>,
  app: AppStatus
): ReadonlyArray<{ readonly id: PurposeId; readonly key: PurposeKey; readonly terms: PurposeTerms }> =>
  purposes.flatMap((purpose) => {
    const terms = usableTerms(purpose, app)
    return terms === undefined ? [] : [{ id: purpose.id, key: purpose.key, terms }]
  })

/**
 * The sensitive scopes with a usable purpose. An app cannot request a sensitive scope without a purpose (decisions §3).
 */
export const coveredScopes = (
  purposes: ReadonlyArray<Purpose>,
  app: AppStatus
): ReadonlyArray<Scope.SensitiveScope> => {
  const covered = new Set(usable(purposes, app).flatMap(({ terms }) => terms.scopes))
  return Scope.sensitive.filter((scope) => covered.has(scope))
}
