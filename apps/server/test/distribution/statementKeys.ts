import type { InsertStmt, Node, ParseResult, RangeVar, SelectStmt, WithClause } from "libpg-query"
import { parse } from "libpg-query"
import * as Keyed from "./KeyedTerms.js"
import { isGiven, nameOf, sides, starOf, stripped, strings, valueOf, written } from "./nodes.js"
import {
  add,
  columnsOf,
  define,
  functionOf,
  type Level,
  type Mention,
  notUnderstood,
  type Output,
  type Reader,
  reading,
  type Relation,
  type Schema,
  type Scope,
  tableOf
} from "./relations.js"

export type { Mention, Schema } from "./relations.js"

/**
 * Reads a statement with PostgreSQL's own parser, and tries to prove that the statement names the key of every
 * distributed table that it mentions. The proof accepts a key that is compared with a given value by `=` or `= ANY`. It
 * also accepts a key that equals the restricted key of another mention, even through joins, sub-queries and WITH. In
 * doubt, the statement is reported: an unknown expression counts as no condition, and an unknown statement or part of
 * FROM throws. Queries inside a database function are not read.
 */
export const mentions = async (text: string, schema: Schema): Promise<ReadonlyArray<Mention>> => {
  const { stmts = [] }: ParseResult = await parse(text)
  const found: Array<Mention> = []
  for (const { stmt } of stmts) {
    if (stmt !== undefined) query(stmt, { schema, found, ctes: new Map(), outer: [], terms: Keyed.empty() })
  }
  return found
}

/** Statements that neither read nor write rows. Any other statement for which `query` has no case throws. */
const WITHOUT_ROWS: ReadonlySet<string> = new Set(["CreateStmt", "ListenStmt", "TransactionStmt", "VariableSetStmt"])

const query = (node: Node, scope: Scope): ReadonlyArray<Output> => {
  if ("SelectStmt" in node) return select(node.SelectStmt, scope)
  if ("InsertStmt" in node) return insert(node.InsertStmt, scope)
  if ("UpdateStmt" in node) {
    const { fromClause = [], relation, returningClause, whereClause, withClause, ...rest } = node.UpdateStmt
    const key = scope.schema.keys.get(relation?.relname ?? "")
    const isMoved = key !== undefined && written(rest.targetList).includes(key)
    // A statement that sets the key of a row may move the row to another shard. Such a statement counts as a mention
    // without a condition, so that the test reports the statement.
    if (isMoved) mention(scope, relation?.relname ?? "", key, Keyed.UNKNOWN)
    const outputs = level(withCtes(withClause, scope), relation, fromClause, whereClause, returningClause?.exprs, [
      rest,
      returningClause?.options
    ])
    return isMoved ? outputs.map(({ name }) => ({ name, known: Keyed.UNKNOWN })) : outputs
  }
  if ("DeleteStmt" in node) {
    const { relation, returningClause, usingClause = [], whereClause, withClause, ...rest } = node.DeleteStmt
    return level(withCtes(withClause, scope), relation, usingClause, whereClause, returningClause?.exprs, [
      rest,
      returningClause?.options
    ])
  }
  // The parser does not read the body of DO. A body without these words names no table.
  if ("DoStmt" in node && !/\b(?:FROM|JOIN|INTO|UPDATE|TABLE|EXECUTE|PERFORM)\b/i.test(JSON.stringify(node))) return []
  if (Object.keys(node).every((kind) => WITHOUT_ROWS.has(kind))) return []
  throw notUnderstood(node)
}

