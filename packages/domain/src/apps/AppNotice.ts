import type { MailMessage } from "../mail/Mail.js"
import { decided } from "../mail/NamedMail.js"
import { type ReviewKind, mailKey, type ReviewDecision } from "../reviews/ReviewDecision.js"
import type { AppUnderReview } from "./AppReview.js"
import { type App, scopes } from "./App.js"
import type { Differences } from "./AppProposal.js"

/** The mail to the app's holder about a reviewer's or admin's decision; `app` is the app after the decision. */
export const message = (app: App, decision: ReviewDecision<AppUnderReview>): MailMessage => {
  const change = decision.subject.kind === "app" ? decision.subject.change : null
  return {
    to: app.ownerId,
    dedupeKey: mailKey(decision),
    subject: `${app.name} ${SUBJECT[decision.kind]}`,
    naming: decided,
    body: [
      `Your app "${app.name}" ${SUBJECT[decision.kind]}.`,
      ...(decision.note === null ? [] : [`What was written with it:\n${decision.note}`]),
      consequence(app, decision.kind)
    ].join("\n\n"),
    link: { site: "service", path: `/developer/apps/${app.id}`, label: "Your app" },
    ...(change === null ? {} : aboutChange(app, decision, change))
  }
}

/** The subject and body of the mail about a decided change to an app in production. */
const aboutChange = (app: App, { kind, note }: ReviewDecision<AppUnderReview>, change: Differences) => {
  const isApproved = kind === "approved"
  const verdict = `The changes to your app "${app.name}" were ${isApproved ? "" : "not "}approved.`
  return {
    subject: `Changes to ${app.name} were ${isApproved ? "" : "not "}approved`,
    body: [
      verdict,
      ...(note === null ? [] : [`What was written with it:\n${note}`]),
      `You asked for:\n${proposedValues(change).join("\n")}`,
      isApproved
        ? "They are in force from now on."
        : "What was approved before stays in force, and nothing waits any more. You can change the app again."
    ].join("\n\n")
  }
}

const proposedValues = ({
  description,
  homepageUrl,
  logo,
  name,
  redirectUris,
  scopes
}: Differences): ReadonlyArray<string> => [
  ...(name === null ? [] : [`The name: ${name.proposed}`]),
  ...(description === null ? [] : [`The description: ${description.proposed}`]),
  ...(homepageUrl === null ? [] : [`The web page: ${homepageUrl.proposed}`]),
  ...(logo === null ? [] : ["A new logo"]),
  ...(scopes === null ? [] : [`The scopes: ${scopes.proposed.join(", ")}`]),
  ...(redirectUris === null ? [] : [`The redirect URIs: ${redirectUris.proposed.join(", ")}`])
]

const SUBJECT: Readonly<Record<ReviewKind, string>> = {
  approved: "is in production",
  rejected: "was not approved for production",
  narrowed: "can ask for other scopes now",
  revoked: "was revoked"
}

const consequence = (app: App, kind: ReviewKind): string => {
  switch (kind) {
    case "approved":
      return "Everybody can connect it from now on. Calls for coordinates need an approved purpose."
    case "rejected":
      return "It stays in the sandbox, where, apart from test people, only the person who holds the app can connect it. You can change it and submit it again."
    case "narrowed": {
      const left = scopes(app)
      return app.allowedScopes === null
        ? "Nothing is kept back any more: it can use every scope that it declares."
        : left.length === 0
          ? "An admin took all of its scopes away. Its tokens open nothing until that is lifted."
          : `An admin left it these scopes, for its live tokens too: ${left.join(", ")}.`
    }
    case "revoked":
      return "Its tokens stopped working at once, it can get no new ones, its rules are stopped, and its users are disconnected."
  }
}
