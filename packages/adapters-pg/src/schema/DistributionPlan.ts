import { Either } from "effect"

/**
 * Small shared tables, which Citus copies to every node, so that statements can join them with the rows of any user.
 */
export const COPIED_TABLES: ReadonlySet<string> = new Set([
  "accounts",
  "sessions",
  "account_links",
  "pending_accounts",
  "passkeys",
  "code_apps",
  "recovery_codes",
  "factor_removals",
  "passkey_challenges",
  "sign_in_tries",
  "apps",
  "app_members",
  "app_invitations",
  "purposes",
  "key_canaries",
  "schema_migrations"
])

/**
 * Tables that no statement joins with another table. Each is distributed by the first column of its primary key, and
 * independently of the other tables.
 */
export const LOOKUP_TABLES: ReadonlySet<string> = new Set([
  "connection_routes",
  "consent_requests",
  "leases",
  "rate_windows",
  "workers"
])

/**
 * The groups of tables: rows of one group with the same key are on the same node. Each entry has the column that
 * distributes the group, and the table with which the group's other tables are colocated.
 */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ["user_id", "connections"],
  ["app_id", "endpoints"]
])

/**
 * The facts about a schema that decide how it can be distributed. Only parent tables are listed, not their partitions.
 */
export interface Catalogue {
  readonly tables: ReadonlyArray<{ readonly name: string; readonly primaryKey: ReadonlyArray<string> }>
  readonly uniqueIndexes: ReadonlyArray<{
    readonly table: string
    readonly name: string
    readonly columns: ReadonlyArray<string>
  }>
  readonly foreignKeys: ReadonlyArray<ForeignKey>
  /** The tables that are distributed or copied already, and how. */
  readonly placed: ReadonlyMap<string, Placement>
}

export interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly references: string
  /** The text that follows `ALTER TABLE … ADD CONSTRAINT … `. */
  readonly definition: string
}

/** Spread: distributed by the column `key`. Copied: on every node. */
export type Placement = { readonly _tag: "Copied" } | { readonly _tag: "Spread"; readonly key: string }

/** The statements of one transaction. */
export interface DistributionStep {
  readonly tables: ReadonlyArray<string>
  /** A line that tells the operator about the step. */
  readonly says: string
  readonly statements: ReadonlyArray<string>
}

/**
 * The column that distributes a table; undefined when the table is copied; null when the table's primary key begins
 * with no column that can distribute it.
 */
export const keyOf = (table: string, primaryKey: ReadonlyArray<string>): string | null | undefined => {
  if (COPIED_TABLES.has(table)) return undefined
  const [first] = primaryKey
  return first !== undefined && (LOOKUP_TABLES.has(table) || GROUPS.has(first)) ? first : null
}

/**
 * Returns the statements that distribute a schema, in order and without the statements that have run already; or the
 * obstacles, in sentences. The rules are those of Citus: every unique index contains the distribution column, and a
 * foreign key leads from one copied table to another. (Citus also allows a foreign key between distributed tables of
 * one group, but the schema has none.)
 */
export const make = (
  catalogue: Catalogue,
  shards: number
): Either.Either<ReadonlyArray<DistributionStep>, ReadonlyArray<string>> => {
  const keys = new Map(catalogue.tables.map(({ name, primaryKey }) => [name, keyOf(name, primaryKey)]))
  const faults = [...misplaced(keys), ...uncovered(catalogue, keys), ...crossing(catalogue), ...other(catalogue, keys)]
  if (faults.length > 0) return Either.left(faults)
  const open = [...keys].filter(([name]) => !catalogue.placed.has(name)).sort(([a], [b]) => order(a, b))
  const copied = open.flatMap(([name, key]) => (key === undefined ? [name] : []))
  const spread = open.flatMap(([name, key]) => (typeof key === "string" ? [spreadStep(name, key, shards)] : []))
  return Either.right([...(copied.length === 0 ? [] : [copyStep(copied, catalogue.foreignKeys)]), ...spread])
}

type Keys = ReadonlyMap<string, string | null | undefined>

const misplaced = (keys: Keys): ReadonlyArray<string> =>
  [...keys].flatMap(([name, key]) =>
    key === null ? [`${name}: its primary key begins with nothing that rows are spread by`] : []
  )

const uncovered = ({ uniqueIndexes }: Catalogue, keys: Keys): ReadonlyArray<string> =>
  uniqueIndexes.flatMap(({ columns, name, table }) => {
    const key = keys.get(table)
    return typeof key === "string" && !columns.includes(key) ? [`${table}: ${name} is unique without ${key}`] : []
  })

const crossing = ({ foreignKeys }: Catalogue): ReadonlyArray<string> =>
  foreignKeys.flatMap(({ name, references, table }) =>
    COPIED_TABLES.has(table) && COPIED_TABLES.has(references)
      ? []
      : [`${table}: ${name} leads to ${references}, which may lie on another node`]
  )

const other = ({ placed }: Catalogue, keys: Keys): ReadonlyArray<string> =>
  [...placed].flatMap(([name, placement]) => {
    if (!keys.has(name)) return []
    const key = keys.get(name)
    const is = placement._tag === "Copied" ? undefined : placement.key
    return is === key ? [] : [`${name}: it is ${is === undefined ? "copied" : `spread by ${is}`} already`]
  })

/** The table that leads a group comes first, because the other tables of the group are placed beside it. */
const order = (a: string, b: string): number => {
  const leads = (name: string) => ([...GROUPS.values()].includes(name) ? 0 : 1)
  return leads(a) - leads(b) || (a < b ? -1 : 1)
}

/**
 * Copies all tables in one transaction, because foreign keys lead from one table to another: the statements drop these
 * foreign keys and add them again. Citus refuses parallel statements after a write to a copied table in the same
 * transaction, so the step sets `sequential`.
 */
const copyStep = (tables: ReadonlyArray<string>, foreignKeys: ReadonlyArray<ForeignKey>): DistributionStep => {
  const between = foreignKeys.filter(({ references, table }) => tables.includes(table) || tables.includes(references))
  return {
    tables,
    says: `${tables.join(", ")}: copied to every node`,
    statements: [
      "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
      ...between.map(({ name, table }) => `ALTER TABLE ${identifier(table)} DROP CONSTRAINT ${identifier(name)}`),
      ...tables.map((table) => `SELECT create_reference_table(${relation(table)})`),
      ...between.map(
        ({ definition, name, table }) =>
          `ALTER TABLE ${identifier(table)} ADD CONSTRAINT ${identifier(name)} ${definition}`
      )
    ]
  }
}

const spreadStep = (table: string, key: string, shards: number): DistributionStep => {
  const leader = LOOKUP_TABLES.has(table) ? table : (GROUPS.get(key) ?? table)
  const where =
    leader === table ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => ${relation(leader)}`
  return {
    tables: [table],
    says: `${table}: spread by ${key}${leader === table ? ` over ${shards} shards` : `, beside ${leader}`}`,
    statements: [`SELECT create_distributed_table(${relation(table)}, ${literal(key)}, ${where})`]
  }
}

/** Quotes every name, because a name may be an SQL keyword. */
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A table as an argument of Citus's functions, where keywords need no quotes. */
const relation = (name: string): string => literal(/^[a-z_][a-z0-9_]*$/.test(name) ? name : identifier(name))
