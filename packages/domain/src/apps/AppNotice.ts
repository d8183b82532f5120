import type { MailMessage } from "../mail/Mail.js"
import { type Kind, mailKey, type ReviewDecision } from "../reviews/ReviewDecision.js"
import { type App, scopes } from "./App.js"

/** What the developer is told of a decision; `app` as it is after it. */
export const message = (app: App, decision: ReviewDecision): MailMessage => ({
  to: app.ownerId,
  dedupeKey: mailKey(decision),
  subject: `${app.name} ${SUBJECT[decision.kind]}`,
  body: [
    `Your app "${app.name}" ${SUBJECT[decision.kind]}.`,
    ...(decision.note === null ? [] : [`What was written with it:\n${decision.note}`]),
    consequence(app, decision.kind)
  ].join("\n\n"),
  link: { site: "service", path: `/developer/apps/${app.id}`, label: "Your app" }
})

const SUBJECT: Readonly<Record<Kind, string>> = {
  approved: "is in production",
  rejected: "was not approved for production",
  narrowed: "may ask for other scopes now",
  revoked: "was revoked"
}

const consequence = (app: App, kind: Kind): string => {
  switch (kind) {
    case "approved":
      return "Everybody can connect it from now on. Calls for coordinates need an approved purpose."
    case "rejected":
      return "It stays in the sandbox, where you can connect it yourself. You can change it and submit it again."
    case "narrowed": {
      const left = scopes(app)
      return app.allowedScopes === null
        ? "Nothing is kept back any more: it may use every scope that it declares."
        : left.length === 0
          ? "An admin took all of its scopes away. Its tokens open nothing until that is lifted."
          : `An admin left it these scopes, for its live tokens too: ${left.join(", ")}.`
    }
    case "revoked":
      return "Its tokens and client secrets stopped working at once, its rules are stopped, and its users are disconnected."
  }
}
