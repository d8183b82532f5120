import type { App } from "../apps/App.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"
import type { Connection } from "./Connection.js"
import type { ConsentRequest, Mode } from "./ConsentRequest.js"

/**
 * What users are told by e-mail of what was done in their name: whoever got at an account cannot do it quietly. Places are
 * counted, not named: their names say more than an e-mail should.
 */

type Request = Pick<ConsentRequest, "id">

/** One per request, so one for a form that is posted twice. */
const ofRequest = ({ id }: Request): string => `consent_receipt ${id}`

const SUBJECTS: Readonly<Record<Mode, (app: string) => string>> = {
  new: (app) => `You connected ${app}`,
  change: (app) => `You changed what ${app} may do`,
  renew_sensitive: (app) => `You let ${app} go on using your exact location`
}

/** Of an approval, with the connection as it is from then on. `places`: how many the app may ask about. */
export const approved = (
  request: Request,
  mode: Mode,
  app: Pick<App, "name">,
  connection: Connection,
  places: number,
  now: Timestamp
): MailMessage => {
  const { heldScopes, sensitiveExpiresAt, standardExpiresAt } = connection
  return {
    to: connection.userId,
    dedupeKey: ofRequest(request),
    subject: SUBJECTS[mode](Words.oneLine(app.name)),
    naming: foldable,
    body: body([
      `On ${Words.moment(now)} you allowed the app "${app.name}" to:\n${heldScopes.map((scope) => `- ${Scope.describe[scope]}`).join("\n")}`,
      places === 0
        ? "It may ask about none of your places."
        : `It may ask about ${Words.count(places, "place")} of yours.`,
      [
        ...(sensitiveExpiresAt === null ? [] : [`Your exact location: until ${Words.moment(sensitiveExpiresAt)}.`]),
        standardExpiresAt === null
          ? "The connection has no end date. It goes on until you disconnect the app."
          : `The connection ends on ${Words.moment(standardExpiresAt)}.`
      ].join("\n"),
      "You can read what the app asks, change what it may do and disconnect it at any time under Connected apps.",
      NOT_YOU
    ]),
    link: toConnection(connection)
  }
}

/** Of "Stop sharing" on a renewal page. `ended`: nothing but the exact location had been shared. */
export const stopped = (
  request: Request,
  app: Pick<App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  ended: boolean,
  now: Timestamp
): MailMessage => ({
  to: connection.userId,
  dedupeKey: ofRequest(request),
  subject: `You stopped sharing your exact location with ${Words.oneLine(app.name)}`,
  naming: foldable,
  body: body([
    `On ${Words.moment(now)} you stopped sharing your exact location with the app "${app.name}".`,
    ended
      ? "Nothing else was shared with it, so it was disconnected."
      : "The rest of the connection goes on. You can end it under Connected apps.",
    "What the app learned before, it keeps. What it asked stays in your access log."
  ]),
  link: toConnection(connection)
})

/** Of a disconnection by the user. */
export const disconnected = (
  app: Pick<App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  now: Timestamp
): MailMessage => ({
  to: connection.userId,
  dedupeKey: `disconnected ${connection.id}`,
  subject: `You disconnected ${Words.oneLine(app.name)}`,
  naming: foldable,
  body: body([
    `On ${Words.moment(now)} you disconnected the app "${app.name}".`,
    "It can ask nothing more about you, and nothing more is sent to it. What it learned before, it keeps. What it asked stays in your access log.",
    "To use it with your places again, connect it from the app."
  ]),
  link: toConnection(connection)
})

const NOT_YOU =
  "If this was not you, somebody else can use your account: disconnect the app, and tell those who run this service."

const body = (paragraphs: ReadonlyArray<string>): string => paragraphs.join("\n\n")

const toConnection = ({ id }: Pick<Connection, "id">): Link => ({
  site: "portal",
  path: `/connections/${id}`,
  label: "The connection"
})
