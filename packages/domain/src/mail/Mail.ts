import { Effect } from "effect"
import type { Email } from "../accounts/Account.js"
import { readable } from "../languages/Translation.js"
import {
  type Language,
  type TimeZone,
  type Timestamp,
  type UserId,
  type Vault,
  type VaultError,
  type VaultPort,
  Words
} from "../shared/index.js"

/** A link in a message. */
export interface Link {
  /** The site of the link: the user's portal, or the service. */
  readonly site: "portal" | "service"
  /** The path of the page on its site, with a slash at the beginning. */
  readonly path: string
  /** The name of the page, such as `The connection`. */
  readonly label: string
}

/**
 * How a message with an app's name is handled when its reader has got the maximum number of messages with an app's name
 * (`NamedMail`).
 */
export type Naming =
  /**
   * Beyond `NamedMail.LIMIT` messages, the message is not written. Instead, one folded message is written. It names no
   * app, and stands for this message and all foldable messages of the next hour.
   */
  | { readonly _tag: "Foldable" }
  /**
   * A notice that the reader chose. Beyond `NamedMail.NOTICES` messages the notice is not written, and no folded
   * message stands for it: the next hourly sweep writes the notice again, if it is still due.
   */
  | { readonly _tag: "Notice" }
  /**
   * The message is always written. Beyond `NamedMail.LIMIT`, it gets this subject and, if given, this text (`body`),
   * which name no app. `body` is left out only for messages that no developer can cause often.
   */
  | { readonly _tag: "Always"; readonly subject: string; readonly body?: string }
  /**
   * Beyond `NamedMail.LIMIT`, a message about a leaked token or code is written at most once an hour, with this subject
   * and text, which do not name the app. The page behind the message's link names the app.
   */
  | { readonly _tag: "Leak"; readonly subject: string; readonly body: string }

/**
 * A message to a user of the service. When the message reports a change, the message and the change are committed in
 * one transaction. Workers send the message later.
 */
export interface MailMessage {
  readonly to: UserId
  /** The outbox stores no second message with this key for the same user. */
  readonly dedupeKey: string
  /** One line of text. */
  readonly subject: string
  /** Plain text, without credentials and coordinates. */
  readonly body: string
  readonly link?: Link
  /** Further links, which the text lists after `link`. */
  readonly furtherLinks?: ReadonlyArray<Link>
  /**
   * The address to send the message to. Left out: the address of the account `to`. The outbox removes this field after
   * the message was sent or given up.
   */
  readonly address?: Email
  /**
   * The last part of the link's path, encrypted with the context `secretContext`, because anybody who has the whole
   * link can act for the reader. The outbox removes this field after the message was sent or given up.
   */
  readonly secret?: Vault.Sealed
  /**
   * Present when the message contains an app's name or invites into a team, because the number of these messages is
   * limited (`NamedMail`). The outbox does not store this field.
   */
  readonly naming?: Naming
}

/** A message in the outbox. */
export interface KeptMail {
  readonly message: MailMessage
  readonly createdAt: Timestamp.Timestamp
  /** The number of attempts that were begun. */
  readonly attempts: number
  readonly sentAt: Timestamp.Timestamp | null
  /** When the worker gave the message up, for the reason in `lastError`; null when the worker has not given it up. */
  readonly givenUpAt: Timestamp.Timestamp | null
  /**
   * Why the last failed attempt failed; a later successful attempt does not remove this text. Null: no attempt failed.
   */
  readonly lastError: string | null
}

/** The absolute addresses of the two sites of links (`Link.site`), without a slash at the end. */
export interface MailLinks {
  /** `{user_portal_url}` of the specification. */
  readonly portal: string
  /** `{base_url}` of the specification. */
  readonly service: string
}

/** The encryption context of a message's secret, so that the secret cannot be moved into another message. */
export const secretContext = ({ dedupeKey, to }: Pick<MailMessage, "dedupeKey" | "to">): string =>
  `mail ${to} ${dedupeKey}`

/** The last part of the link's path, decrypted; "" for a message without a secret. */
export const secretOf = (
  vault: Pick<VaultPort["Type"], "unseal">,
  message: MailMessage
): Effect.Effect<string, VaultError> =>
  message.secret === undefined ? Effect.succeed("") : vault.unseal(message.secret, secretContext(message))

/**
 * The message in its reader's language and time zone, for sending. `zone` is null when the reader's time zone is not
 * known. Messages are stored in English and UTC, because the code that writes them knows neither language nor zone of
 * the reader (decisions accounts-19 and accounts-20). Only two mails are stored in their reader's language, because no
 * account exists when they are sent: the mail about the deletion of an account, which is also in the reader's zone
 * (decision deletions-6), and the mail with the link of a sign-up.
 */
export const forReader = (
  message: MailMessage,
  language: Language.Language,
  zone: TimeZone.TimeZone | null
): MailMessage => {
  const inLanguage = (link: Link): Link => ({ ...link, label: readable(link.label, language) })
  const { body, furtherLinks, link, subject } = message
  return {
    ...message,
    subject: readable(subject, language),
    body: Words.inZone(readable(body, language), zone, language),
    ...(link === undefined ? {} : { link: inLanguage(link) }),
    ...(furtherLinks === undefined ? {} : { furtherLinks: furtherLinks.map(inLanguage) })
  }
}

/**
 * The text to send, with absolute addresses in place of the message's paths. `secret` is the last part of the link's
 * path, decrypted.
 */
export const text = ({ body, furtherLinks = [], link }: MailMessage, addresses: MailLinks, secret = ""): string =>
  [
    body,
    ...[...(link === undefined ? [] : [{ ...link, path: link.path + secret }]), ...furtherLinks].map(
      ({ label, path, site }) => `${label}:\n${addresses[site]}${path}`
    )
  ].join("\n\n")
