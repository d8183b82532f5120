import { Schema } from "effect"
import { AppId, Scope } from "../shared/index.js"
import { type App, AppName } from "./App.js"
import { Differences } from "./AppProposal.js"

/** The app that a review decision was about, with the name and scopes that it had after the decision. */
export const AppUnderReview = Schema.Struct({
  kind: Schema.Literal("app"),
  id: AppId,
  name: Schema.typeSchema(AppName),
  declaredScopes: Schema.Array(Scope.Scope),
  allowedScopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  /** The approved or rejected change to a production app; null for a decision about the whole app. */
  change: Schema.optionalWith(Schema.NullOr(Schema.asSchema(Differences)), {
    /** Decisions that were stored before the service reviewed changes lack the field `change`. */
    default: () => null
  })
})
export type AppUnderReview = typeof AppUnderReview.Type

/** The subject of a review decision: the app, and `change`, the change to the app that the reviewer decided. */
export const of = (app: App, change: Differences | null): AppUnderReview => ({
  kind: "app",
  id: app.id,
  name: app.name,
  declaredScopes: app.declaredScopes,
  allowedScopes: app.allowedScopes,
  change
})
