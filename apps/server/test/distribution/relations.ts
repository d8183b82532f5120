import type { Node, RangeFunction, RangeVar } from "libpg-query"
import * as Keyed from "./KeyedTerms.js"
import { isGiven, stripped, strings } from "./nodes.js"

/**
 * The tables that a statement may access: distributed tables with the column that distributes them, and copied tables.
 */
export interface Schema {
  /** The columns of each table, in order. */
  readonly columns: ReadonlyMap<string, ReadonlyArray<string>>
  /**
   * For each distributed table, the column that distributes it. Copied tables are absent. A partition has the column of
   * its parent.
   */
  readonly keys: ReadonlyMap<string, string>
}

/**
 * How one mention of a distributed table in a statement is restricted by its key. `one`: to the rows of one value.
 * `several`: to the rows of a few given values. `every`: not at all, so that the statement asks every shard.
 */
export interface Mention {
  readonly table: string
  readonly key: string
  readonly how: "one" | "several" | "every"
  /** The numbers of the statement's parameters with which the statement compares the key for equality. */
  readonly parameters: ReadonlyArray<number>
}

/** A column in the result of a query. */
export interface Output {
  readonly name: string
  readonly known: Keyed.KnownValue
}

export interface Relation {
  /** The name that qualifies the relation's columns. */
  readonly alias: string
  /** A number that distinguishes relations of the same name in a statement. */
  readonly id: number
  /** The names of the columns; an empty list when the columns are unknown. */
  readonly columns: ReadonlyArray<string>
  readonly table: string | null
}

export interface Scope {
  readonly schema: Schema
  readonly found: Array<Mention>
  readonly ctes: ReadonlyMap<string, ReadonlyArray<Output>>
  /** The relations that a correlated query can refer to, with the innermost level first. */
  readonly outer: ReadonlyArray<ReadonlyArray<Relation>>
  readonly terms: Keyed.Terms
}

let relations = 0

/** One level of a query, while the parts of its FROM are read. */
export interface Level {
  readonly scope: Scope
  readonly here: Array<Relation>
  /**
   * The LATERAL sub-queries of FROM, in order. They may refer to the other parts of FROM, so they are read last, when
   * all equalities of this query are known.
   */
  readonly lateral: Array<{ readonly relation: Relation; readonly select: Node }>
  /** The parts of FROM that contain no condition, but may contain sub-queries. */
  readonly rest: Array<unknown>
}

export const notUnderstood = (what: unknown): Error =>
  new Error(`not understood, so nobody knows what it touches: ${JSON.stringify(what)}`)

export const columnsOf = (table: string, { schema }: Scope): ReadonlyArray<string> => {
  const columns = schema.columns.get(table)
  if (columns === undefined) throw notUnderstood({ table })
  return columns
}

const CATALOGUE: ReadonlySet<string | undefined> = new Set(["pg_catalog", "information_schema"])

export const tableOf = ({ alias, relname = "", schemaname }: RangeVar, one: Level): void => {
  // An alias that also renames columns, such as `fixes AS f (a, b)`, is not supported.
  if (alias?.colnames !== undefined) throw notUnderstood({ alias })
  const isOurs = !CATALOGUE.has(schemaname) && !relname.startsWith("pg_")
  const columns = isOurs ? columnsOf(relname, one.scope) : []
  add(one, alias?.aliasname ?? relname, columns, isOurs ? relname : null)
}

/** Functions whose rows come from their arguments only, and not from a table. */
const UNPACKING: ReadonlySet<string> = new Set(["unnest", "jsonb_to_recordset"])

export const functionOf = (
  { alias, coldeflist = [], functions = [], is_rowsfrom, ordinality }: RangeFunction,
  one: Level
) => {
  const [call, ...more] = functions.flatMap((list) => ("List" in list ? (list.List.items ?? []) : []))
  if (call === undefined || !("FuncCall" in call) || more.some((part) => "FuncCall" in part) || is_rowsfrom === true) {
    throw notUnderstood({ functions })
  }
  const { args = [], funcname } = call.FuncCall
  const name = strings(funcname).at(-1) ?? ""
  const defined = coldeflist.flatMap((column) => ("ColumnDef" in column ? [column.ColumnDef.colname ?? ""] : []))
  const names = strings(alias?.colnames)
  const own = defined.length > 0 ? defined : name === "unnest" ? args.map(() => name) : []
  // For functions other than `unnest`, the columns are known only if the statement names them.
  const all = own.length === 0 ? names : [...own, ...(ordinality === true ? ["ordinality"] : [])]
  const columns = all.length === 1 && defined.length === 0 ? [alias?.aliasname ?? name] : all
  const relation = add(
    one,
    alias?.aliasname ?? name,
    columns.map((column, index) => names[index] ?? column),
    null
  )
  const known = UNPACKING.has(name) && args.every(isGiven) ? Keyed.SEVERAL : Keyed.UNKNOWN
  define(
    relation,
    own.map((name) => ({ name, known })),
    one.scope.terms
  )
  one.rest.push(functions)
}

export const add = (one: Level, alias: string, columns: ReadonlyArray<string>, table: string | null): Relation => {
  const relation = { alias, id: ++relations, columns, table }
  one.here.push(relation)
  return relation
}

export const define = (relation: Relation, outputs: ReadonlyArray<Output>, terms: Keyed.Terms): void => {
  for (const [index, { known }] of outputs.entries()) {
    Keyed.learn(terms, `${relation.id}.${relation.columns[index] ?? ""}`, known)
  }
}

/** Returns the term of an expression, if it is a column or a given value; null for any other expression. */
export type Reader = (
  node: Node | undefined
) => { readonly term: string; readonly relation: number | null } | Keyed.KnownValue | null

export const reading = ({ here, scope }: Level): Reader => {
  const levels = [here, ...scope.outer]
  return (node) => {
    const bare = stripped(node)
    if (bare === undefined) return null
    if ("ParamRef" in bare) return Keyed.parameter(bare.ParamRef.number ?? 0)
    if ("ColumnRef" in bare) {
      const names = strings(bare.ColumnRef.fields)
      const [alias, column] = names.length === 2 ? names : [undefined, names[0]]
      if (column === undefined) return null
      for (const level of levels) {
        const relation = level.find((one) => (alias === undefined ? one.columns.includes(column) : one.alias === alias))
        if (relation !== undefined) return { term: `${relation.id}.${column}`, relation: relation.id }
        // A relation of this query has unknown columns, and `column` may be one of them. So nothing is known about the
        // value.
        if (level.some(({ columns }) => columns.length === 0)) return null
      }
      return null
    }
    return isGiven(bare) ? Keyed.ONE : null
  }
}
