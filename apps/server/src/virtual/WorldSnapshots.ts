import type { SqlClient } from "@effect/sql/SqlClient"
import { Partitions, Snapshots } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Runtime, Schema } from "effect"
import type { Mover } from "./Mover.js"
import type { Restartable } from "./Restartable.js"
import type { SeededEntropy } from "./SeededEntropy.js"

/** What a snapshot stores beside the rows: the time of the clock, and how many draws each random stream had given. */
const Notes = Schema.parseJson(
  Schema.Struct({ now: Schema.Int, draws: Schema.Record({ key: Schema.String, value: Schema.Int }) })
)

/**
 * What a restore did. "Outdated": nothing, because a migration of the database ran since the snapshot was saved.
 * "Unknown": nothing, because no snapshot has the name.
 */
type RestoreOutcome = "Restored" | "Outdated" | "Unknown"

/** Saves and restores a test world while its clock stands still and no statement or webhook is under way. */
export interface WorldSnapshots {
  readonly list: Effect.Effect<ReadonlyArray<string>, unknown>
  readonly save: (name: string) => Effect.Effect<void, unknown>
  readonly restore: (name: string) => Effect.Effect<RestoreOutcome, unknown>
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
        await world.restStored()
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
            if (!(yield* Snapshots.list).includes(name)) return "Unknown" as const
            const found = yield* Snapshots.notesOf(name)
            if (Option.isNone(found)) return "Outdated" as const
            const { draws, now } = yield* Schema.decode(Notes)(found.value)
            // The worker's loops remember due times from before the restore. So the loops stop before the restore and
            // start after it, and then read the restored rows.
            yield* loops.stop
            yield* Effect.gen(function* () {
              yield* Snapshots.restore(name)
              // A clock that ran on after the restore would give each test another time.
              mover.stop()
              world.set(now)
              seeded?.resume(draws)
              // The partitions of past months may have been dropped since the snapshot. The restored rows of these
              // months are then in the DEFAULT partition. `ensurePartitions` moves rows of the months for which it
              // makes a partition.
              yield* Partitions.ensurePartitions(Timestamp.make(now))
            }).pipe(Effect.ensuring(loops.start))
            yield* Effect.promise(() => world.rest().then(() => mover.store()))
            return "Restored" as const
          })
        )
    }
  })
