import { Rows, SqlAccountStore, SqlAppStore, SqlPurposeStore, SqlVolumeFlagStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { VolumeFlagStore } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Effect, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const CONNECTIONS = 2_000

describeServers("SqlVolumeFlagStore, many at once", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlPurposeStore.layer, SqlVolumeFlagStore.layer)
  )

  it("eight workers whose clocks differ by milliseconds flag each connection once", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const flags = yield* VolumeFlagStore
        const app = yield* Fixtures.app((yield* Fixtures.user).id)
        yield* Fixtures.purpose(app.id, "find_me")
        const now = yield* Timestamp.now
        // Inserts 21 calls of each connection. The purpose expects ten.
        yield* sql`INSERT INTO access_log (user_id, at, entry_id, app_id, connection_id, endpoint, purpose, status)
                   SELECT 'usr_' || c, ${Rows.at(now - 1)}, 'log_' || c || '_' || n, ${app.id}, 'con_' || c,
                          'GET /v1/locations/latest', 'find_me', 200
                   FROM generate_series(1, ${CONNECTIONS}) c, generate_series(1, 21) n`
        const raised = yield* Effect.forEach(
          [0, 1, 2, 3, 4, 5, 6, 7],
          (later) => {
            const to = Timestamp.plus(now, later)
            return flags.raise({ from: Timestamp.plus(to, -Timestamp.DAY), to, factor: 2 })
          },
          { concurrency: "unbounded" }
        )
        expect(raised.reduce((sum, count) => sum + count, 0)).toBe(CONNECTIONS)
        const [counted] = yield* sql`SELECT count(*) AS flags, count(DISTINCT connection_id) AS connections
                                     FROM volume_flags`.pipe(
          Rows.all(Schema.Struct({ flags: Rows.Bigint, connections: Rows.Bigint }))
        )
        expect(counted).toEqual({ flags: CONNECTIONS, connections: CONNECTIONS })
      })
    ))
})
