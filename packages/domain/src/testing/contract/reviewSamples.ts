import { Effect } from "effect"
import type { App } from "../../apps/App.js"
import type { MailMessage } from "../../mail/Mail.js"
import * as ReviewDecision from "../../reviews/ReviewDecision.js"
import { ReviewStore } from "../../reviews/ReviewStore.js"
import * as Entropy from "../../shared/Entropy.js"
import { ReviewDecisionId } from "../../shared/Ids.js"
import * as Timestamp from "../../shared/Timestamp.js"

/** A decision about `app` and its mail, to be given to `update`. */
export const recorded = (app: App, overrides: Partial<ReviewDecision.ReviewDecision> = {}) =>
  Effect.gen(function* () {
    const decision: ReviewDecision.ReviewDecision = {
      id: ReviewDecisionId.make(yield* Entropy.id("rvw")),
      appId: app.id,
      subject: ReviewDecision.ofApp(app, null),
      kind: "approved",
      note: null,
      by: app.ownerId,
      at: yield* Timestamp.now,
      ...overrides
    }
    const mail: MailMessage = {
      to: app.ownerId,
      dedupeKey: ReviewDecision.mailKey(decision),
      subject: "A decision",
      body: "Line one\n\nLine two"
    }
    return { decision, mail }
  })

/** All that is kept about the app. */
export const decisionsAbout = (app: App) =>
  Effect.flatMap(ReviewStore, (reviews) => Effect.map(reviews.decisions(app.id, 500, undefined), ({ items }) => items))
