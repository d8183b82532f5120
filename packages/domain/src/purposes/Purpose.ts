import { Schema } from "effect"
import type { Status as AppStatus } from "../apps/App.js"
import type { Submittable } from "../reviews/Submission.js"
import type { AppId, PurposeId } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import * as Text from "../shared/Text.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** Spec §2.4 and §3.2. */
export const Key = Schema.String.pipe(
  Schema.pattern(/^[a-z][a-z0-9_]{2,39}$/, {
    message: () => "must be 3 to 40 characters of a-z, 0-9 and _, starting with a letter"
  }),
  Schema.brand("PurposeKey")
)
export type Key = typeof Key.Type

/** Of a purpose that is not archived. */
export const LiveStatus = Schema.Literal("draft", "in_review", "approved", "rejected")
export type LiveStatus = typeof LiveStatus.Type

export const Status = Schema.Literal(...LiveStatus.literals, "archived")
export type Status = typeof Status.Type

/** What is reviewed, and what users are shown exactly as approved. */
export const Terms = Schema.Struct({
  description: Text.line(10, 200),
  scopes: Schema.Array(Scope.SensitiveScope).pipe(
    Schema.minItems(1, { message: () => "must name at least one sensitive scope" })
  ),
  expectedDailyVolume: Schema.Int.pipe(
    Schema.between(1, 10_000, { message: () => "must be a whole number from 1 to 10000" })
  )
})
export type Terms = typeof Terms.Type

/** How many an app may have, archived ones counted: each is read by a person before it can be used in production. */
export const MAX_PER_APP = 100

/** Why a purpose of that key cannot be added to those that the app has, archived ones included; undefined when it can. */
export const refusal = (present: ReadonlyArray<string>, key: Key): string | undefined =>
  present.includes(key)
    ? "the app has, or had, a purpose with this key"
    : present.length >= MAX_PER_APP
      ? `an app has at most ${MAX_PER_APP} purposes`
      : undefined

interface Facts extends Submittable {
  readonly appId: AppId
  readonly id: PurposeId
  /** Unique within the app, for ever: an archived purpose keeps its key (decision P1). */
  readonly key: Key
  /** The newest wording. */
  readonly terms: Terms
  /** The wording that was approved last; goes on working while an edit is decided. */
  readonly approved: Terms | null
  /** What the reviewer said last; kept while the developer changes the wording, gone when it is handed in again. */
  readonly reviewNote: string | null
  readonly createdAt: Timestamp
}

export interface Live extends Facts {
  readonly status: LiveStatus
  readonly archivedAt: null
}

/** Final: it can neither be used nor wait for anybody. */
export interface Archived extends Facts {
  readonly status: "archived"
  readonly submission: null
  readonly archivedAt: Timestamp
}

export type Purpose = Live | Archived

/** The terms under which an app may use the purpose now: any for a sandbox app, only approved ones in production. */
export const usableTerms = (purpose: Purpose, app: AppStatus): Terms | undefined =>
  purpose.status === "archived" ? undefined : (purpose.approved ?? (app === "production" ? undefined : purpose.terms))

/** What users know a purpose by: the wording approved last, or the only one of an app that nobody reviewed. */
export const wording = ({ approved, terms }: Pick<Purpose, "approved" | "terms">): string =>
  (approved ?? terms).description

/** With the scopes in catalogue order and once each, so that equal terms are equal data. */
export const normalised = (terms: Terms): Terms => ({
  ...terms,
  scopes: Scope.sensitive.filter((scope) => terms.scopes.includes(scope))
})

/** Of normalised terms: whether a reviewer reads the same. */
export const sameTerms = (a: Terms, b: Terms): boolean =>
  a.description === b.description && a.expectedDailyVolume === b.expectedDailyVolume && Scope.same(a.scopes, b.scopes)

/** A new purpose is a draft (Spec §3.2). */
export const draft = (appId: AppId, id: PurposeId, key: Key, terms: Terms, now: Timestamp): Live => ({
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

/** What users are shown: the purposes that the app can use now, in the wording that counts. */
export const usable = (
  purposes: ReadonlyArray<Purpose>,
  app: AppStatus
): ReadonlyArray<{ readonly id: PurposeId; readonly key: Key; readonly terms: Terms }> =>
  purposes.flatMap((purpose) => {
    const terms = usableTerms(purpose, app)
    return terms === undefined ? [] : [{ id: purpose.id, key: purpose.key, terms }]
  })

/** The sensitive scopes for which the app has a usable purpose: only these can be asked for at consent (decisions §3). */
export const coveredScopes = (
  purposes: ReadonlyArray<Purpose>,
  app: AppStatus
): ReadonlyArray<Scope.SensitiveScope> => {
  const covered = new Set(usable(purposes, app).flatMap(({ terms }) => terms.scopes))
  return Scope.sensitive.filter((scope) => covered.has(scope))
}
