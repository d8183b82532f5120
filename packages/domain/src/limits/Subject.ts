// The subjects of rates: which calls are counted together. Decisions limits-2 and limits-3.
import { type Brand, Option } from "effect"
import type { IdempotencySubject } from "../idempotency/Idempotency.js"
import type { AppId, ConnectionId, DeviceId, UserId } from "../shared/Ids.js"
import type { Hash } from "../shared/Vault.js"
import { network } from "./Network.js"

/** The kinds of subjects: the first word of each subject. The metric of refused calls counts by kind. */
export const KINDS = [
  "connection",
  "device",
  "client",
  "sign-up",
  "sign-in",
  "consent",
  "consents-of",
  "made-by",
  "tests-of",
  "redeliveries-of",
  "secrets-of",
  "webhooks-of",
  "trips-of",
  "keyed",
  "invited-by",
  "handed-over-by",
  "named-by",
  "dead",
  "reset",
  "mailbox",
  "challenge"
] as const
export type LimitSubjectKind = (typeof KINDS)[number]

/** The name of calls that are counted together: the kind, a space, and for example the caller's id or network. */
export type LimitSubject = `${LimitSubjectKind} ${string}` & Brand.Brand<"Subject">

/** The kind of a subject: its first word. */
export const kindOf = (subject: LimitSubject): LimitSubjectKind =>
  subject.slice(0, subject.indexOf(" ")) as LimitSubjectKind

const make = (kind: LimitSubjectKind, name: string): LimitSubject => `${kind} ${name}` as LimitSubject

/** The subject for requests of an app about one user. */
export const connection = (id: ConnectionId): LimitSubject => make("connection", id)

/** The subject for uploads of one phone. */
export const device = (id: DeviceId): LimitSubject => make("device", id)

/**
 * The subject for calls from one network address that name an app, before the app's secret is checked. The subject
 * contains the address, so that somebody who guesses secrets at another address cannot lock the app out. `id` is None
 * when there is no app with the claimed id. All unknown ids at one address count together, so a caller gains nothing by
 * inventing ids.
 */
export const client = (id: Option.Option<AppId>, address: string): LimitSubject =>
  make("client", `${Option.getOrElse(id, () => "?")} ${network(address)}`)

/** The subject for new accounts from one network. */
export const signUp = (address: string): LimitSubject => make("sign-up", network(address))

/**
 * The subject for attempts to sign in from one network, or at one e-mail address. `name` is the network or a digest of
 * the address, so that the store gets no e-mail address.
 */
export const signIn = (name: string): LimitSubject => make("sign-in", name)

/** The subject for consent pages that are opened from one network. */
export const consent = (address: string): LimitSubject => make("consent", network(address))

/** The subject for consent pages that an account opens. */
export const consentsOf = (id: UserId): LimitSubject => make("consents-of", id)

/** The subject for new places, devices, apps, purposes and test people of an account. */
export const madeBy = (id: UserId): LimitSubject => make("made-by", id)

/** The subject for test webhooks of an account. */
export const testsOf = (id: UserId): LimitSubject => make("tests-of", id)

/** The subject for webhooks that an account redelivers. */
export const redeliveriesOf = (id: UserId): LimitSubject => make("redeliveries-of", id)

/** The subject for new client secrets and new signing secrets that an account makes. */
export const secretsOf = (id: UserId): LimitSubject => make("secrets-of", id)

/** The subject for addresses of webhook endpoints that an account sets. */
export const webhooksOf = (id: UserId): LimitSubject => make("webhooks-of", id)

/** The subject for invitations into teams that an account makes. */
export const invitedBy = (id: UserId): LimitSubject => make("invited-by", id)

/** The subject for hand-overs of apps by one holder. */
export const handedOverBy = (id: UserId): LimitSubject => make("handed-over-by", id)

/** The subject for changes of an account's name by its owner. */
export const namedBy = (id: UserId): LimitSubject => make("named-by", id)

/**
 * The subject for simulated trips of test people. `id` is the holder of the test people's app, whether a developer on a
 * page or the app with the API starts the trip.
 */
export const tripsOf = (id: UserId): LimitSubject => make("trips-of", id)

/** The subject for requests with an `Idempotency-Key`. `owner` is the owner of the keys. */
export const keyed = (owner: IdempotencySubject): LimitSubject => make("keyed", owner)

/** The subject for calls of one route with tokens of the connection that have stopped working. */
export const dead = (id: ConnectionId, endpoint: string): LimitSubject => make("dead", `${id} ${endpoint}`)

/** The subject for requests from one network that order or use a mailed link (`Rate.RESETS`). */
export const reset = (address: string): LimitSubject => make("reset", network(address))

/**
 * The subject for links for a new password that are mailed to one mailbox. `email` is a digest, so that the store gets
 * no e-mail address. Links are counted whether or not an account has the address.
 */
export const mailbox = (email: Hash): LimitSubject => make("mailbox", email)

/**
 * The subject for links of one kind (`purpose`) that are mailed to one mailbox. When a stranger uses up the links of
 * one kind, the owner can still get links of the other kinds.
 */
export const mailboxFor = (purpose: string, email: Hash): LimitSubject => make("mailbox", `${purpose} ${email}`)

/**
 * The subject for sign-up mails to one mailbox. With `address`: only mails that a caller from the network of this
 * address requested. Without `address`: mails that callers from all networks requested.
 */
export const signUpMail = (email: Hash, address?: string): LimitSubject =>
  mailboxFor(address === undefined ? "sign-up" : `sign-up ${network(address)}`, email)

/** The subject for links that confirm the present e-mail address of an account. */
export const confirmationLink = (email: Hash, id: UserId): LimitSubject => mailboxFor(`confirm ${id}`, email)

/**
 * The subject for links that change an account's address to the address of one mailbox. With `id`: only links that this
 * account requested. Without `id`: links that all accounts requested.
 */
export const addressLink = (email: Hash, id?: UserId): LimitSubject =>
  mailboxFor(id === undefined ? "address" : `change ${id}`, email)

/** The subject for mails about invitations to one mailbox. */
export const invitationMail = (email: Hash): LimitSubject => mailboxFor("invitation", email)

/** The subject for sign-in pages that ask for a passkey, opened from one network. */
export const challenge = (address: string): LimitSubject => make("challenge", network(address))
