import type { App } from "../apps/App.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"
import type { Connection } from "./Connection.js"

/** The e-mail about a disconnected app. The user notices by this e-mail if somebody else used the account. */
export const message = (
  app: Pick<App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  now: Timestamp
): MailMessage => ({
  to: connection.userId,
  dedupeKey: `disconnected ${connection.id}`,
  subject: `You disconnected ${Words.oneLine(app.name)}`,
  naming: foldable,
  body: paragraphs([
    `On ${Words.moment(now)} you disconnected the app "${app.name}".`,
    "It can ask nothing more about you, and nothing more is sent to it. What it learned before, it keeps. What it asked stays in your access log.",
    "To use it with your places again, connect it from the app."
  ]),
  link: linkTo(connection)
})

/**
 * The e-mail about the end of exact location. `ended`: the connection had no other scope that the app declares, so it
 * ended (`EffectiveScopes.hasOnlyExactLocation`).
 */
export const exactLocationStopped = (
  dedupeKey: string,
  app: Pick<App, "name">,
  connection: Pick<Connection, "id" | "userId">,
  ended: boolean,
  now: Timestamp
): MailMessage => ({
  to: connection.userId,
  dedupeKey,
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

/** The body of an e-mail, with a blank line between paragraphs. */
export const paragraphs = (list: ReadonlyArray<string>): string => list.join("\n\n")

/** The link in a user's e-mail about a connection. */
export const linkTo = ({ id }: Pick<Connection, "id">): Link => ({
  site: "portal",
  path: `/connections/${id}`,
  label: "The connection"
})
