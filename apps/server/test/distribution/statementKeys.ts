import type { Node, ParseResult, SelectStmt, WithClause } from "libpg-query"
import { parse } from "libpg-query"
import * as Keyed from "./KeyedTerms.js"

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

/**
 * Reads a statement with PostgreSQL's own parser and proves, or not, that it names the key of every spread table that it mentions:
 * `=` or `= ANY` with what it is given, or equal to the key of a mention that is so restricted, also through joins, sub-queries and
 * WITH. What is not understood restricts nothing, so that a mistake here accuses and never acquits.
 */
export const mentions = async (text: string, schema: Schema): Promise<ReadonlyArray<Mention>> => {
  const { stmts = [] }: ParseResult = await parse(text)
  const found: Array<Mention> = []
  for (const { stmt } of stmts) {
    if (stmt !== undefined) query(stmt, { schema, found, ctes: new Map(), outer: [], terms: Keyed.empty() })
  }
  return found
}

/** A column that a query gives. */
interface Output {
  readonly name: string
  readonly known: Keyed.Known
}

interface Relation {
  /** What columns are qualified with. */
  readonly alias: string
  /** Tells it from others of the same name in the statement. */
  readonly id: number
  readonly columns: ReadonlyArray<string>
  readonly table: string | null
}

interface Scope {
  readonly schema: Schema
  readonly found: Array<Mention>
  readonly ctes: ReadonlyMap<string, ReadonlyArray<Output>>
  /** Relations that a correlated query sees, innermost level first. */
  readonly outer: ReadonlyArray<ReadonlyArray<Relation>>
  readonly terms: Keyed.Terms
}

let relations = 0

/** A level of a query while its FROM is read. */
interface Level {
  readonly scope: Scope
  readonly here: Array<Relation>
  /** In order: LATERAL sub-queries, read once all equalities of this level are known. */
  readonly lateral: Array<{ readonly relation: Relation; readonly select: Node }>
}

const query = (node: Node, scope: Scope): ReadonlyArray<Output> => {
  if ("SelectStmt" in node) return select(node.SelectStmt, scope)
  if ("InsertStmt" in node) {
    const { cols = [], onConflictClause, relation, returningClause, selectStmt, withClause } = node.InsertStmt
    const within = withCtes(withClause, scope)
    const given = selectStmt === undefined ? [] : query(selectStmt, within)
    const table = relation?.relname ?? ""
    const key = scope.schema.keys.get(table)
    const names = cols.flatMap((col) => ("ResTarget" in col ? [col.ResTarget.name ?? ""] : []))
    const known = given[names.indexOf(key ?? "")]?.known ?? Keyed.UNKNOWN
    if (key !== undefined) mention(scope, table, key, known)
    subqueriesOf(onConflictClause, within)
    return (returningClause?.exprs ?? []).flatMap((target) =>
      targetNames(target, scope.schema.columns.get(table) ?? []).map((name) => ({
        name,
        known: name === key ? known : Keyed.UNKNOWN
      }))
    )
  }
  if ("UpdateStmt" in node) {
    const { fromClause = [], relation, returningClause, targetList, whereClause, withClause } = node.UpdateStmt
    const target = relation === undefined ? [] : [{ RangeVar: relation }]
    return level(
      withCtes(withClause, scope),
      [...target, ...fromClause],
      whereClause,
      returningClause?.exprs,
      targetList
    )
  }
  if ("DeleteStmt" in node) {
    const { relation, returningClause, usingClause = [], whereClause, withClause } = node.DeleteStmt
    const target = relation === undefined ? [] : [{ RangeVar: relation }]
    return level(withCtes(withClause, scope), [...target, ...usingClause], whereClause, returningClause?.exprs, [])
  }
  return []
}

const select = (statement: SelectStmt, scope: Scope): ReadonlyArray<Output> => {
  const within = withCtes(statement.withClause, scope)
  const { fromClause, havingClause, larg, rarg, targetList, valuesLists, whereClause } = statement
  if (larg !== undefined && rarg !== undefined) {
    const [left, right] = [select(larg, within), select(rarg, within)]
    return left.map(({ known, name }, index) => ({
      name,
      known: Keyed.both(known, right[index]?.known ?? Keyed.UNKNOWN)
    }))
  }
  if (valuesLists !== undefined) {
    const rows = valuesLists.map((row) => ("List" in row ? (row.List.items ?? []) : []))
    const reader = reading({ scope: within, here: [], lateral: [] })
    for (const row of rows) subqueriesOf(row, within)
    return (rows[0] ?? []).map((_, column) => ({
      name: `column${column + 1}`,
      known: rows.map((row) => knownOf(row[column], reader, within.terms)).reduce(Keyed.both)
    }))
  }
  const rest = [havingClause, ...(statement.sortClause ?? []), statement.limitCount, statement.limitOffset]
  return level(within, fromClause ?? [], whereClause, targetList, rest)
}

