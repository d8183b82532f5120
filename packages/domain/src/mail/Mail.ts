import { Effect } from "effect"
import type { Email } from "../accounts/Account.js"
import { translate } from "../languages/Translation.js"
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
  /** Begins with a slash. */
  readonly path: string
  /** The name of the page, such as `The connection`. */
  readonly label: string
}

/** What happens to a message that names an app, when its reader has reached the limit of `NamedMail`. */
export type Naming =
  /** The message is not written. One folded message, which names no app, replaces all such messages (`NamedMail`). */
  | { readonly _tag: "Foldable" }
  /** The message is always written. Beyond the limit it has this subject, which names no app. */
  | { readonly _tag: "Always"; readonly subject: string }
  /**
   * Beyond the limit, the message is written at most once an hour, with this text, which does not name the app. The
   * page of the link names the app.
   */
  | { readonly _tag: "Leak"; readonly subject: string; readonly body: string }

/** A message to one of our users. It is committed with the change that it reports, and sent later. */
export interface MailMessage {
  readonly to: UserId
  /** The outbox stores no second message with this key for the same user. */
  readonly dedupeKey: string
  /** One line of text. */
  readonly subject: string
  /** Plain text, without credentials and coordinates. */
  readonly body: string
  readonly link?: Link
  /** Links that the text lists after `link`. */
  readonly furtherLinks?: ReadonlyArray<Link>
  /**
   * Where to send the message. Left out: to the account's address. The outbox removes `address` when the message was
   * sent or given up.
   */
  readonly address?: Email
  /**
   * The end of the link's path, encrypted with `secretContext`: anybody who has the whole link can act for the reader.
   * The outbox removes the secret when the message was sent or given up.
   */
  readonly secret?: Vault.Sealed
  /**
   * Present when the message has an app's name, because the number of messages with an app's name is limited
   * (`NamedMail`). The outbox does not store this field.
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
  /** Since when no more attempts are made; `lastError` says why. Null: not given up. */
  readonly givenUpAt: Timestamp.Timestamp | null
  /** Why the last failed attempt failed. It stays after a later success. */
  readonly lastError: string | null
}

/** The absolute addresses of the two sites, without a slash at the end. */
export interface MailLinks {
  /** `{user_portal_url}` of the specification. */
  readonly portal: string
  /** `{base_url}` of the specification. */
  readonly service: string
}

/** The encryption context of a message's secret, so that the secret cannot be moved into another message. */
export const secretContext = ({ dedupeKey, to }: Pick<MailMessage, "dedupeKey" | "to">): string =>
  `mail ${to} ${dedupeKey}`

/** The decrypted end of the link's path; "" for a message without a secret. */
export const secretOf = (
  vault: Pick<VaultPort["Type"], "unseal">,
  message: MailMessage
): Effect.Effect<string, VaultError> =>
  message.secret === undefined ? Effect.succeed("") : vault.unseal(message.secret, secretContext(message))

/**
 * The message in its reader's language and time zone, for sending. Messages are stored in English and UTC, because the
 * code that writes them knows neither the language nor the zone (decisions accounts-19 and accounts-20). `zone` null:
 * not known.
 */
export const forReader = (
  message: MailMessage,
  language: Language.Language,
  zone: TimeZone.TimeZone | null
): MailMessage => {
  const inLanguage = (link: Link): Link => ({ ...link, label: translate(link.label, language) })
  const { body, furtherLinks, link, subject } = message
  return {
    ...message,
    subject: translate(subject, language),
    body: Words.inZone(translate(body, language), zone, language),
    ...(link === undefined ? {} : { link: inLanguage(link) }),
    ...(furtherLinks === undefined ? {} : { furtherLinks: furtherLinks.map(inLanguage) })
  }
}

/**
 * The text to send, with absolute addresses in place of the message's paths. `secret` is the decrypted end of the
 * link's path.
 */
export const text = ({ body, furtherLinks = [], link }: MailMessage, addresses: MailLinks, secret = ""): string =>
  [
    body,
    ...[...(link === undefined ? [] : [{ ...link, path: link.path + secret }]), ...furtherLinks].map(
      ({ label, path, site }) => `${label}:\n${addresses[site]}${path}`
    )
  ].join("\n\n")
