import { HistoryStore } from "@place-access/domain/retention-choice"
import { type Import, ImportStore, startImport } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryImportReader,
  MemoryImportStore,
  MemoryVault,
  VirtualTime
} from "@place-access/domain/testing"
import { Effect, Exit, Layer, Logger, Option, Stream } from "effect"

const { FIRST_LINE, line } = MemoryImportReader

const layer = Layer.mergeAll(
  MemoryImportStore.layer,
  MemoryHistoryStore.layer,
  MemoryFixStore.layer,
  MemoryAccountStore.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryDatabase.layer, MemoryEntropy.layer, MemoryVault.layer)),
  Layer.merge(MemoryImportReader.layer),
  // Calls of the store fail on purpose in these tests. Without this layer, each failure would write a log line into the
  // test's output.
  Layer.merge(Logger.remove(Logger.defaultLogger))
)
type World = Layer.Layer.Success<typeof layer>

/** Runs a program with the stores of imports in memory, on virtual time. */
export const run = <A>(program: Effect.Effect<A, unknown, World>): A =>
  Exit.getOrElse(VirtualTime.runVirtual(Effect.provide(program, layer)), (cause) => {
    throw new Error(String(cause))
  })

export const NOW = VirtualTime.START
export const LONG_AGO = NOW - 30 * Timestamp.DAY
export const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
export const file = (...lines: ReadonlyArray<string>): string => `${[FIRST_LINE, ...lines].join("\n")}\n`
export const points = (count: number, from = LONG_AGO): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => line(from + index * 1_000, 52, 4 + index / 1e5))

/** A user who keeps 90 days of history uploads a file. */
export const upload = (text: string) =>
  Effect.gen(function* () {
    const user = yield* Fixtures.user
    yield* (yield* HistoryStore).choose(user.id, 90, yield* Timestamp.now)
    return yield* startImport(user.id, "my.gpx", Stream.make(bytes(text)))
  })

/** The import as it is stored. */
export const found = (of: Import.Import) =>
  Effect.flatMap(ImportStore, (store) =>
    Effect.map(
      store.find(of),
      Option.getOrElse((): Import.Import => {
        throw new Error("it is gone")
      })
    )
  )
