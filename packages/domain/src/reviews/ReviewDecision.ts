import { Schema } from "effect"
import { type App, Name } from "../apps/App.js"
import { Differences } from "../apps/AppProposal.js"
import type { MailMessage } from "../mail/Mail.js"
import { Key, type Purpose, Terms } from "../purposes/Purpose.js"
import { AppId, PurposeId, type ReviewDecisionId, type UserId } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** What was decided: by a reviewer, or by an admin (decision P2). */
export const Kind = Schema.Literal("approved", "rejected", "narrowed", "revoked")
export type Kind = typeof Kind.Type

/** What it was about, as the decision left it: the wording that was approved, the scopes that are left. */
export const Subject = Schema.Union(
  Schema.Struct({
    kind: Schema.Literal("app"),
    id: AppId,
    name: Schema.typeSchema(Name),
    declaredScopes: Schema.Array(Scope.Scope),
    allowedScopes: Schema.NullOr(Schema.Array(Scope.Scope)),
    /** The change to an app in production that was decided on, approved or rejected. Decisions from before there were any: null. */
    change: Schema.optionalWith(Schema.NullOr(Differences), {
      /** For decisions from before there were such changes. */
      default: () => null
    })
  }),
  Schema.Struct({ kind: Schema.Literal("purpose"), id: PurposeId, key: Key, terms: Schema.typeSchema(Terms) })
)
export type Subject = typeof Subject.Type

/** Kept for ever and never changed: who decided what, when, and why. */
export interface ReviewDecision {
  readonly id: ReviewDecisionId
  readonly appId: AppId
  readonly subject: Subject
  readonly kind: Kind
  readonly note: string | null
  readonly by: UserId
  readonly at: Timestamp
}

/** What is written together with the change that was decided, or not at all. */
export interface Recorded {
  readonly decision: ReviewDecision
  /** To the developer. */
  readonly mail: MailMessage
}

/** A review of an app, as it is called now, or of `change` to it. */
export const ofApp = (app: App, change: Differences | null): Subject => ({
  kind: "app",
  id: app.id,
  name: app.name,
  declaredScopes: app.declaredScopes,
  allowedScopes: app.allowedScopes,
  change
})

/** A review of a purpose, as it is worded now. */
export const ofPurpose = (purpose: Purpose): Subject => ({
  kind: "purpose",
  id: purpose.id,
  key: purpose.key,
  terms: purpose.terms
})

/** One mail for each decision. */
export const mailKey = ({ id }: Pick<ReviewDecision, "id">): string => `review ${id}`
