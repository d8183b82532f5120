import type { SqlClient } from "@effect/sql/SqlClient"
import { Partitions, Snapshots } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Runtime, Schema } from "effect"
import type { Mover } from "./Mover.js"
import type { Restartable } from "./Restartable.js"
import type { SeededEntropy } from "./SeededEntropy.js"

/** What a snapshot keeps beside the rows: the time, and how far the random streams had come. */
const Notes = Schema.parseJson(
  Schema.Struct({ now: Schema.Int, draws: Schema.Record({ key: Schema.String, value: Schema.Int }) })
)

/** Saves and restores the world while its clock stands and nothing is under way. */
export interface WorldSnapshots {
  readonly list: Effect.Effect<ReadonlyArray<string>, unknown>
  readonly save: (name: string) => Effect.Effect<void, unknown>
  /** False: there is no snapshot of this name that fits the tables of this version. */
  readonly restore: (name: string) => Effect.Effect<boolean, unknown>
}

export const make = (
  mover: Mover,
  loops: Restartable<unknown>,
  seeded: SeededEntropy | undefined
): Effect.Effect<WorldSnapshots, never, SqlClient> =>
  Effect.map(Effect.runtime<SqlClient>(), (runtime) => {
    const { world } = mover
    const atRest = <A, E>(act: Effect.Effect<A, E, SqlClient>) =>
      mover.alone(async () => {
        await world.rest()
        return Runtime.runPromise(runtime)(act)
      })
    return {
      list: Effect.provide(Snapshots.list, runtime.context),
      save: (name) =>
        atRest(
          Effect.flatMap(Schema.encode(Notes)({ now: world.now, draws: seeded?.draws() ?? {} }), (notes) =>
            Snapshots.save(name, notes)
          )
        ),
      restore: (name) =>
        atRest(
          Effect.gen(function* () {
            const found = yield* Snapshots.notesOf(name)
            if (Option.isNone(found)) return false
            const { draws, now } = yield* Schema.decode(Notes)(found.value)
            // The loops remember due times of the world before the restore, so they stop and start again.
            yield* loops.stop
            yield* Effect.gen(function* () {
              yield* Snapshots.restore(name)
              world.set(now)
              seeded?.resume(draws)
              // Partitions of past months were dropped: restored rows of those months lie in the default one.
              yield* Partitions.ensurePartitions(Timestamp.make(now))
            }).pipe(Effect.ensuring(loops.start))
            yield* Effect.promise(() => world.rest().then(mover.store))
            return true
          })
        )
    }
  })
