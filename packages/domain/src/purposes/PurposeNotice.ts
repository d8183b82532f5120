import type { App } from "../apps/App.js"
import type { MailMessage } from "../mail/Mail.js"
import { decided } from "../mail/NamedMail.js"
import { mailKey, type ReviewDecision } from "../reviews/ReviewDecision.js"
import type { Purpose } from "./Purpose.js"

/** The mail to the developer about a decision; `purpose` is the purpose after the decision. */
export const message = (app: App, purpose: Purpose, decision: ReviewDecision<unknown>): MailMessage => {
  const isApproved = decision.kind === "approved"
  const verdict = isApproved ? "was approved" : "was not approved"
  return {
    to: app.ownerId,
    dedupeKey: mailKey(decision),
    subject: `${app.name}: the purpose ${purpose.key} ${verdict}`,
    naming: decided,
    body: [
      `The purpose ${purpose.key} of your app "${app.name}" ${verdict}:\n"${purpose.terms.description}"`,
      ...(decision.note === null ? [] : [`The reviewer wrote:\n${decision.note}`]),
      ...(isApproved ? approved(app) : rejected(purpose))
    ].join("\n\n"),
    link: { site: "service", path: `/developer/apps/${app.id}`, label: "Your app" }
  }
}

const approved = (app: App): ReadonlyArray<string> =>
  app.status === "production"
    ? ["Users read it in these words from now on, and your app can use it."]
    : ["Users read it in these words from now on. Your app can go on using it when it is in production."]

const rejected = (purpose: Purpose): ReadonlyArray<string> => [
  ...(purpose.approved === null
    ? []
    : [`What was approved before goes on working, in those words:\n"${purpose.approved.description}"`]),
  "You can change it in the developer portal and submit it again."
]
