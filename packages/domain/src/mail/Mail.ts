import type { Email } from "../accounts/Account.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { UserId } from "../shared/Ids.js"

/** Where a message leads. */
export interface Link {
  /** Below the user's portal, or below the service's own address. */
  readonly site: "portal" | "service"
  /** Begins with a slash. */
  readonly path: string
  /** What is found there, such as `The connection`. */
  readonly label: string
}

/** What becomes of a message that names an app when its reader had the limit already (`NamedMail`). */
export type Naming =
  /** It is not written: the folded message stands for it. */
  | { readonly _tag: "Foldable" }
  /** It is always sent; beyond the limit under this subject, which names no app. */
  | { readonly _tag: "Always"; readonly subject: string }
  /** Beyond the limit it is written at most once an hour, in these words, which name no app; its link shows which app it is. */
  | { readonly _tag: "Leak"; readonly subject: string; readonly body: string }

/** A message to one of our users, written together with what it reports and sent later. */
export interface MailMessage {
  readonly to: UserId
  /** At most one message per user and key is ever sent. */
  readonly dedupeKey: string
  /** One line. */
  readonly subject: string
  /** Plain text. Never a credential, never a coordinate. */
  readonly body: string
  readonly link?: Link
  /** Where it leads besides. */
  readonly furtherLinks?: ReadonlyArray<Link>
  /** Left out: the account's own. Forgotten when the message is sent or given up. */
  readonly address?: Email
  /** Given when it holds an app's name: such messages are limited. The outbox does not keep it. */
  readonly naming?: Naming
}

/** A message as the outbox keeps it. */
export interface Kept {
  readonly message: MailMessage
  readonly createdAt: Timestamp
  /** How often somebody set out to send it. */
  readonly attempts: number
  readonly sentAt: Timestamp | null
  /** It will not be sent any more; `lastError` says why. */
  readonly givenUpAt: Timestamp | null
  /** Why the last attempt came to nothing; kept when a later one did not. */
  readonly lastError: string | null
}

/** Absolute, without a trailing slash. */
export interface Addresses {
  /** `{user_portal_url}` of the specification. */
  readonly portal: string
  /** `{base_url}` of the specification. */
  readonly service: string
}

/** The text that is sent: a message does not know where the pages are, whoever sends it does. */
export const text = ({ body, furtherLinks = [], link }: MailMessage, addresses: Addresses): string =>
  [
    body,
    ...[...(link === undefined ? [] : [link]), ...furtherLinks].map(
      ({ label, path, site }) => `${label}:\n${addresses[site]}${path}`
    )
  ].join("\n\n")
