import { Distribution } from "@place-access/adapters-pg"
import pg from "pg"
import type { Schema } from "./statementKeys.js"

/** Reads the tables of the database, and how `db distribute` would distribute them. */
export const readSchema = async (databaseUrl: string): Promise<Schema> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; whole: string; columns: Array<string>; key: Array<string> }>(`
      SELECT t.relname AS name, coalesce(i.inhparent::regclass::text, t.relname) AS whole,
        (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
         WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped) AS columns,
        (SELECT array_agg(a.attname::text ORDER BY k.position)
         FROM pg_index x, unnest(x.indkey) WITH ORDINALITY AS k (attribute, position), pg_attribute a
         WHERE x.indrelid = t.oid AND x.indisprimary AND a.attrelid = t.oid AND a.attnum = k.attribute) AS key
      FROM pg_class t LEFT JOIN pg_inherits i ON i.inhrelid = t.oid
      WHERE t.relkind IN ('r', 'p') AND t.relnamespace = 'public'::regnamespace`)
    return {
      columns: new Map(rows.map(({ columns, name }) => [name, columns])),
      keys: new Map(
        rows.flatMap(({ key, name, whole }): ReadonlyArray<[string, string]> => {
          const column = Distribution.keyOf(whole, key)
          return column === undefined || column === null ? [] : [[name, column]]
        })
      )
    }
  } finally {
    await client.end()
  }
}