const insert = (statement: InsertStmt, scope: Scope): ReadonlyArray<Output> => {
  const { cols = [], onConflictClause, relation, returningClause, selectStmt, withClause, ...rest } = statement
  const within = withCtes(withClause, scope)
  const given = selectStmt === undefined ? [] : query(selectStmt, within)
  const table = relation?.relname ?? ""
  const columns = columnsOf(table, scope)
  const key = scope.schema.keys.get(table)
  const isMoved = key !== undefined && written(onConflictClause?.targetList).includes(key)
  const known = isMoved ? Keyed.UNKNOWN : (given[written(cols).indexOf(key ?? "")]?.known ?? Keyed.UNKNOWN)
  if (key !== undefined) mention(scope, table, key, known)
  const one: Level = { scope: within, here: [], lateral: [], rest: [] }
  add(one, relation?.alias?.aliasname ?? table, columns, null)
  subqueriesOf([rest, onConflictClause, returningClause], { ...within, outer: [one.here, ...within.outer] })
  return (returningClause?.exprs ?? []).flatMap((target) => {
    const value = valueOf(target)
    const source = starOf(value) === null ? [sourceOf(value, one.here)] : columns
    return source.map((column) => ({
      name: starOf(value) === null ? nameOf(target) : (column ?? ""),
      known: column !== null && column === key ? known : Keyed.UNKNOWN
    }))
  })
}

/** The name of the column, if the value is a column of the only relation in `here`; null for any other value. */
const sourceOf = (value: Node | undefined, here: ReadonlyArray<Relation>): string | null => {
  const bare = stripped(value)
  const names = bare !== undefined && "ColumnRef" in bare ? strings(bare.ColumnRef.fields) : []
  return names.length === 1 || (names.length === 2 && names[0] === here[0]?.alias) ? (names.at(-1) ?? null) : null
}

const select = (statement: SelectStmt, scope: Scope): ReadonlyArray<Output> => {
  const { fromClause, intoClause, larg, rarg, targetList, valuesLists, whereClause, withClause, ...rest } = statement
  if (intoClause !== undefined) throw notUnderstood({ intoClause })
  const within = withCtes(withClause, scope)
  if (larg !== undefined && rarg !== undefined) {
    const [left, right] = [select(larg, within), select(rarg, within)]
    subqueriesOf(rest, within)
    return left.map(({ known, name }, index) => ({
      name,
      known: Keyed.both(known, right[index]?.known ?? Keyed.UNKNOWN)
    }))
  }
  if (valuesLists !== undefined) {
    const rows = valuesLists.map((row) => ("List" in row ? (row.List.items ?? []) : []))
    const reader = reading({ scope: within, here: [], lateral: [], rest: [] })
    subqueriesOf([valuesLists, rest], within)
    return (rows[0] ?? []).map((_, column) => ({
      name: `column${column + 1}`,
      known: rows.map((row) => knownOf(row[column], reader, within.terms)).reduce(Keyed.both)
    }))
  }
  return level(within, undefined, fromClause ?? [], whereClause, targetList, rest)
}

const withCtes = (clause: WithClause | undefined, scope: Scope): Scope => {
  const ctes = new Map(scope.ctes)
  for (const node of clause?.ctes ?? []) {
    if (!("CommonTableExpr" in node)) throw notUnderstood(node)
    const { aliascolnames, ctename = "", ctequery } = node.CommonTableExpr
    if (ctequery === undefined) throw notUnderstood(node)
    const read = (found: Array<Mention>) => renamed(query(ctequery, { ...scope, ctes: new Map(ctes), found }), names)
    const names = strings(aliascolnames)
    const beginning = "SelectStmt" in ctequery ? ctequery.SelectStmt.larg : undefined
    if (clause?.recursive === true && beginning !== undefined) {
      // Reads a recursive WITH. Its first part gives the columns and what is known about them. A fact may be wrong for
      // the rows that the recursive part adds, so the loop drops such facts until the recursive part confirms all facts
      // that are left.
      let assumed = renamed(select(beginning, { ...scope, ctes, found: [] }), names)
      for (;;) {
        ctes.set(ctename, assumed)
        const after = read([])
        const kept = assumed.map(({ known, name }, index) => ({
          name,
          known: Keyed.both(known, after[index]?.known ?? Keyed.UNKNOWN)
        }))
        if (kept.every(({ known }, index) => Keyed.same(known, assumed[index]?.known ?? Keyed.UNKNOWN))) break
        assumed = kept
      }
    }
    ctes.set(ctename, read(scope.found))
  }
  return { ...scope, ctes }
}

