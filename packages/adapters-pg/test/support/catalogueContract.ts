import { Distribution, Rows } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Check, type Contract } from "@place-access/domain/testing"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * A copy of the lists in `DistributionPlan.ts`. The test compares the two, so that nobody moves a table to another
 * group by mistake. To move a table on purpose, change both lists.
 */
const COPIED = [
  "account_links",
  "accounts",
  "app_invitations",
  "app_members",
  "apps",
  "code_apps",
  "factor_removals",
  "key_canaries",
  "passkey_challenges",
  "passkeys",
  "pending_accounts",
  "purposes",
  "recovery_codes",
  "schema_migrations",
  "sessions",
  "sign_in_tries"
]

/**
 * Tables that are distributed neither by the id of a user nor by the id of an app, each with the column by which it is
 * distributed.
 */
const LOOKED_UP: Readonly<Record<string, string>> = {
  connection_routes: "connection_id",
  consent_requests: "request_id",
  leases: "home",
  rate_windows: "subject",
  workers: "worker_id"
}

const GROUPS: Readonly<Record<string, ReadonlyArray<string>>> = {
  user_id: [
    "access_log",
    "access_tokens",
    "account_deletions",
    "audit_events",
    "authorization_codes",
    "budgets",
    "connection_places",
    "connections",
    "consent_history",
    "erasures",
    "devices",
    "events",
    "export_pieces",
    "exports",
    "fix_counts",
    "fixes",
    "history_choices",
    "idempotent_answers",
    "import_pieces",
    "imports",
    "mail_outbox",
    "named_mail",
    "place_shapes",
    "places",
    "quarantined_fixes",
    "refresh_tokens",
    "rule_states",
    "rules",
    "stay_backfills",
    "stays",
    "subjects",
    "subscriptions",
    "tier_notices",
    "upload_streams",
    "visit_reports",
    "volume_flags"
  ],
  app_id: [
    "app_calls",
    "app_hours",
    "deliveries",
    "delivery_attempts",
    "endpoint_hours",
    "endpoints",
    "listener_events",
    "listeners",
    "review_decisions",
    "strike_warnings"
  ]
}

/** The column that distributes each table; null for tables that are copied to every node. */
export const PLACES: ReadonlyMap<string, string | null> = new Map([
  ...COPIED.map((table) => [table, null] as const),
  ...Object.entries(LOOKED_UP),
  ...Object.entries(GROUPS).flatMap(([key, tables]) => tables.map((table) => [table, key] as const))
])

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
    name: "every table is copied, looked up by its name, or first by user_id or app_id in its primary key, as listed",
    run: Effect.gen(function* () {
      const primary = new Map(
        (yield* uniqueIndexes).filter((index) => index.is_primary).map((index) => [index.table_name, index.columns])
      )
      const names = yield* tables
      Check.equal([...names].sort(), [...PLACES.keys()].sort(), "the tables that there are")
      const wrong = names.filter((name) => {
        const key = PLACES.get(name)
        return key !== null && primary.get(name)?.[0] !== key
      })
      Check.equal(wrong, [], "tables that could not be distributed")
    })
  },
  {
    name: "`db distribute` gives every table the place that is listed",
    run: Effect.gen(function* () {
      const primary = new Map(
        (yield* uniqueIndexes).filter((index) => index.is_primary).map((index) => [index.table_name, index.columns])
      )
      Check.equal([...Distribution.COPIED_TABLES].sort(), COPIED, "copied")
      Check.equal([...Distribution.LOOKUP_TABLES].sort(), Object.keys(LOOKED_UP), "looked up by their name")
      const wrong = (yield* tables).filter(
        (name) => (Distribution.keyOf(name, primary.get(name) ?? []) ?? null) !== PLACES.get(name)
      )
      Check.equal(wrong, [], "tables with another place")
    })
  },
  {
    name: "every unique index of those tables that are spread begins with the column that they are spread by",
    run: Effect.gen(function* () {
      const wrong = (yield* uniqueIndexes).filter(({ columns, table_name }) => {
        const key = PLACES.get(table_name)
        return key !== null && columns[0] !== key
      })
      Check.equal(
        wrong.map((index) => index.index_name),
        [],
        "unique indexes that could not be distributed"
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
