// The subjects of rates: which calls are counted together. Decisions limits-2 and limits-3.
import { Option, Schema } from "effect"
import type { IdempotencySubject } from "../idempotency/Idempotency.js"
import { brand } from "../shared/Errors.js"
import type { AppId, ConnectionId, DeviceId, UserId } from "../shared/Ids.js"
import type { Hash } from "../shared/Vault.js"
import { network } from "./Network.js"

/** The name of calls that are counted together: the kind, a space, and the caller's id, network or mailbox. */
export const LimitSubject = Schema.String.pipe(brand("Subject"))
export type LimitSubject = typeof LimitSubject.Type

/** The kinds of subjects: the first word of each subject. The metric of refused calls counts by kind. */
export const KINDS = [
  "connection",
  "device",
  "client",
  "sign-up",
  "consent",
  "consents-of",
  "made-by",
  "tests-of",
  "webhooks-of",
  "trips-of",
  "keyed",
  "invited-by",
  "named-by",
  "dead",
  "reset",
  "mailbox",
  "challenge"
] as const
export type LimitSubjectKind = (typeof KINDS)[number]

/** The kind of a subject: its first word. A subject that begins with an unknown word counts as `client`. */
export const kindOf = (subject: LimitSubject): LimitSubjectKind =>
  KINDS.find((kind) => subject.startsWith(`${kind} `)) ?? "client"

const make = (kind: LimitSubjectKind, name: string): LimitSubject => LimitSubject.make(`${kind} ${name}`)

/** Requests of an app about one user. */
export const connection = (id: ConnectionId): LimitSubject => make("connection", id)

/** Uploads of one phone. */
export const device = (id: DeviceId): LimitSubject => make("device", id)

/**
 * The app that a caller at one address claims to be, before its secret is checked. The subject contains the address, so
 * that somebody who guesses secrets at another address cannot lock the app out. `id` is None when there is no app with
 * the claimed id. All unknown ids at one address count together, so inventing ids does not help.
 */
export const client = (id: Option.Option<AppId>, address: string): LimitSubject =>
  make("client", `${Option.getOrElse(id, () => "?")} ${network(address)}`)

/** New accounts from one network. */
export const signUp = (address: string): LimitSubject => make("sign-up", network(address))

/** Consent pages opened from one network. */
export const consent = (address: string): LimitSubject => make("consent", network(address))

/** Consent pages opened by an account. */
export const consentsOf = (id: UserId): LimitSubject => make("consents-of", id)

/** New places, devices, apps, purposes and test people of an account. */
export const madeBy = (id: UserId): LimitSubject => make("made-by", id)

/** Test webhooks of an account. */
export const testsOf = (id: UserId): LimitSubject => make("tests-of", id)

/** Addresses of webhook endpoints that an account sets. */
export const webhooksOf = (id: UserId): LimitSubject => make("webhooks-of", id)

/** Invitations into the teams of apps, by an account. */
export const invitedBy = (id: UserId): LimitSubject => make("invited-by", id)

/** Changes of an account's name, by its owner. */
export const namedBy = (id: UserId): LimitSubject => make("named-by", id)

/** Simulated trips of the test people of an account's apps. */
export const tripsOf = (id: UserId): LimitSubject => make("trips-of", id)

/** Requests with an `Idempotency-Key`, by the owner of the keys. */
export const keyed = (owner: IdempotencySubject): LimitSubject => make("keyed", owner)

/** Calls of one route with a token of the connection that has stopped working. */
export const dead = (id: ConnectionId, endpoint: string): LimitSubject => make("dead", `${id} ${endpoint}`)

/** Forms for a new password that were sent from one network. */
export const reset = (address: string): LimitSubject => make("reset", network(address))

/**
 * Links that are mailed to one mailbox. `email` is a digest, so that the store gets no e-mail address. Links are
 * counted whether or not an account has the address.
 */
export const mailbox = (email: Hash): LimitSubject => make("mailbox", email)

/**
 * Links of one kind that are mailed to one mailbox. When a stranger uses up the links of one kind, the owner can still
 * get links of the other kinds.
 */
export const mailboxFor = (purpose: string, email: Hash): LimitSubject => make("mailbox", `${purpose} ${email}`)

/**
 * The sign-up mails to one mailbox. With `address`: only those that a caller from the network of this address
 * requested. Without `address`: those that callers from all networks requested.
 */
export const signUpMail = (email: Hash, address?: string): LimitSubject =>
  mailboxFor(address === undefined ? "sign-up" : `sign-up ${network(address)}`, email)

/** The links that confirm the present address of an account. */
export const confirmationLink = (email: Hash, id: UserId): LimitSubject => mailboxFor(`confirm ${id}`, email)

/**
 * The links that change an account's address to the address of one mailbox. With `id`: only the links that this account
 * requested. Without `id`: the links that all accounts requested.
 */
export const addressLink = (email: Hash, id?: UserId): LimitSubject =>
  mailboxFor(id === undefined ? "address" : `change ${id}`, email)

/** Sign-in pages that ask for a passkey, opened from one network. */
export const challenge = (address: string): LimitSubject => make("challenge", network(address))