const renamed = (outputs: ReadonlyArray<Output>, names: ReadonlyArray<string>): ReadonlyArray<Output> =>
  outputs.map(({ known, name }, index) => ({ known, name: names[index] ?? name }))

const level = (
  scope: Scope,
  /** The target of an UPDATE or DELETE. */
  target: RangeVar | undefined,
  from: ReadonlyArray<Node>,
  where: Node | undefined,
  targets: ReadonlyArray<Node> | undefined,
  /** The remaining parts of the statement. */
  rest: unknown
): ReadonlyArray<Output> => {
  const terms = Keyed.copy(scope.terms)
  const one: Level = { scope: { ...scope, terms }, here: [], lateral: [], rest: [] }
  const conditions: Array<Condition> = where === undefined ? [] : [{ of: where, only: null }]
  if (target !== undefined) tableOf(target, one)
  for (const item of from) relationsOf(item, one, conditions)
  const reader = reading(one)
  const inner: Scope = { ...one.scope, outer: [one.here, ...scope.outer] }
  for (const condition of conditions) restrict(condition.of, condition.only, reader, inner)
  for (const { relation, select } of one.lateral) define(relation, query(select, inner), terms)
  for (const { id, table } of one.here) {
    const key = table === null ? undefined : scope.schema.keys.get(table)
    if (table !== null && key !== undefined) mention(scope, table, key, Keyed.known(terms, `${id}.${key}`))
  }
  subqueriesOf([conditions, one.rest, targets, rest], inner)
  return (targets ?? []).flatMap((target) => outputsOf(target, one, reader))
}

const mention = (scope: Scope, table: string, key: string, { how, parameters }: Keyed.KnownValue): void =>
  void scope.found.push({ table, key, how: how ?? "every", parameters: [...parameters].sort((a, b) => a - b) })

/**
 * A condition of a query. `only` is null if the condition is true for every row of the result. For the ON condition of
 * an outer join, `only` has the relations whose rows may be missing: the condition is true only for their rows.
 */
interface Condition {
  readonly of: Node
  readonly only: ReadonlySet<number> | null
}

const relationsOf = (item: Node, one: Level, conditions: Array<Condition>): void => {
  if ("RangeVar" in item) {
    const { alias, relname = "", schemaname } = item.RangeVar
    const cte = schemaname === undefined ? one.scope.ctes.get(relname) : undefined
    if (cte === undefined) return tableOf(item.RangeVar, one)
    const outputs = renamed(cte, strings(alias?.colnames))
    const columns = outputs.map(({ name }) => name)
    define(add(one, alias?.aliasname ?? relname, columns, null), outputs, one.scope.terms)
  } else if ("RangeSubselect" in item) {
    const { alias, lateral, subquery } = item.RangeSubselect
    if (subquery === undefined) throw notUnderstood(item)
    // Reads a LATERAL sub-query only for the names of its columns, and ignores its mentions of tables. `level` reads it
    // a second time when all equalities of this query are known.
    const seen = { ...one.scope, found: lateral === true ? [] : one.scope.found, outer: seenBy(one, lateral) }
    const outputs = renamed(query(subquery, seen), strings(alias?.colnames))
    const columns = outputs.map(({ name }) => name)
    const relation = add(one, alias?.aliasname ?? "", columns, null)
    if (lateral === true) one.lateral.push({ relation, select: subquery })
    else define(relation, outputs, one.scope.terms)
  } else if ("RangeFunction" in item) {
    functionOf(item.RangeFunction, one)
  } else if ("JoinExpr" in item) {
    const { alias, isNatural, jointype, larg, quals, rarg, usingClause } = item.JoinExpr
    // USING and NATURAL are not supported. A join with them has fewer columns than its two sides together.
    if (larg === undefined || rarg === undefined || alias !== undefined) throw notUnderstood(item)
    if (isNatural === true || usingClause !== undefined) throw notUnderstood(item)
    relationsOf(larg, one, conditions)
    const before = one.here.length
    relationsOf(rarg, one, conditions)
    const right = new Set(one.here.slice(before).map(({ id }) => id))
    if (quals === undefined) return
    if (jointype === "JOIN_INNER") conditions.push({ of: quals, only: null })
    else if (jointype === "JOIN_LEFT") conditions.push({ of: quals, only: right })
    else one.rest.push(quals)
  } else throw notUnderstood(item)
}

