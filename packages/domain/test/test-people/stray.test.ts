import { AccountDeletionStore } from "@place-access/domain/deletions"
import { StoreError, UserId } from "@place-access/domain/shared"
import { removeStrayTestPeople, TestPersonStore } from "@place-access/domain/test-people"
import { MemoryAccountDeletionStore, MemoryDatabase, MemoryTestPersonStore } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel } from "effect"

const stores = Layer.mergeAll(MemoryTestPersonStore.layer, MemoryAccountDeletionStore.layer).pipe(
  Layer.provide(MemoryDatabase.layer)
)

it.effect(
  "a hundred test people that cannot be removed do not keep the others from being removed [test-people-3]",
  () =>
    Effect.gen(function* () {
      const people = Array.from({ length: 103 }, (_, index) => UserId.make(`usr_${index}`))
      const isRemovable = (id: UserId) => people.indexOf(id) >= 100
      const gone = new Set<UserId>()
      const [persons, deletions] = [yield* TestPersonStore, yield* AccountDeletionStore]
      const removing = removeStrayTestPeople().pipe(
        Effect.provideService(TestPersonStore, {
          ...persons,
          listStray: (limit) => Effect.sync(() => people.filter((id) => !gone.has(id)).slice(0, limit))
        }),
        Effect.provideService(AccountDeletionStore, {
          ...deletions,
          begin: (id, decide) => {
            if (!isRemovable(id)) return StoreError.broken("as a test wants it")
            gone.add(id)
            return deletions.begin(id, decide)
          }
        }),
        Logger.withMinimumLogLevel(LogLevel.None)
      )
      expect(yield* removing).toBe(3)
      expect([...gone]).toEqual(people.slice(100))
      expect(yield* removing).toBe(0)
    }).pipe(Effect.provide(stores))
)
