import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { Mover } from "../../src/virtual/Mover.js"
import * as Restartable from "../../src/virtual/Restartable.js"
import { World } from "../../src/virtual/World.js"
import * as WorldSnapshots from "../../src/virtual/WorldSnapshots.js"

const START = Date.UTC(2026, 0, 5, 9)

/** Runs `act` with the mover and the snapshots of a world whose worker does nothing. */
const inWorld = (
  act: (mover: Mover, snapshots: WorldSnapshots.WorldSnapshots) => Effect.Effect<void, unknown, SqlClient>
) =>
  Effect.gen(function* () {
    const mover = new Mover(new World(START), () => Promise.resolve())
    yield* Effect.addFinalizer(() => Effect.sync(() => mover.close()))
    yield* act(mover, yield* WorldSnapshots.make(mover, yield* Restartable.make(Effect.never), undefined))
  }).pipe(Effect.scoped, Effect.provide(migratedEmbedded), Effect.runPromise)

describe("a snapshot of a test world [virtual-time-4]", () => {
  it("stops the running clock when it is restored, so that each test begins at the snapshot's time", () =>
    inWorld((mover, snapshots) =>
      Effect.gen(function* () {
        yield* snapshots.save("start")
        yield* mover.carryOut({ _tag: "Rate", rate: 3_600 })
        yield* Effect.sleep("200 millis")
        expect(yield* snapshots.restore("start")).toBe("Restored")
        expect(mover.state).toEqual({ now: new Date(START).toISOString(), rate: 0 })
        yield* Effect.sleep("200 millis")
        expect(mover.world.now).toBe(START)
      })
    ))

  it("leaves a running clock running when the restore is refused", () =>
    inWorld((mover, snapshots) =>
      Effect.gen(function* () {
        yield* mover.carryOut({ _tag: "Rate", rate: 1 })
        expect(yield* snapshots.restore("start")).toBe("Unknown")
        expect(mover.state.rate).toBe(1)
      })
    ))

  it("is called outdated, not unknown, after a migration of the database", () =>
    inWorld((_, snapshots) =>
      Effect.gen(function* () {
        yield* snapshots.save("start")
        const sql = yield* SqlClient
        yield* sql`INSERT INTO schema_migrations (id, name, applied_at) VALUES (99999, '99999_other_type', now())`
        expect(yield* snapshots.restore("start")).toBe("Outdated")
        expect(yield* snapshots.restore("star")).toBe("Unknown")
      })
    ))
})
