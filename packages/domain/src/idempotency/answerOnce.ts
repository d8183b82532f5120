import { Effect, Schema } from "effect"
import { type UserId, Vault, program } from "../shared/index.js"
import * as Idempotency from "./Idempotency.js"
import { IdempotencyStore, type Worked } from "./IdempotencyStore.js"

/** A request with an idempotency key. The client may send it more than once. */
export interface KeyedRequest {
  readonly userId: UserId
  readonly subject: Idempotency.IdempotencySubject
  readonly key: Idempotency.IdempotencyKey
  /**
   * The method, address and body of the request; for a form, its texts. A repeated request must have the same content.
   * The store keeps a hash of the content.
   */
  readonly content: string
}

/**
 * The result of the work. `answer` is stored. When `answer` is null, for example after a refusal, a repeated request
 * does the work again.
 */
export interface Work<A> {
  readonly answer: Idempotency.StoredAnswer | null
  readonly value: A
}

const Stored = Schema.parseJson(Idempotency.StoredAnswer)

/**
 * Does `work` once for a key. For a day, later requests with the key get the answer of this work. Answers are stored
 * encrypted, because they may contain secrets that are shown only once. Fails with `KeyReused` when the key was used
 * for another request, and with `KeyInUse` while a request with the key is running. When `work` fails, nothing is
 * written and the key can be used again.
 */
export const answerOnce = program("answerOnce", function* <
  A,
  E,
  R
>({ content, key, subject, userId }: KeyedRequest, work: Effect.Effect<Work<A>, E, R>) {
  const [store, vault] = [yield* IdempotencyStore, yield* Vault.Vault]
  const place: Idempotency.AnswerKey = { userId, subject, keyHash: vault.sha256(key) }
  const fingerprint = vault.sha256(content)
  const context = Idempotency.sealContext(place)
  const seal = (answer: Idempotency.StoredAnswer | null) =>
    answer === null ? Effect.succeed(null) : vault.seal(Schema.encodeSync(Stored)(answer), context)
  const sealed = Effect.flatMap(work, ({ answer, value }) =>
    Effect.map(seal(answer), (sealed): Worked<A> => ({ sealed, value }))
  )
  const outcome = yield* store.once(
    place,
    fingerprint,
    (kept, now) => Idempotency.decide(kept, fingerprint, now),
    sealed
  )
  switch (outcome._tag) {
    case "Worked":
      return outcome
    case "Replay": {
      const answer = yield* Effect.orDie(Schema.decode(Stored)(yield* vault.unseal(outcome.sealed, context)))
      return { _tag: "Replayed", answer } as const
    }
    case "Reused":
      return yield* new Idempotency.KeyReused()
    case "UnderWay":
      return yield* new Idempotency.KeyInUse()
  }
})
