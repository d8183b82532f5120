import type { Node, RangeFunction, RangeVar } from "libpg-query"
import * as Keyed from "./KeyedTerms.js"
import { isGiven, stripped, strings } from "./nodes.js"

/** What a statement may touch: tables that are spread, by which column, and tables that are copied. */
export interface Schema {
  /** The columns of each table, in order. */
  readonly columns: ReadonlyMap<string, ReadonlyArray<string>>
  /** The column that a table is spread by; not there when it is copied. A partition has its parent's. */
  readonly keys: ReadonlyMap<string, string>
}

/**
 * How one mention of a spread table is restricted by its key: to the rows of `one` value, of `several` that the statement is given, or
 * not at all, so that `every` shard is asked.
 */
export interface Mention {
  readonly table: string
  readonly key: string
  readonly how: "one" | "several" | "every"
  /** The numbers of the parameters that the key equals. */
  readonly parameters: ReadonlyArray<number>
}

/** A column that a query gives. */
export interface Output {
  readonly name: string
  readonly known: Keyed.Known
}

export interface Relation {
  /** What columns are qualified with. */
  readonly alias: string
  /** Tells it from others of the same name in the statement. */
  readonly id: number
  /** None: nobody knows which. */
  readonly columns: ReadonlyArray<string>
  readonly table: string | null
}

export interface Scope {
  readonly schema: Schema
  readonly found: Array<Mention>
  readonly ctes: ReadonlyMap<string, ReadonlyArray<Output>>
  /** Relations that a correlated query sees, innermost level first. */
  readonly outer: ReadonlyArray<ReadonlyArray<Relation>>
  readonly terms: Keyed.Terms
}

let relations = 0

/** A level of a query while its FROM is read. */
export interface Level {
  readonly scope: Scope
  readonly here: Array<Relation>
  /** In order: LATERAL sub-queries, read once all equalities of this level are known. */
  readonly lateral: Array<{ readonly relation: Relation; readonly select: Node }>
  /** What in FROM restricts nothing and may hold sub-queries. */
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
  // Columns by other names.
  if (alias?.colnames !== undefined) throw notUnderstood({ alias })
  const isOurs = !CATALOGUE.has(schemaname) && !relname.startsWith("pg_")
  const columns = isOurs ? columnsOf(relname, one.scope) : []
  add(one, alias?.aliasname ?? relname, columns, isOurs ? relname : null)
}

/** Functions that give rows of what they are given, and of nothing else. */
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
  // Of other functions it is not known which columns they give, unless they are named.
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

/** Gives the term that an expression is: a column, or a value that the statement is given; null for anything else. */
export type Reader = (
  node: Node | undefined
) => { readonly term: string; readonly relation: number | null } | Keyed.Known | null

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
        // It may be theirs.
        if (level.some(({ columns }) => columns.length === 0)) return null
      }
      return null
    }
    return isGiven(bare) ? Keyed.ONE : null
  }
}
