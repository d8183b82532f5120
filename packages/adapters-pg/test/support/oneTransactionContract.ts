import { Idempotency, IdempotencyStore } from "@place-access/domain/idempotency"
import { type LimitStore, Subject, takeCall } from "@place-access/domain/limits"
import { createPlace, Place, PlaceStore } from "@place-access/domain/places"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Check, type Contract, Fixtures } from "@place-access/domain/testing"
import type { AccountStore } from "@place-access/domain/accounts"
import type { Entropy } from "@place-access/domain/shared"
import { Effect, Either, type Option } from "effect"

const hash = Vault.Hash.make("1".repeat(64))

/** A person, and a request that makes a place under an idempotency key. */
export const someone = Effect.gen(function* () {
  const [user, store, places] = [yield* Fixtures.user, yield* IdempotencyStore, yield* PlaceStore]
  const at = { userId: user.id, subject: Idempotency.account(user.id), keyHash: hash }
  const draft = {
    label: Place.Label.make("Home"),
    kind: "home",
    circle: { lat: 52.37, lon: 4.89, radiusM: 150 }
  } as const
  const decide = (kept: Option.Option<Idempotency.KeptAnswer>, now: Timestamp.Timestamp) =>
    Idempotency.decide(kept, hash, now)
  const made = { sealed: Vault.Sealed.make("made"), value: "made" }
  const make = Effect.as(createPlace(user.id, draft), made)
  const rate = { calls: 10, windowMillis: Timestamp.HOUR }
  const take = Effect.map(takeCall(Subject.madeBy(user.id), rate), ({ remaining }) => rate.calls - remaining)
  return {
    once: store.once(at, hash, decide, make),
    onceAndFail: store.once(at, hash, decide, Effect.zipRight(make, Effect.fail("no"))),
    /** Counts a call, and returns the number of counted calls, this call included. */
    take,
    takeOnce: store.once(at, hash, decide, Effect.as(take, made)),
    takeOnceAndFail: store.once(at, hash, decide, Effect.zipRight(take, Effect.fail("no"))),
    count: Effect.map(places.list(user.id), (all) => all.length)
  }
})

/**
 * Requests with an idempotency key. The rows that the request writes through other stores, and its stored answer, must
 * be committed together or not at all.
 */
export const oneTransactionContract: Contract<
  IdempotencyStore | PlaceStore | LimitStore | AccountStore | Entropy.Entropy
> = [
  {
    name: "once: what failed work has written through another store is not there",
    run: Effect.gen(function* () {
      const { count, once, onceAndFail } = yield* someone
      Check.equal(yield* Effect.either(onceAndFail), Either.left("no"), "the failure")
      Check.equal(yield* count, 0, "places after the failure")
      Check.equal((yield* once)._tag, "Worked", "the next one")
      Check.equal((yield* once)._tag, "Replay", "the one after it")
      Check.equal(yield* count, 1, "places")
    })
  },
  {
    name: "once: of 10 requests at the same time that make a place one makes it",
    run: Effect.gen(function* () {
      const { count, once } = yield* someone
      yield* Effect.all(
        Array.from({ length: 10 }, () => once),
        { concurrency: "unbounded" }
      )
      Check.equal(yield* count, 1, "places")
    })
  },
  {
    // If the work needed a second connection, such transactions could take all connections of the pool, and each would
    // wait for a connection that only the others can free.
    name: "once: a call that the work counts is counted on the connection of its transaction",
    run: Effect.gen(function* () {
      const { take, takeOnce, takeOnceAndFail } = yield* someone
      Check.equal(yield* Effect.either(takeOnceAndFail), Either.left("no"), "the failure")
      Check.equal(yield* take, 1, "calls after the failure")
      Check.equal((yield* takeOnce)._tag, "Worked", "the next one")
      Check.equal(yield* take, 3, "calls")
    })
  }
]
