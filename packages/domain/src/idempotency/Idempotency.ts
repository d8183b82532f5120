import { Option, Schema } from "effect"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"
import type { Hash, Sealed } from "../shared/Vault.js"

/**
 * Requests that can be repeated. A client gives a request a key of its own. When it does not learn the answer, it sends the same request
 * with the same key again: what was made the first time is not made again, and the first answer comes once more.
 */

/** How long an answer is kept. Afterwards the same key begins a new request. */
export const KEPT_FOR = DAY

/** A text of the client's choice: 1 to 255 visible ASCII characters. A random UUID will do. */
export const Key = Schema.String.pipe(Schema.pattern(/^[!-~]{1,255}$/), Schema.brand("IdempotencyKey"))
export type Key = typeof Key.Type

/** Whose keys they are: two subjects may use the same key and never see each other's answers. */
export const Subject = Schema.String.pipe(Schema.brand("IdempotencySubject"))
export type Subject = typeof Subject.Type

/** What an app asks about one user. */
export const connection = (id: ConnectionId): Subject => Subject.make(`connection ${id}`)

/** What a signed-in person asks, in whichever session. */
export const account = (id: UserId): Subject => Subject.make(`account ${id}`)

/** Where an answer is kept. `keyHash`: a client may put anything into a key, so the key itself is not stored. */
export interface Place {
  /** Whose row it is: it goes with the account. */
  readonly userId: UserId
  readonly subject: Subject
  readonly keyHash: Hash
}

/** An answer as it was given. */
export const Answer = Schema.Struct({
  status: Schema.Int,
  contentType: Schema.NullOr(Schema.String),
  body: Schema.String,
  /** What the answer disclosed, as the user's access log says it; its repetition discloses the same. */
  disclosed: Schema.NullOr(Schema.String)
})
export type Answer = typeof Answer.Type

/** What is stored of an answer. It may hold a secret that is shown once, so all of it is sealed. */
export interface Kept {
  /** Of the request that was answered. */
  readonly fingerprint: Hash
  readonly sealed: Sealed
  readonly createdAt: Timestamp
}

/** What a sealed answer is bound to: moved to another row it does not unseal. */
export const sealContext = ({ keyHash, subject, userId }: Place): string =>
  `idempotent-answer ${userId} ${subject} ${keyHash}`

export type Decision =
  /** Nothing is kept under the key, or nothing any more. */
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Replay"; readonly sealed: Sealed }
  /** The key was used for another request. */
  | { readonly _tag: "Reused" }

/** What becomes of a request under a key. */
export const decide = (kept: Option.Option<Kept>, fingerprint: Hash, now: Timestamp): Decision => {
  if (Option.isNone(kept) || now >= kept.value.createdAt + KEPT_FOR) return { _tag: "Begin" }
  return kept.value.fingerprint === fingerprint ? { _tag: "Replay", sealed: kept.value.sealed } : { _tag: "Reused" }
}

/** Wire: 422 `idempotency_key_reused`. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {}

/** The first request under the key is not answered yet. Wire: 409 `idempotency_key_in_use` with `Retry-After`. */
export class KeyInUse extends Schema.TaggedError<KeyInUse>()("KeyInUse", {}) {}
