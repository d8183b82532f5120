import { Distribution, Rows } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Check, type Contract } from "@place-access/domain/testing"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const OTHER_TABLES: ReadonlySet<string> = new Set([...Distribution.COPIED_TABLES, ...Distribution.LOOKUP_TABLES])

const Index = Schema.Struct({
  table_name: Schema.String,
  index_name: Schema.String,
  is_primary: Schema.Boolean,
  columns: Schema.Array(Schema.String)
})

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql`SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
    ORDER BY relname`.pipe(Rows.all(Schema.Struct({ name: Schema.String })))
  return rows.map(({ name }) => name)
})

const uniqueIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient
  return yield* sql`SELECT t.relname AS table_name, i.relname AS index_name, x.indisprimary AS is_primary,
      (SELECT array_agg(a.attname::text ORDER BY k.position)
        FROM unnest(x.indkey) WITH ORDINALITY AS k (attribute, position)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attribute) AS columns
    FROM pg_index x
    JOIN pg_class t ON t.oid = x.indrelid
    JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indisunique AND NOT t.relispartition AND t.relnamespace = 'public'::regnamespace
    ORDER BY 1, 2`.pipe(Rows.all(Index))
})

export const catalogueContract: Contract<SqlClient> = [
  {
    name: "every table but those that are copied or looked up by name has user_id or app_id first in its primary key",
    run: Effect.gen(function* () {
      const primary = new Map(
        (yield* uniqueIndexes).filter((index) => index.is_primary).map((index) => [index.table_name, index.columns])
      )
      const names = yield* tables
      Check.isTrue(names.length > OTHER_TABLES.size, "the schema is there")
      const wrong = names.filter((name) => {
        const first = primary.get(name)?.[0]
        return !OTHER_TABLES.has(name) && first !== "user_id" && first !== "app_id"
      })
      Check.equal(wrong, [], "tables that could not be distributed")
    })
  },
  {
    name: "every unique index of those tables begins with the same column as their primary key",
    run: Effect.gen(function* () {
      const indexes = yield* uniqueIndexes
      const key = new Map(
        indexes.filter((index) => index.is_primary).map((index) => [index.table_name, index.columns[0]])
      )
      const wrong = indexes.filter(
        (index) => !OTHER_TABLES.has(index.table_name) && index.columns[0] !== key.get(index.table_name)
      )
      Check.equal(
        wrong.map((index) => index.index_name),
        [],
        "unique indexes that could not be distributed"
      )
    })
  },
  {
    name: "the lists of other tables name none that is not there",
    run: Effect.gen(function* () {
      const names = new Set(yield* tables)
      Check.equal(
        [...OTHER_TABLES].filter((name) => !names.has(name)),
        [],
        "names without a table"
      )
    })
  },
  {
    name: "docs/database.md names every table",
    run: Effect.gen(function* () {
      const page = readFileSync(join(import.meta.dirname, "../../../../docs/database.md"), "utf8")
      Check.equal(
        (yield* tables).filter((name) => !page.includes(`\`${name}\``)),
        [],
        "tables that the page does not name"
      )
    })
  },
  {
    name: "no column has a default that reads the server's clock, and no key comes from a sequence",
    run: Effect.gen(function* () {
      const sql = yield* SqlClient
      const defaults = yield* sql`SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND (column_default ~* 'now|current_|timestamp|nextval' OR is_identity = 'YES')`
      Check.equal(defaults, [], "columns with such a default")
    })
  }
]
