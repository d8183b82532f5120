import { Deferred, Effect, Either, Exit, Fiber, type Option, Ref } from "effect"
import * as Idempotency from "../../src/idempotency/Idempotency.js"
import { IdempotencyStore, type ReservationOutcome } from "../../src/idempotency/IdempotencyStore.js"
import * as Entropy from "../../src/shared/Entropy.js"
import { UserId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { Hash, Sealed } from "../../src/shared/Vault.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"

type Ports = IdempotencyStore | Entropy.Entropy

const hash = (digit: string): Hash => Hash.make(digit.repeat(64))
const [FIRST, SECOND] = [hash("1"), hash("2")]

/** The key of an answer in the store, for a user that no other case has. */
const freshPlace = Effect.gen(function* () {
  const userId = UserId.make(yield* Entropy.id("usr"))
  return { userId, subject: Idempotency.account(userId), keyHash: hash("a") } satisfies Idempotency.AnswerKey
})

interface IdempotentRequest {
  readonly fingerprint?: Hash
  /** How many milliseconds the request comes after the present time. Default: 0. */
  readonly later?: number
  readonly sealed?: Sealed | null
}

/** Makes one request. Returns the outcome of the request, and the number of times that the work of the request ran. */
const ask = (
  place: Idempotency.AnswerKey,
  { fingerprint = FIRST, later = 0, sealed = Sealed.make("one") }: IdempotentRequest = {}
) =>
  Effect.gen(function* () {
    const worked = yield* Ref.make(0)
    const outcome = yield* (yield* IdempotencyStore).once(
      place,
      fingerprint,
      (kept, now) => Idempotency.decide(kept, fingerprint, Timestamp.plus(now, later)),
      Effect.as(
        Ref.update(worked, (times) => times + 1),
        { sealed, value: "made" }
      )
    )
    return { outcome, worked: yield* Ref.get(worked) }
  })

const decideFirst = (kept: Option.Option<Idempotency.KeptAnswer>, now: Timestamp.Timestamp) =>
  Idempotency.decide(kept, FIRST, now)

const WORKED = { outcome: { _tag: "Worked", value: "made" }, worked: 1 } as const
const replay = (sealed: string) => ({ outcome: { _tag: "Replay", sealed: Sealed.make(sealed) }, worked: 0 }) as const

/**
 * What every `IdempotencyStore` must guarantee: a repeated request gets the stored answer. If an adapter can roll back,
 * it must also undo the writes of failed work in other ports. No case checks this, because the in-memory store cannot
 * roll back.
 */
export const idempotencyStoreContract: Contract<Ports> = [
  {
    name: "once: the first request works and its answer is kept; the next one gets it and nothing works again",
    run: Effect.gen(function* () {
      const place = yield* freshPlace
      Check.equal(yield* ask(place), WORKED, "the first")
      Check.equal(yield* ask(place, { sealed: Sealed.make("two") }), replay("one"), "the second")
      Check.equal(yield* ask(place), replay("one"), "the third")
    })
  },
  {
    name: "once: another request under the key is refused and changes nothing",
    run: Effect.gen(function* () {
      const place = yield* freshPlace
      yield* ask(place)
      const other = yield* ask(place, { fingerprint: SECOND, sealed: Sealed.make("two") })
      Check.equal(other, { outcome: { _tag: "Reused" }, worked: 0 } as const, "another request")
      Check.equal(yield* ask(place), replay("one"), "the first request again")
    })
  },
  {
    name: "once: the same key of another subject, and of another person, is another key",
    run: Effect.gen(function* () {
      const place = yield* freshPlace
      yield* ask(place)
      const subject = Idempotency.IdempotencySubject.make("connection con_x")
      Check.equal(yield* ask({ ...place, subject }, { fingerprint: SECOND }), WORKED, "another subject")
      Check.equal(yield* ask({ ...place, userId: (yield* freshPlace).userId }), WORKED, "another person")
      Check.equal(yield* ask({ ...place, keyHash: hash("b") }), WORKED, "another key")
    })
  },
  {
    name: "once: work that gives nothing to keep leaves the key free",
    run: Effect.gen(function* () {
      const place = yield* freshPlace
      Check.equal(yield* ask(place, { sealed: null }), WORKED, "nothing to keep")
      Check.equal(yield* ask(place, { fingerprint: SECOND }), WORKED, "the key is free, for any request")
    })
  },
  {
    name: "once: work that fails passes its failure on and leaves the key free",
    run: Effect.gen(function* () {
      const place = yield* freshPlace
      const store = yield* IdempotencyStore
      const failed = yield* Effect.either(store.once(place, FIRST, decideFirst, Effect.fail("no")))
      Check.equal(failed, Either.left("no"), "the failure")
      Check.equal(yield* ask(place), WORKED, "the next one")
    })
  },
  {
    name: "once: work that dies, or is interrupted because the client is gone, leaves the key free",
    run: Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const [bug, gone] = [yield* freshPlace, yield* freshPlace]
      const died = yield* Effect.exit(store.once(bug, FIRST, decideFirst, Effect.die("bug")))
      Check.isTrue(Exit.isFailure(died), "the defect is passed on")
      Check.equal(yield* ask(bug), WORKED, "after a defect")
      const begun = yield* Deferred.make<void>()
      const work = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      const request = yield* Effect.fork(store.once(gone, FIRST, decideFirst, work))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(request)
      Check.equal(yield* ask(gone), WORKED, "after an interruption")
    })
  },
  {
    name: "once: after its day an answer is replaced",
    run: Effect.gen(function* () {
      const place = yield* freshPlace
      yield* ask(place)
      Check.equal(yield* ask(place, { later: Idempotency.KEPT_FOR - 1 }), replay("one"), "a millisecond too early")
      const later = { later: Idempotency.KEPT_FOR, fingerprint: SECOND, sealed: Sealed.make("two") }
      Check.equal(yield* ask(place, later), WORKED, "after the day")
      Check.equal(yield* ask(place, { fingerprint: SECOND }), replay("two"), "what is kept now")
    })
  },
  {
    name: "once: of 20 requests at the same time one works; the others learn that it does, or get its answer",
    run: Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const place = yield* freshPlace
        const all = yield* Effect.all(
          Array.from({ length: 20 }, (_, index) => ask(place, { sealed: Sealed.make(`of ${index}`) })),
          { concurrency: "unbounded" }
        )
        const index = all.findIndex(({ worked }) => worked === 1)
        const others: ReadonlyArray<ReservationOutcome<string>> = all.flatMap((one) =>
          one.worked === 0 ? [one.outcome] : []
        )
        Check.equal(others.length, 19, "that did not work")
        for (const outcome of others) {
          if (outcome._tag !== "UnderWay") Check.equal(outcome, replay(`of ${index}`).outcome, "the answer")
        }
        Check.equal(yield* ask(place), replay(`of ${index}`), "afterwards")
      }
    })
  }
]
