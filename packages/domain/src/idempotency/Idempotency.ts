// The rules for requests with an idempotency key. Decisions idempotency-1, idempotency-2 and idempotency-3.
import { Option, Schema } from "effect"
import { brand } from "../shared/Errors.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"
import type { Hash, Sealed } from "../shared/Vault.js"

/**
 * Idempotency keys make requests safe to repeat. A client chooses a key for a request. When the client does not get the
 * answer, it sends the same request with the same key again. The service then does not do the work again, and returns
 * the first answer.
 */

/**
 * How long the answer under a key is kept, in milliseconds. A later request with the same key counts as a new request.
 */
export const KEPT_FOR = DAY

/** The key that the client chooses: 1 to 255 visible ASCII characters, for example a random UUID. */
export const IdempotencyKey = Schema.String.pipe(Schema.pattern(/^[!-~]{1,255}$/), brand("IdempotencyKey"))
export type IdempotencyKey = typeof IdempotencyKey.Type

/**
 * The sender of requests with idempotency keys: a connection or an account. Two subjects can use the same key for
 * different requests.
 */
export const IdempotencySubject = Schema.String.pipe(brand("IdempotencySubject"))
export type IdempotencySubject = typeof IdempotencySubject.Type

/** The subject of an app's requests about one user. */
export const connection = (id: ConnectionId): IdempotencySubject => IdempotencySubject.make(`connection ${id}`)

/** The subject of a signed-in person's requests. All sessions of the person have the same subject. */
export const account = (id: UserId): IdempotencySubject => IdempotencySubject.make(`account ${id}`)

/**
 * Identifies a stored answer. A client may write anything into its idempotency key, so the store keeps only a hash of
 * the idempotency key.
 */
export interface AnswerKey {
  /** The user to whom the stored answer belongs. The answer is deleted together with the user's account. */
  readonly userId: UserId
  readonly subject: IdempotencySubject
  readonly keyHash: Hash
}

/** The first answer to a request with an idempotency key. */
export const StoredAnswer = Schema.Struct({
  status: Schema.Int,
  contentType: Schema.NullOr(Schema.String),
  body: Schema.String,
  /**
   * What the answer disclosed, as a text for the access log (`AccessLogEntry.disclosed`). A repeated answer is logged
   * with the same text. Null: the answer disclosed nothing.
   */
  disclosed: Schema.NullOr(Schema.String)
})
export type StoredAnswer = typeof StoredAnswer.Type

/** A stored answer. It is encrypted as a whole, because it may contain a secret that is shown only once. */
export interface KeptAnswer {
  /** The hash of what the first request contained (`KeyedRequest.content`). */
  readonly fingerprint: Hash
  readonly sealed: Sealed
  readonly createdAt: Timestamp
}

/**
 * The encryption context of an answer, made from the key of its row. An answer that is copied into another row cannot
 * be decrypted.
 */
export const sealContext = ({ keyHash, subject, userId }: AnswerKey): string =>
  `idempotent-answer ${userId} ${subject} ${keyHash}`

export type IdempotencyDecision =
  /** No answer is stored under the key, or the stored answer is too old: the caller does the work. */
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Replay"; readonly sealed: Sealed }
  /** The key was used for another request. */
  | { readonly _tag: "Reused" }

/** Decides whether to do the work, to repeat the stored answer, or to refuse the request. */
export const decide = (kept: Option.Option<KeptAnswer>, fingerprint: Hash, now: Timestamp): IdempotencyDecision => {
  if (Option.isNone(kept) || now >= kept.value.createdAt + KEPT_FOR) return { _tag: "Begin" }
  return kept.value.fingerprint === fingerprint ? { _tag: "Replay", sealed: kept.value.sealed } : { _tag: "Reused" }
}

/** The key was used for another request. Wire: 422 `idempotency_key_reused`. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {
  override get message(): string {
    return "The idempotency key was used for another request"
  }
}

/** Another request under the key is still running. Wire: 409 `idempotency_key_in_use` with `Retry-After`. */
export class KeyInUse extends Schema.TaggedError<KeyInUse>()("KeyInUse", {}) {
  override get message(): string {
    return "Another request with this idempotency key is still running"
  }
}
