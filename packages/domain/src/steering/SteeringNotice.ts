import * as App from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import { linkTo, paragraphs } from "../connection/DisconnectNotice.js"
import type { MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import { Scope, type Timestamp, Words } from "../shared/index.js"

/**
 * E-mails about a change that the user made without the app asking. With them, a stranger who uses the account cannot
 * make such a change unnoticed (decision connection-8). A pause has no mail: it discloses less, and its end restores
 * what was agreed.
 */

/**
 * The receipt of changed permissions or dates; `after` is the connection from now on. A granted scope that the app no
 * longer declares allows nothing, so the receipt leaves it out.
 */
export const changed = (
  app: Pick<App.App, "name" | "declaredScopes" | "allowedScopes">,
  after: Connection,
  now: Timestamp.Timestamp
): MailMessage => ({
  to: after.userId,
  dedupeKey: `steered ${after.id} ${now}`,
  subject: `You changed what ${Words.oneLine(app.name)} can do`,
  naming: foldable,
  body: paragraphs([
    `On ${Words.moment(now)} you changed the connection with the app "${app.name}". It can now:\n${Scope.intersect(
      after.heldScopes,
      App.scopes(app)
    )
      .map((scope) => `- ${Scope.describe[scope]}`)
      .join("\n")}`,
    [
      ...(after.sensitiveExpiresAt === null
        ? []
        : [`Your exact location: until ${Words.moment(after.sensitiveExpiresAt)}.`]),
      after.standardExpiresAt === null
        ? "The connection has no end date. It goes on until you disconnect the app."
        : `The connection ends on ${Words.moment(after.standardExpiresAt)}.`
    ].join("\n"),
    "If this was not you, somebody else can use your account: disconnect the app, and tell those who run this service."
  ]),
  link: linkTo(after)
})

/** The receipt of "End exact location now". `ended`: the app had no other scope, so the connection ended. */
export const exactLocationEnded = (
  app: Pick<App.App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  ended: boolean,
  now: Timestamp.Timestamp
): MailMessage => ({
  to: connection.userId,
  dedupeKey: `exact_location_ended ${connection.id} ${now}`,
  subject: `You stopped sharing your exact location with ${Words.oneLine(app.name)}`,
  naming: foldable,
  body: paragraphs([
    `On ${Words.moment(now)} you stopped sharing your exact location with the app "${app.name}".`,
    ended
      ? "Nothing else was shared with it, so it was disconnected."
      : "The rest of the connection goes on. You can end it under Connected apps.",
    "What the app learned before, it keeps. What it asked stays in your access log."
  ]),
  link: linkTo(connection)
})
