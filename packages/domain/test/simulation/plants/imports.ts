import { FixHistory } from "@place-access/domain/fixes"
import { ImportStore } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { Effect, Option } from "effect"
import { instead, type Plant } from "./plant.js"

const YEARS_AGO = Date.UTC(2020, 0, 1)

/** Readings of a walk years ago, far from every place. */
export const walk = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    capturedAt: YEARS_AGO + (from + n) * Timestamp.MINUTE,
    lat: -30 + (from + n) / 1_000,
    lon: -60
  }))

/** Imports two files that overlap. After both are read, the first import is undone. */
const undone = (world: Simulation.World) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const first = yield* ana.importFile(walk(0, 12), { wrong: 2 })
    yield* ana.importFile(walk(6, 12))
    yield* world.advance("1 minute")
    yield* ana.undoImport(first)
    yield* world.advance("1 minute")
  })

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "I1",
    what: "an import forgets at each attempt what was read before",
    sabotage: instead(ImportStore, (store) => ({
      claim: (leased, now, dueAt) =>
        Effect.map(
          store.claim(leased, now, dueAt),
          Option.map((claimed) => {
            const { import: one } = claimed
            return { ...claimed, import: { ...one, counts: { ...one.counts, read: 0 } } }
          })
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const ana = yield* world.user("ana")
        for (let n = 0; n < 6; n++) yield* ana.importFile(walk(n * 80, 80))
        // The worker dies several times. At least once it dies after it has stored a part of the entries.
        yield* world.fault("crash", { p: 0.02, times: 20 })
        yield* world.advance("1 hour")
      })
  },
  {
    oracle: "I2",
    what: "what an import brought outlives it",
    sabotage: instead(ImportStore, (store) => ({
      beginUndo: (of) => Effect.tap(store.find(of), () => store.remove(of))
    })),
    scenario: undone
  },
  {
    oracle: "I2",
    what: "a reading of a file cannot be read",
    sabotage: instead(FixHistory, (history) => ({
      newest: (userId, before, span, limit) =>
        Effect.map(history.newest(userId, before, span, limit), (all) =>
          all.filter(({ capturedAt }) => capturedAt !== YEARS_AGO + 10 * Timestamp.MINUTE)
        )
    })),
    isRare: "the walk of the swarm is another one",
    scenario: undone
  },
  {
    oracle: "I3",
    what: "no worker begins an import",
    sabotage: instead(ImportStore, () => ({ due: () => Effect.succeed(Option.none()) })),
    scenario: undone
  }
]
