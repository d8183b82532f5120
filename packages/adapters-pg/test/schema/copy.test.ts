import { Copy, Migrator } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { emptyEmbedded } from "../support/embedded.js"

describe("the target of a copy", () => {
  it.effect("may have no tables, empty tables, and the rows of migrations and of extensions; no other rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Copy.refuseRows(sql)
      yield* Migrator.migrateWith([{ id: 1, name: "0001_one", statements: ["CREATE TABLE one (id int)"] }])
      // An extension's table has rows from the beginning, as `spatial_ref_sys` of PostGIS has.
      yield* sql`CREATE TABLE spatial AS SELECT 1 AS id`
      yield* sql`ALTER EXTENSION plpgsql ADD TABLE spatial`
      yield* Copy.refuseRows(sql)
      yield* sql`INSERT INTO one (id) VALUES (1)`
      expect(yield* Effect.flip(Copy.refuseRows(sql))).toEqual(
        new Copy.CopyRefused({ message: "The table one of the target has rows" })
      )
    }).pipe(Effect.provide(emptyEmbedded))
  )
})
