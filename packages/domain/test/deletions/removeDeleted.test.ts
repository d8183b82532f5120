import { AccountDeletion, AccountDeletionStore, removeDeleted } from "@place-access/domain/deletions"
import { StoreError, Timestamp, type UserId } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryDatabase,
  MemoryEntropy
} from "@place-access/domain/testing"
import { everything, Bucket } from "@place-access/domain/leases"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"

const layer = Layer.mergeAll(MemoryAccountDeletionStore.layer, MemoryAccountStore.layer).pipe(
  Layer.provideMerge(Layer.merge(MemoryDatabase.layer, MemoryEntropy.layer))
)

type Store = typeof AccountDeletionStore.Service

/** Deletes 25 accounts, and returns their ids in the order of the deletions. */
const deleted = Effect.gen(function* () {
  const store = yield* AccountDeletionStore
  const people = yield* Effect.replicateEffect(Fixtures.user, 25)
  for (const { id } of people) {
    yield* store.begin(id, AccountDeletion.decide)
    yield* TestClock.adjust(1)
  }
  const ids = people.map(({ id }) => id)
  const first = ids[0] ?? (yield* Effect.die("nobody"))
  return { first, ids, store }
})

/** The deleted accounts that are due now. */
const due = Effect.gen(function* () {
  const rows = yield* (yield* AccountDeletionStore).due(Bucket.ALL, 100, yield* Timestamp.now)
  return rows.map(({ userId }) => userId)
})

const removeWith = (store: Store, changed: Partial<Store>) =>
  Effect.provideService(removeDeleted(everything.people), AccountDeletionStore, { ...store, ...changed })

describe("many deleted accounts [deletions-3]", () => {
  it.effect("one run handles all that are due", () =>
    Effect.gen(function* () {
      yield* deleted
      yield* removeDeleted(everything.people)
      expect(yield* due).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("a run ends although the next look of one account cannot be stored, and handles the others", () =>
    Effect.gen(function* () {
      const { first, store } = yield* deleted
      const lookAgain = (id: UserId, at: Timestamp.Timestamp) =>
        id === first ? StoreError.unavailable("down") : store.lookAgain(id, at)
      yield* removeWith(store, { lookAgain })
      expect(yield* due).toEqual([first])
    }).pipe(Effect.provide(layer))
  )

  it.effect("accounts whose next look cannot be stored hold up no other account, however many they are", () =>
    Effect.gen(function* () {
      const { ids, store } = yield* deleted
      const failing = ids.slice(0, 21)
      const lookAgain = (id: UserId, at: Timestamp.Timestamp) =>
        failing.includes(id) ? StoreError.unavailable("down") : store.lookAgain(id, at)
      yield* removeWith(store, { lookAgain })
      expect(yield* due).toEqual(failing)
    }).pipe(Effect.provide(layer))
  )

  it.effect("the others do not wait for an account with a long history", () =>
    Effect.gen(function* () {
      const { first, store } = yield* deleted
      const emptied: Array<UserId> = []
      const removeSome: Store["removeSome"] = (id, now, limit) =>
        id === first
          ? Effect.as(Effect.sleep("1 minute"), 1)
          : Effect.tap(store.removeSome(id, now, limit), () => emptied.push(id))
      const running = yield* Effect.fork(removeWith(store, { removeSome }))
      yield* TestClock.adjust("1 second")
      expect(emptied).toHaveLength(24)
      yield* TestClock.adjust("11 minutes")
      yield* Fiber.join(running)
    }).pipe(Effect.provide(layer))
  )
})