const withCtes = (clause: WithClause | undefined, scope: Scope): Scope => {
  const ctes = new Map(scope.ctes)
  for (const node of clause?.ctes ?? []) {
    if (!("CommonTableExpr" in node)) continue
    const { aliascolnames = [], ctename = "", ctequery } = node.CommonTableExpr
    if (ctequery === undefined) continue
    // What a recursive one begins with is what it goes on with, if its other arm keeps it.
    const beginning = "SelectStmt" in ctequery ? ctequery.SelectStmt.larg : undefined
    if (clause?.recursive === true && beginning !== undefined) {
      ctes.set(ctename, renamed(select(beginning, { ...scope, ctes, found: [] }), aliascolnames))
    }
    ctes.set(ctename, renamed(query(ctequery, { ...scope, ctes: new Map(ctes) }), aliascolnames))
  }
  return { ...scope, ctes }
}

const renamed = (outputs: ReadonlyArray<Output>, names: ReadonlyArray<Node>): ReadonlyArray<Output> =>
  outputs.map(({ known, name }, index) => ({ known, name: strings(names)[index] ?? name }))

const level = (
  scope: Scope,
  from: ReadonlyArray<Node>,
  where: Node | undefined,
  targets: ReadonlyArray<Node> | undefined,
  rest: ReadonlyArray<Node | undefined> | undefined
): ReadonlyArray<Output> => {
  const terms = Keyed.copy(scope.terms)
  const one: Level = { scope: { ...scope, terms }, here: [], lateral: [] }
  const conditions: Array<Condition> = where === undefined ? [] : [{ of: where, only: null }]
  for (const item of from) relationsOf(item, one, conditions)
  const reader = reading(one)
  const inner: Scope = { ...one.scope, outer: [one.here, ...scope.outer] }
  for (const condition of conditions) restrict(condition.of, condition.only, reader, inner)
  for (const { relation, select } of one.lateral) define(relation, query(select, inner), terms)
  for (const { id, table } of one.here) {
    const key = table === null ? undefined : scope.schema.keys.get(table)
    if (table !== null && key !== undefined) mention(scope, table, key, Keyed.known(terms, `${id}.${key}`))
  }
  for (const { of } of conditions) subqueriesOf(of, inner)
  subqueriesOf([targets, rest], inner)
  return (targets ?? []).flatMap((target) => outputsOf(target, one, reader))
}

const mention = (scope: Scope, table: string, key: string, { how, parameters }: Keyed.Known): void =>
  void scope.found.push({ table, key, how: how ?? "every", parameters: [...parameters].sort((a, b) => a - b) })

/** A condition that must hold of every row; of an outer join only for the rows of `only`, the side that may be missing. */
interface Condition {
  readonly of: Node
  readonly only: ReadonlySet<number> | null
}

