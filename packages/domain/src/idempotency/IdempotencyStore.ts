import { Context, type Effect, type Option } from "effect"
import type { StoreError, Timestamp, Vault } from "../shared/index.js"
import type { IdempotencyDecision, KeptAnswer, AnswerKey } from "./Idempotency.js"

/** The result of a request's work. */
export interface Worked<A> {
  /**
   * The encrypted answer. Null: no answer is stored, so the next request with the key does the work again. What the
   * work wrote stays stored in both cases.
   */
  readonly sealed: Vault.Sealed | null
  readonly value: A
}

/** The outcome of a request with a key. */
export type ReservationOutcome<A> =
  | { readonly _tag: "Worked"; readonly value: A }
  | Exclude<IdempotencyDecision, { readonly _tag: "Begin" }>
  /** Another request with the key is running. */
  | { readonly _tag: "UnderWay" }

/** Stores the answers to requests with idempotency keys, to repeat them. Decisions idempotency-4 and idempotency-5. */
export class IdempotencyStore extends Context.Tag("@place-access/domain/idempotency/IdempotencyStore")<
  IdempotencyStore,
  {
    /**
     * Locks the key `place`, reads the clock, gives the stored answer to `decide`, and runs `work` if the decision is
     * `Begin`.
     *
     * One transaction stores the answer and everything that `work` writes through other ports. So after a crash either
     * all of this is stored or nothing. When `work` fails, all writes are rolled back. Of concurrent requests with the
     * same key, on any servers, only one does the work. While the work is running, the other requests end as
     * `UnderWay`. Later requests get the decision about the stored answer. `work` runs inside a transaction, so it must
     * not use the network.
     */
    readonly once: <A, E, R>(
      place: AnswerKey,
      fingerprint: Vault.Hash,
      decide: (kept: Option.Option<KeptAnswer>, now: Timestamp.Timestamp) => IdempotencyDecision,
      work: Effect.Effect<Worked<A>, E, R>
    ) => Effect.Effect<ReservationOutcome<A>, E | StoreError, R>
  }
>() {}
