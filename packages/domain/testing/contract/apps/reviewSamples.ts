import { Effect } from "effect"
import type { App } from "../../../src/apps/App.js"
import type { MailMessage } from "../../../src/mail/Mail.js"
import * as AppReview from "../../../src/apps/AppReview.js"
import * as ReviewDecision from "../../../src/reviews/ReviewDecision.js"
import { ReviewStore } from "../../../src/staff/ReviewStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ReviewDecisionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"

/** A decision about `app` with its mail, as `AppStore.update` takes it. */
export const recorded = (app: App, overrides: Partial<ReviewDecision.ReviewDecision<AppReview.AppUnderReview>> = {}) =>
  recordedAbout(app, overrides.subject ?? AppReview.of(app, null), overrides)

/** A decision about `subject` with its mail. `subject` is `app`, or a purpose of `app`. */
export const recordedAbout = <Subject>(
  app: App,
  subject: Subject,
  overrides: Partial<Omit<ReviewDecision.ReviewDecision<unknown>, "subject">> = {}
) =>
  Effect.gen(function* () {
    const decision: ReviewDecision.ReviewDecision<Subject> = {
      id: ReviewDecisionId.make(yield* Entropy.id("rvw")),
      appId: app.id,
      kind: "approved",
      note: null,
      by: app.ownerId,
      at: yield* Timestamp.now,
      ...overrides,
      subject
    }
    const mail: MailMessage = {
      to: app.ownerId,
      dedupeKey: ReviewDecision.mailKey(decision),
      subject: "A decision",
      body: "Line one\n\nLine two"
    }
    return { decision, mails: [mail], audit: ReviewDecision.auditEvent(decision, app.ownerId, null) }
  })

/** All stored decisions about the app. */
export const decisionsAbout = (app: App) =>
  Effect.flatMap(ReviewStore, (reviews) => Effect.map(reviews.decisions(app.id, 500, undefined), ({ items }) => items))