const relationsOf = (item: Node, one: Level, conditions: Array<Condition>): void => {
  if ("RangeVar" in item) {
    const { alias, relname = "" } = item.RangeVar
    const cte = item.RangeVar.schemaname === undefined ? one.scope.ctes.get(relname) : undefined
    const columns = cte?.map(({ name }) => name) ?? one.scope.schema.columns.get(relname) ?? []
    const relation = add(one, alias?.aliasname ?? relname, columns, cte === undefined ? relname : null)
    if (cte !== undefined) define(relation, cte, one.scope.terms)
  } else if ("RangeSubselect" in item) {
    const { alias, lateral, subquery } = item.RangeSubselect
    if (subquery === undefined) return
    // Its columns are named by what it selects; which of them are known is seen when it is read.
    const names = strings(alias?.colnames ?? [])
    const outputs = query(subquery, {
      ...one.scope,
      found: lateral === true ? [] : one.scope.found,
      outer: seenBy(one, lateral)
    })
    const relation = add(
      one,
      alias?.aliasname ?? "",
      outputs.map(({ name }, index) => names[index] ?? name),
      null
    )
    if (lateral === true) one.lateral.push({ relation, select: subquery })
    else define(relation, outputs, one.scope.terms)
  } else if ("RangeFunction" in item) {
    const { alias, coldeflist = [], functions = [] } = item.RangeFunction
    const call = functions
      .flatMap((list) => ("List" in list ? (list.List.items ?? []) : []))
      .find((part) => "FuncCall" in part)
    const args = call !== undefined && "FuncCall" in call ? (call.FuncCall.args ?? []) : []
    const named = coldeflist.flatMap((column) => ("ColumnDef" in column ? [column.ColumnDef.colname ?? ""] : []))
    const names = named.length > 0 ? named : strings(alias?.colnames ?? [])
    const columns = names.length > 0 ? names : args.map((_, index) => `column${index + 1}`)
    const relation = add(one, alias?.aliasname ?? "", columns, null)
    // A list of values that the statement is given, as a table.
    const known = args.every(isGiven) ? Keyed.SEVERAL : Keyed.UNKNOWN
    define(
      relation,
      columns.map((name) => ({ name, known })),
      one.scope.terms
    )
  } else if ("JoinExpr" in item) {
    const { jointype, larg, quals, rarg } = item.JoinExpr
    if (larg !== undefined) relationsOf(larg, one, conditions)
    const before = one.here.length
    if (rarg !== undefined) relationsOf(rarg, one, conditions)
    const right = new Set(one.here.slice(before).map(({ id }) => id))
    if (quals !== undefined && jointype === "JOIN_INNER") conditions.push({ of: quals, only: null })
    if (quals !== undefined && jointype === "JOIN_LEFT") conditions.push({ of: quals, only: right })
  }
}

const seenBy = (one: Level, lateral: boolean | undefined) =>
  lateral === true ? [one.here, ...one.scope.outer] : one.scope.outer

const add = (one: Level, alias: string, columns: ReadonlyArray<string>, table: string | null): Relation => {
  const relation = { alias, id: ++relations, columns, table }
  one.here.push(relation)
  return relation
}

const define = (relation: Relation, outputs: ReadonlyArray<Output>, terms: Keyed.Terms): void => {
  for (const [index, { known }] of outputs.entries()) {
    Keyed.learn(terms, `${relation.id}.${relation.columns[index] ?? ""}`, known)
  }
}

/** Gives the term that an expression is: a column, or a value that the statement is given; null for anything else. */
type Reader = (
  node: Node | undefined
) => { readonly term: string; readonly relation: number | null } | Keyed.Known | null

const reading = ({ here, scope }: Level): Reader => {
  const levels = [here, ...scope.outer]
  return (node) => {
    const bare = stripped(node)
    if (bare === undefined) return null
    if ("ParamRef" in bare) return Keyed.parameter(bare.ParamRef.number ?? 0)
    if ("ColumnRef" in bare) {
      const names = strings(bare.ColumnRef.fields ?? [])
      const [alias, column] = names.length === 2 ? names : [undefined, names[0]]
      if (column === undefined) return null
      for (const level of levels) {
        const relation = level.find((one) => (alias === undefined ? one.columns.includes(column) : one.alias === alias))
        if (relation !== undefined) return { term: `${relation.id}.${column}`, relation: relation.id }
      }
      return null
    }
    return isGiven(bare) ? Keyed.ONE : null
  }
}

const restrict = (node: Node, only: ReadonlySet<number> | null, reader: Reader, inner: Scope): void => {
  if ("BoolExpr" in node && node.BoolExpr.boolop === "AND_EXPR") {
    for (const arg of node.BoolExpr.args ?? []) restrict(arg, only, reader, inner)
    return
  }
  if ("SubLink" in node && node.SubLink.subLinkType === "ANY_SUBLINK" && (node.SubLink.operName ?? []).length === 0) {
    const { subselect, testexpr } = node.SubLink
    if (subselect === undefined) return
    // Read again, for its mentions, with the other sub-queries of the level.
    const outputs = query(subselect, { ...inner, found: [] })
    for (const [index, side] of sides(testexpr).entries()) {
      equal(reader(side), Keyed.several(outputs[index]?.known ?? Keyed.UNKNOWN), only, inner.terms)
    }
    return
  }
  if (!("A_Expr" in node) || strings(node.A_Expr.name ?? []).at(-1) !== "=") return
  const { kind, lexpr, rexpr } = node.A_Expr
  if (kind === "AEXPR_OP") {
    const [left, right] = [sides(lexpr), sides(rexpr)]
    if (left.length !== right.length) return
    for (const [index, side] of left.entries()) equal(reader(side), reader(right[index]), only, inner.terms)
  } else if ((kind === "AEXPR_OP_ANY" || kind === "AEXPR_IN") && rexpr !== undefined && isGiven(rexpr)) {
    equal(reader(lexpr), Keyed.SEVERAL, only, inner.terms)
  }
}

