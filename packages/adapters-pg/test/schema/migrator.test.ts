import { Migrator } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../../src/schema/migrations/index.js"
import { emptyEmbedded } from "../support/embedded.js"
import { digestOf, released, releasedDigest } from "../support/released.js"

const migration = (id: number, name: string, ...statements: ReadonlyArray<string>): Migrator.Migration => ({
  id,
  name,
  statements
})
const one = migration(1, "0001_one", "CREATE TABLE one (id int)")
const two = migration(2, "0002_two", "CREATE TABLE two (id int)")
const three = migration(3, "0003_three", "CREATE TABLE three (id int)")

describe("the list of migrations", () => {
  it("is in order, numbered and named", () => {
    expect(() => Migrator.fromRecord(migrations)).not.toThrow()
    expect(() => Migrator.fromRecord({ "0002_b": [], "0001_a": [] })).toThrow("0001_a")
    expect(() => Migrator.fromRecord({ "0001_a": [], "0001_b": [] })).toThrow("0001_b")
    expect(() => Migrator.fromRecord({ first: [] })).toThrow("first")
  })

  it("begins with everything that was ever released: nothing is renamed, taken out or put in between", () => {
    expect(Object.keys(migrations).slice(0, released.length)).toEqual(released)
  })

  it("has the released migrations as they were released: no statement of them changed", () => {
    expect(digestOf(Object.values(migrations).slice(0, released.length))).toBe(releasedDigest)
    const [plain, changed] = [["CREATE TABLE one (\n  id int\n)"], ["CREATE TABLE one (\n  id bigint\n)"]]
    expect(digestOf([plain])).not.toBe(digestOf([changed]))
    expect(digestOf([plain])).not.toBe(digestOf([plain, plain]))
    expect(digestOf([plain])).toBe(digestOf([["-- one\nCREATE TABLE one (\n  -- a number\n    id int\n) -- end"]]))
  })
})

describe("migrate", () => {
  it.effect("applies what is missing, in order, once", () =>
    Effect.gen(function* () {
      expect(yield* Migrator.migrateWith([one])).toEqual(["0001_one"])
      expect(yield* Migrator.migrateWith([one, two, three])).toEqual(["0002_two", "0003_three"])
      expect(yield* Migrator.migrateWith([one, two, three])).toEqual([])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("applies all of it or nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const broken = migration(2, "0002_broken", "CREATE TABLE half (id int)", "CREATE NONSENSE")
      yield* Effect.flip(Migrator.migrateWith([one, broken]))
      const tables = yield* sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
      expect(tables).toEqual([])
      expect(yield* Migrator.migrateWith([one, two])).toEqual(["0001_one", "0002_two"])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("refuses a migration that came in below one that was applied: it would never run", () =>
    Effect.gen(function* () {
      yield* Migrator.migrateWith([one, three])
      const error = yield* Effect.flip(Migrator.migrateWith([one, two, three]))
      expect(error).toMatchObject({ _tag: "MigrationRefused", message: expect.stringContaining("0002_two") })
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("refuses a database whose migration of that number is another", () =>
    Effect.gen(function* () {
      yield* Migrator.migrateWith([one])
      const error = yield* Effect.flip(Migrator.migrateWith([migration(1, "0001_other")]))
      expect(error).toMatchObject({ _tag: "MigrationRefused", message: expect.stringContaining("0001_other") })
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("an older program starts on the database of a newer one", () =>
    Effect.gen(function* () {
      yield* Migrator.migrateWith([one, two, three])
      expect(yield* Migrator.migrateWith([one, two])).toEqual([])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect(
    "an account that never chose how long history is kept keeps it without a limit from the migration on; a choice stays [M3-default]",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const all = Migrator.fromRecord(migrations)
        yield* Migrator.migrateWith(all.filter(({ id }) => id < 27))
        for (const id of ["usr_chose", "usr_never"]) {
          yield* sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
                   VALUES (${id}, ${`${id}@example.com`}, 'Ada', 'hash', '{}', now())`
        }
        yield* sql`INSERT INTO history_choices (user_id, keep_days, chosen_at) VALUES ('usr_chose', 30, now())`
        yield* Migrator.migrateWith(all)
        expect(yield* sql`SELECT user_id, keep_days FROM history_choices ORDER BY user_id`).toEqual([
          { user_id: "usr_chose", keep_days: 30 },
          { user_id: "usr_never", keep_days: null }
        ])
      }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect(
    "places that wait for the stays of an undone import wait no more from their migration on [imports-13]",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const all = Migrator.fromRecord(migrations)
        yield* Migrator.migrateWith(all.filter(({ id }) => id < 90))
        yield* sql`INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at)
                 VALUES ('usr_1', 'dev_there', 'Pixel', 'json', 'hash', now())`
        for (const id of ["dev_there", "dev_gone"]) {
          yield* sql`INSERT INTO stay_backfills (user_id, device_id, place_id, due_from)
                   VALUES ('usr_1', ${id}, 'plc_1', now())`
        }
        yield* Migrator.migrateWith(all)
        expect(yield* sql`SELECT device_id FROM stay_backfills`).toEqual([{ device_id: "dev_there" }])
      }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("leaves statistics behind, so that new tables are planned well", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const filled = migration(1, "0001_filled", "CREATE TABLE filled AS SELECT generate_series(1, 1000) AS id")
      yield* Migrator.migrateWith([filled])
      expect(yield* sql`SELECT reltuples::int FROM pg_class WHERE relname = 'filled'`).toEqual([{ reltuples: 1000 }])
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.effect("leaves none of empty tables, which would count as empty for long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Migrator.migrateWith([migration(1, "0001_empty", "CREATE TABLE empty (id integer PRIMARY KEY)")])
      expect(yield* sql`SELECT reltuples::int FROM pg_class WHERE relname = 'empty'`).toEqual([{ reltuples: -1 }])
    }).pipe(Effect.provide(emptyEmbedded))
  )
})
