import { Either } from "effect"

/** Small shared tables, which are joined with everybody's rows: copied to every node. */
export const COPIED_TABLES: ReadonlySet<string> = new Set([
  "accounts",
  "sessions",
  "sign_in_tries",
  "apps",
  "purposes",
  "key_canaries",
  "schema_migrations"
])

/** Tables of one row a thing that is looked up by its name and joined with nothing: spread by that name, each by itself. */
export const LOOKUP_TABLES: ReadonlySet<string> = new Set(["connection_routes", "consent_requests", "rate_windows"])

/** Whose rows lie together: the column that they are spread by, and the table that the others are put beside. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ["user_id", "connections"],
  ["app_id", "endpoints"]
])

/** What of a schema decides how it can be spread. Partitions are no tables of their own here. */
export interface Catalogue {
  readonly tables: ReadonlyArray<{ readonly name: string; readonly primaryKey: ReadonlyArray<string> }>
  readonly uniqueIndexes: ReadonlyArray<{
    readonly table: string
    readonly name: string
    readonly columns: ReadonlyArray<string>
  }>
  readonly foreignKeys: ReadonlyArray<ForeignKey>
  /** What is spread or copied already, and how. */
  readonly placed: ReadonlyMap<string, Placement>
}

export interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly references: string
  /** As `ALTER TABLE … ADD CONSTRAINT … ` takes it. */
  readonly definition: string
}

/** `spread` by a column, or a `copied` table. */
export type Placement = { readonly _tag: "Copied" } | { readonly _tag: "Spread"; readonly key: string }

/** What is done in one transaction. */
export interface Step {
  readonly tables: ReadonlyArray<string>
  /** For people. */
  readonly says: string
  readonly statements: ReadonlyArray<string>
}

/** The column that a table is spread by; undefined when it is copied. Null: it has no place, and its primary key is why. */
export const keyOf = (table: string, primaryKey: ReadonlyArray<string>): string | null | undefined => {
  if (COPIED_TABLES.has(table)) return undefined
  const [first] = primaryKey
  return first !== undefined && (LOOKUP_TABLES.has(table) || GROUPS.has(first)) ? first : null
}

/**
 * The statements that spread a schema, in order, without what is done already; or what stands in the way, in sentences. The rules
 * are Citus's: a unique index holds the key; a foreign key leads from one copied table to another. (It could also stay within one
 * person's rows; there is none.)
 */
export const make = (
  catalogue: Catalogue,
  shards: number
): Either.Either<ReadonlyArray<Step>, ReadonlyArray<string>> => {
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

/** Whoever others are put beside comes first. */
const order = (a: string, b: string): number => {
  const leads = (name: string) => ([...GROUPS.values()].includes(name) ? 0 : 1)
  return leads(a) - leads(b) || (a < b ? -1 : 1)
}

/**
 * All at once, because foreign keys lead from one to another: they are taken away and come back in the transaction. `sequential`:
 * Citus refuses to go on in parallel where a copied table was written in the same transaction.
 */
const copyStep = (tables: ReadonlyArray<string>, foreignKeys: ReadonlyArray<ForeignKey>): Step => {
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

const spreadStep = (table: string, key: string, shards: number): Step => {
  const leader = LOOKUP_TABLES.has(table) ? table : (GROUPS.get(key) ?? table)
  const where =
    leader === table ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => ${relation(leader)}`
  return {
    tables: [table],
    says: `${table}: spread by ${key}${leader === table ? ` over ${shards} shards` : `, beside ${leader}`}`,
    statements: [`SELECT create_distributed_table(${relation(table)}, ${literal(key)}, ${where})`]
  }
}

/** Always in quotes: a name may be a word of SQL. */
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A table as an argument of Citus's functions, where words of SQL need no quotes. */
const relation = (name: string): string => literal(/^[a-z_][a-z0-9_]*$/.test(name) ? name : identifier(name))