/** The parts of a row; of anything else itself. */
const sides = (node: Node | undefined): ReadonlyArray<Node | undefined> =>
  node !== undefined && "RowExpr" in node ? (node.RowExpr.args ?? []) : [node]

const equal = (
  left: ReturnType<Reader>,
  right: ReturnType<Reader>,
  only: ReadonlySet<number> | null,
  terms: Keyed.Terms
): void => {
  for (const [to, from] of [[left, right] as const, [right, left] as const]) {
    if (to === null || from === null || !("term" in to)) continue
    // The rows of the other side of an outer join are there whether the condition holds or not.
    if (only !== null && !only.has(to.relation ?? -1)) continue
    if ("term" in from) Keyed.follow(terms, to.term, from.term)
    else Keyed.learn(terms, to.term, from)
  }
}

const outputsOf = (target: Node, one: Level, reader: Reader): ReadonlyArray<Output> => {
  const value = "ResTarget" in target ? target.ResTarget.val : undefined
  if (
    value !== undefined &&
    "ColumnRef" in value &&
    (value.ColumnRef.fields ?? []).some((field) => "A_Star" in field)
  ) {
    const [alias] = strings(value.ColumnRef.fields ?? [])
    return one.here
      .filter((relation) => alias === undefined || relation.alias === alias)
      .flatMap(({ columns, id }) =>
        columns.map((name) => ({ name, known: Keyed.known(one.scope.terms, `${id}.${name}`) }))
      )
  }
  const name = "ResTarget" in target ? (target.ResTarget.name ?? lastName(value)) : ""
  return [{ name, known: knownOf(value, reader, one.scope.terms) }]
}

const knownOf = (node: Node | undefined, reader: Reader, terms: Keyed.Terms): Keyed.Known => {
  const read = reader(node)
  return read === null ? Keyed.UNKNOWN : "term" in read ? Keyed.known(terms, read.term) : read
}

/** The names that a target of RETURNING on a table gives. */
const targetNames = (target: Node, columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const value = "ResTarget" in target ? target.ResTarget.val : undefined
  const isStar =
    value !== undefined && "ColumnRef" in value && (value.ColumnRef.fields ?? []).some((field) => "A_Star" in field)
  return isStar ? columns : ["ResTarget" in target ? (target.ResTarget.name ?? lastName(value)) : ""]
}

const lastName = (node: Node | undefined): string => {
  const bare = stripped(node)
  return bare !== undefined && "ColumnRef" in bare ? (strings(bare.ColumnRef.fields ?? []).at(-1) ?? "") : ""
}

const stripped = (node: Node | undefined): Node | undefined =>
  node === undefined
    ? undefined
    : "TypeCast" in node
      ? stripped(node.TypeCast.arg)
      : "CollateClause" in node
        ? stripped(node.CollateClause.arg)
        : node

const strings = (nodes: ReadonlyArray<Node>): ReadonlyArray<string> =>
  nodes.flatMap((node) => ("String" in node ? [node.String.sval ?? ""] : []))

/** Whether an expression is made of what the statement is given, and of nothing that is in a table. */
const isGiven = (node: unknown): boolean =>
  typeof node !== "object" || node === null
    ? true
    : !("ColumnRef" in node) && !("SubLink" in node) && !("A_Star" in node) && Object.values(node).every(isGiven)

/** Reads every sub-query of an expression, wherever in it. */
const subqueriesOf = (node: unknown, inner: Scope): void => {
  if (typeof node !== "object" || node === null) return
  if ("SubLink" in node) {
    const { subselect, testexpr } = (node as Extract<Node, { SubLink: unknown }>).SubLink
    if (subselect !== undefined) query(subselect, inner)
    subqueriesOf(testexpr, inner)
  } else {
    for (const value of Object.values(node)) subqueriesOf(value, inner)
  }
}
