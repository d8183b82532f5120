// The e-mail that a user gets after an answer to a consent page has made, changed or ended a connection. Without this
// e-mail, the user would not notice when somebody else uses the account. The e-mail gives the number of shared places
// and not their names, because other people may read an e-mail. Decision consent-9.
import * as App from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import { exactLocationStopped, linkTo, paragraphs } from "../connection/DisconnectNotice.js"
import { DISCONNECT } from "../mail/Advice.js"
import type { MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import { Scope, Timestamp, Words } from "../shared/index.js"
import type { ConsentRequest, Mode } from "./ConsentRequest.js"

type Request = Pick<ConsentRequest, "id">

/** The `dedupeKey` of the mail. Because of this key, a form that is posted twice sends only one mail. */
const ofRequest = ({ id }: Request): string => `consent_receipt ${id}`

const SUBJECTS: Readonly<Record<Mode, (app: string) => string>> = {
  new: (app) => `You connected ${app}`,
  change: (app) => `You changed what ${app} can do`,
  renew_sensitive: (app) => `You let ${app} go on using your exact location`
}

interface Facts {
  /** The number of places that the app may ask about now. */
  readonly places: number
  readonly phoneHasSent: boolean
}

/** The receipt of an approval. */
export const approved = (
  request: Request,
  mode: Mode,
  app: App.App,
  connection: Connection,
  { phoneHasSent, places }: Facts,
  now: Timestamp.Timestamp
): MailMessage => {
  const { sensitiveExpiresAt, standardExpiresAt } = connection
  // Exact location ends together with the connection, if it has not ended earlier.
  const exactEnd = sensitiveExpiresAt === null ? null : Timestamp.earlier(sensitiveExpiresAt, standardExpiresAt)
  // A renewal keeps standard scopes that the app may not use now. The page did not show these scopes, so the mail does
  // not list them.
  const allowed = Scope.intersect(connection.heldScopes, App.scopes(app))
  return {
    to: connection.userId,
    dedupeKey: ofRequest(request),
    subject: SUBJECTS[mode](Words.oneLine(app.name)),
    naming: foldable,
    body: paragraphs([
      `On ${Words.moment(now)} you allowed the app "${app.name}" to:\n${allowed.map((scope) => `- ${Scope.describe[scope]}`).join("\n")}`,
      places === 0
        ? "It can ask about none of your places."
        : `It can ask about ${Words.count(places, "place")} of yours.`,
      [
        ...(exactEnd === null ? [] : [`Your exact location: until ${Words.moment(exactEnd)}.`]),
        standardExpiresAt === null
          ? "The connection has no end date. It goes on until you disconnect the app."
          : `The connection ends on ${Words.moment(standardExpiresAt)}.`
      ].join("\n"),
      ...(phoneHasSent ? [] : [NO_PHONE]),
      "You can read what the app asks, change what it can do and disconnect it at any time under Connected apps.",
      DISCONNECT
    ]),
    link: linkTo(connection)
  }
}

/**
 * The receipt for the button "Stop sharing". `ended`: the connection ended, because it had no other scope that the app
 * declares (`EffectiveScopes.hasOnlyExactLocation`).
 */
export const stopped = (
  request: Request,
  app: Pick<App.App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  ended: boolean,
  now: Timestamp.Timestamp
): MailMessage => exactLocationStopped(ofRequest(request), app, connection, ended, now)

const NO_PHONE =
  "No phone of yours has sent its location yet: until one does, the app does not learn where you are. It can read history that you imported, as far as you allowed it. Set a phone up on the page Devices."
