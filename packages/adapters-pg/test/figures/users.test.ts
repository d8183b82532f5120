import { SqlFiguresStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { COUNTED_MAX, FiguresStore } from "@place-access/domain/figures"
import { AppId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { START, withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"

const APP = AppId.make("app_1")

describe("the users of a popular app", () => {
  const run = withStores(migratedEmbedded, SqlFiguresStore.layer)

  /**
   * Adds the connections of the people with the numbers `from` to `to`. The connections of people with an even number
   * have ended.
   */
  const connect = (sql: SqlClient, from: number, to: number) =>
    sql`INSERT INTO connections (user_id, connection_id, app_id, sub, held_scopes, places_version, connected_at,
                                 ended_at)
        SELECT 'usr_' || n, 'con_' || n, ${APP}, 'sub_' || n, '{}', 1, at, CASE WHEN n % 2 = 0 THEN at END
        FROM generate_series(${from}::integer, ${to}::integer) n,
             LATERAL (SELECT ${new Date(START)}::timestamptz + n * interval '1 second' AS at) connected`

  it("only the newest 10,000 connections are counted, ended ones too, and the count says so", async () => {
    const [below, full, beyond] = await run(
      Effect.gen(function* () {
        const [sql, store] = [yield* SqlClient, yield* FiguresStore]
        const users = store.users(APP, Timestamp.make(START + Timestamp.DAY))
        yield* connect(sql, 1, COUNTED_MAX - 1)
        const below = yield* users
        yield* connect(sql, COUNTED_MAX, COUNTED_MAX)
        const full = yield* users
        yield* connect(sql, COUNTED_MAX + 1, COUNTED_MAX + 100)
        return [below, full, yield* users]
      })
    )
    expect(below).toEqual({ live: COUNTED_MAX / 2, isAtMax: false, connected: [] })
    expect(full).toEqual({ live: COUNTED_MAX / 2, isAtMax: true, connected: [] })
    expect(beyond).toEqual(full)
  })
})
