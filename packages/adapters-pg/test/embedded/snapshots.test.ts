import { SqlClient } from "@effect/sql/SqlClient"
import { Snapshots } from "@place-access/adapters-pg"
import { ConnectionRoutes, layer } from "@place-access/adapters-pg/connection/ConnectionRoutes"
import { ConnectionId } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { migratedEmbedded } from "../support/embedded.js"

const ID = ConnectionId.make("con_drawn0again0after0the0snap")

const approve = (userId: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO connection_routes VALUES (${ID}, ${userId})`)
const userOf = Effect.flatMap(ConnectionRoutes, (routes) => Effect.map(routes.userOf(ID), Option.getOrNull))

describe("snapshots of a test world [virtual-time-4]", () => {
  it("a connection's id that is drawn again after a restore belongs to its new user", () =>
    Effect.gen(function* () {
      yield* Snapshots.save("before", "")
      yield* approve("usr_first")
      expect(yield* userOf).toBe("usr_first")
      yield* Snapshots.restore("before")
      expect(yield* userOf).toBeNull()
      yield* approve("usr_second")
      expect(yield* userOf).toBe("usr_second")
    }).pipe(Effect.provide(layer), Effect.provide(migratedEmbedded), Effect.runPromise))

  it("after a migration an older snapshot is not restored, also when the columns kept their names", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Snapshots.save("before", "it is nine")
      expect(yield* Snapshots.notesOf("before")).toEqual(Option.some("it is nine"))
      yield* sql`INSERT INTO schema_migrations (id, name, applied_at) VALUES (99999, '99999_other_type', now())`
      expect(yield* Snapshots.notesOf("before")).toEqual(Option.none())
      yield* Snapshots.save("after", "")
      expect(yield* Snapshots.notesOf("after")).toEqual(Option.some(""))
    }).pipe(Effect.provide(migratedEmbedded), Effect.runPromise))
})
