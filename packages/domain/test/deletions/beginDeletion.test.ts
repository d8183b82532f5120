import { AccountDeletion, AccountDeletionStore, beginDeletion } from "@place-access/domain/deletions"
import { Timestamp } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryDatabase,
  MemoryEntropy
} from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, HashMap, Layer, Logger, Option } from "effect"

const layer = Layer.mergeAll(MemoryAccountStore.layer, MemoryAppStore.layer).pipe(
  Layer.provideMerge(Layer.merge(MemoryDatabase.layer, MemoryEntropy.layer))
)

it.effect("a deletion writes a line of the service's log for each app that passes to an heir [teams-5, audit-1]", () =>
  Effect.gen(function* () {
    const [account, heir] = [yield* Fixtures.user, yield* Fixtures.user]
    const [passed, ended] = [yield* Fixtures.app(account.id), yield* Fixtures.app(account.id)]
    const apps = [
      { app: passed, heir: heir.id },
      { app: ended, heir: null }
    ]
    const store = {
      begin: (_: unknown, decide: typeof AccountDeletion.decide) =>
        Effect.succeed(Option.some(decide({ account, apps, isLastAdmin: false }, Timestamp.make(0))))
    } as unknown as typeof AccountDeletionStore.Service
    const lines: Array<unknown> = []
    const logger = Logger.make(({ annotations, message }) => {
      lines.push([message, Option.getOrUndefined(HashMap.get(annotations, "account"))])
    })
    yield* beginDeletion(account.id, AccountDeletion.decide).pipe(
      Effect.provideService(AccountDeletionStore, store),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    expect(lines).toEqual([[["audit team_handed_over"], heir.id]])
  }).pipe(Effect.provide(layer))
)
