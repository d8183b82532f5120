import * as App from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import { exactLocationStopped, linkTo, paragraphs } from "../connection/DisconnectNotice.js"
import { DISCONNECT } from "../mail/Advice.js"
import type { MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import { Scope, Timestamp, Words } from "../shared/index.js"
import * as Tier from "../tiers/Tier.js"

/**
 * E-mails to the user about a change of a connection that the user made without a request of the app. If a stranger
 * uses the account and made the change, the user learns it from the mail (decision connection-8). A pause has no mail:
 * it discloses less, and its end restores only what the user agreed to.
 */

/**
 * The receipt of changed permissions or dates; `after` is the connection after the change. The receipt leaves out
 * granted scopes that allow nothing: scopes that the app no longer declares or that an admin took away, and sensitive
 * scopes in their grace period.
 */
export const changed = (
  app: Pick<App.App, "name" | "declaredScopes" | "allowedScopes">,
  after: Connection,
  now: Timestamp.Timestamp
): MailMessage => {
  const { sensitiveExpiresAt, standardExpiresAt } = after
  const isLapsed = Tier.sensitiveState(after, now) === "lapsed"
  const declared = Scope.intersect(after.heldScopes, App.scopes(app))
  const scopes = declared.filter((scope) => !isLapsed || !Scope.isSensitive(scope))
  // Without a sensitive scope that the app declares, the app has no exact location, even if the end date is in the
  // future.
  const isExact = declared.some(Scope.isSensitive)
  return {
    to: after.userId,
    dedupeKey: `steered ${after.id} ${now}`,
    subject: `You changed what ${Words.oneLine(app.name)} can do`,
    naming: foldable,
    body: paragraphs([
      `On ${Words.moment(now)} you changed the connection with the app "${app.name}". ${
        scopes.length === 0
          ? "At the moment it can use nothing."
          : `It can now:\n${scopes.map((scope) => `- ${Scope.describe[scope]}`).join("\n")}`
      }`,
      [
        ...(sensitiveExpiresAt === null || !isExact
          ? []
          : [exactLocation(sensitiveExpiresAt, standardExpiresAt, isLapsed)]),
        standardExpiresAt === null
          ? "The connection has no end date. It goes on until you disconnect the app."
          : `The connection ends on ${Words.moment(standardExpiresAt)}.`
      ].join("\n"),
      DISCONNECT
    ]),
    link: linkTo(after)
  }
}

/** `end`: the end of the connection; exact location and its grace period never last longer than the connection. */
const exactLocation = (at: Timestamp.Timestamp, end: Timestamp.Timestamp | null, isLapsed: boolean): string =>
  isLapsed
    ? `Your exact location: not since ${Words.moment(at)}. You can give it back until ${Words.moment(Timestamp.earlier(Tier.graceEndsAt(at), end))}.`
    : `Your exact location: until ${Words.moment(Timestamp.earlier(at, end))}.`

/**
 * The mail after `Steering.endExactLocation`. `ended`: the connection had no other scope that the app declares, so the
 * connection ended (`EffectiveScopes.hasOnlyExactLocation`).
 */
export const exactLocationEnded = (
  app: Pick<App.App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  ended: boolean,
  now: Timestamp.Timestamp
): MailMessage => exactLocationStopped(`exact_location_ended ${connection.id} ${now}`, app, connection, ended, now)
