import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash, Sealed } from "../shared/Vault.js"
import type { Decision, Kept, Place } from "./Idempotency.js"

/** What the work of a request came to. */
export interface Worked<A> {
  /** Null: nothing is kept, and the next request under the key begins anew. What the work wrote stays written. */
  readonly sealed: Sealed | null
  readonly value: A
}

/** What became of a request under a key. */
export type Outcome<A> =
  | { readonly _tag: "Worked"; readonly value: A }
  | Exclude<Decision, { readonly _tag: "Begin" }>
  /** Another request under the key is at work. */
  | { readonly _tag: "UnderWay" }

/** The answers that are kept to be repeated. */
export class IdempotencyStore extends Context.Tag("@place-access/domain/idempotency/IdempotencyStore")<
  IdempotencyStore,
  {
    /**
     * Locks `place`, reads the clock, gives what is kept there to `decide` and runs `work` when it says `Begin`. `work` and the keeping of
     * its answer are one transaction: what `work` writes through other ports is there exactly when its answer is. When `work` fails, all of
     * it is rolled back and nothing is kept. Of requests to one place at the same time, on whichever servers, one works; the others
     * are `UnderWay` at once, or wait and get the decision that follows from its answer. `work` holds a transaction: it must not ask
     * the network.
     */
    readonly once: <A, E, R>(
      place: Place,
      fingerprint: Hash,
      decide: (kept: Option.Option<Kept>, now: Timestamp) => Decision,
      work: Effect.Effect<Worked<A>, E, R>
    ) => Effect.Effect<Outcome<A>, E | StoreError, R>
  }
>() {}
