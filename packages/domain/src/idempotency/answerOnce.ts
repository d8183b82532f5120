import { Effect, Schema } from "effect"
import type { UserId } from "../shared/Ids.js"
import { Vault } from "../shared/Vault.js"
import * as Idempotency from "./Idempotency.js"
import { IdempotencyStore, type Worked } from "./IdempotencyStore.js"

/** A request that may come more than once. */
export interface KeyedRequest {
  readonly userId: UserId
  readonly subject: Idempotency.Subject
  readonly key: Idempotency.Key
  /** All that makes it this request and no other: its method, address and body. */
  readonly content: string
}

/** What `work` gives: `answer` is kept; null when there is nothing to repeat, such as after a refusal. */
export interface Work<A> {
  readonly answer: Idempotency.Answer | null
  readonly value: A
}

export type Answered<A> =
  | { readonly _tag: "Worked"; readonly value: A }
  | { readonly _tag: "Replayed"; readonly answer: Idempotency.Answer }

const Stored = Schema.parseJson(Idempotency.Answer)

/**
 * Does `work` once for a key, and afterwards repeats its answer for a day. Answers are sealed: they may hold secrets that are shown once.
 * `KeyReused` when the key was used for another request, `KeyInUse` while the first request is at work. When `work` fails,
 * nothing of it is written and the key is free.
 */
export const answerOnce = Effect.fn("answerOnce")(function* <A, E, R>(
  { content, key, subject, userId }: KeyedRequest,
  work: Effect.Effect<Work<A>, E, R>
) {
  const [store, vault] = [yield* IdempotencyStore, yield* Vault]
  const place: Idempotency.Place = { userId, subject, keyHash: vault.sha256(key) }
  const fingerprint = vault.sha256(content)
  const context = Idempotency.sealContext(place)
  const seal = (answer: Idempotency.Answer | null) =>
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