const seenBy = (one: Level, lateral: boolean | undefined) =>
  lateral === true ? [one.here, ...one.scope.outer] : one.scope.outer

const restrict = (node: Node, only: ReadonlySet<number> | null, reader: Reader, inner: Scope): void => {
  if ("BoolExpr" in node && node.BoolExpr.boolop === "AND_EXPR") {
    for (const arg of node.BoolExpr.args ?? []) restrict(arg, only, reader, inner)
    return
  }
  if ("SubLink" in node && node.SubLink.subLinkType === "ANY_SUBLINK" && (node.SubLink.operName ?? []).length === 0) {
    const { subselect, testexpr } = node.SubLink
    if (subselect === undefined) return
    // Reads the sub-query for its columns, and ignores its mentions of tables. `level` reads it a second time for these
    // mentions, together with the other sub-queries.
    const outputs = query(subselect, { ...inner, found: [] })
    for (const [index, side] of sides(testexpr).entries()) {
      equal(reader(side), Keyed.several(outputs[index]?.known ?? Keyed.UNKNOWN), only, inner.terms)
    }
    return
  }
  if (!("A_Expr" in node) || strings(node.A_Expr.name).at(-1) !== "=") return
  const { kind, lexpr, rexpr } = node.A_Expr
  if (kind === "AEXPR_OP") {
    const [left, right] = [sides(lexpr), sides(rexpr)]
    if (left.length !== right.length) return
    for (const [index, side] of left.entries()) equal(reader(side), reader(right[index]), only, inner.terms)
  } else if ((kind === "AEXPR_OP_ANY" || kind === "AEXPR_IN") && rexpr !== undefined && isGiven(rexpr)) {
    equal(reader(lexpr), Keyed.SEVERAL, only, inner.terms)
  }
}

const equal = (
  left: ReturnType<Reader>,
  right: ReturnType<Reader>,
  only: ReadonlySet<number> | null,
  terms: Keyed.Terms
): void => {
  for (const [to, from] of [[left, right] as const, [right, left] as const]) {
    if (to === null || from === null || !("term" in to)) continue
    // An outer join also keeps rows of one side for which the condition is not true. So the condition says nothing
    // about the columns of this side.
    if (only !== null && !only.has(to.relation ?? -1)) continue
    if ("term" in from) Keyed.follow(terms, to.term, from.term)
    else Keyed.learn(terms, to.term, from)
  }
}

const outputsOf = (target: Node, one: Level, reader: Reader): ReadonlyArray<Output> => {
  const value = valueOf(target)
  const star = starOf(value)
  if (star === null) return [{ name: nameOf(target), known: knownOf(value, reader, one.scope.terms) }]
  const [alias] = star
  const such = one.here.filter((relation) => alias === undefined || relation.alias === alias)
  // A star (`*`) stands for all columns of its relations. If the columns of a relation are unknown, the result would
  // lack them, so the statement is refused as not understood.
  if (such.length === 0 || such.some(({ columns }) => columns.length === 0)) throw notUnderstood(target)
  return such.flatMap(({ columns, id }) =>
    columns.map((name) => ({ name, known: Keyed.known(one.scope.terms, `${id}.${name}`) }))
  )
}

const knownOf = (node: Node | undefined, reader: Reader, terms: Keyed.Terms): Keyed.KnownValue => {
  const read = reader(node)
  return read === null ? Keyed.UNKNOWN : "term" in read ? Keyed.known(terms, read.term) : read
}

const STATEMENT = /^[A-Z][A-Za-z]*Stmt$/

/** Reads every query in a node, at any depth. */
const subqueriesOf = (node: unknown, inner: Scope): void => {
  if (typeof node !== "object" || node === null) return
  if (Object.keys(node).some((name) => STATEMENT.test(name))) query(node as Node, inner)
  else for (const value of Object.values(node)) subqueriesOf(value, inner)
}
