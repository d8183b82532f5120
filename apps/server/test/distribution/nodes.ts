import type { Node } from "libpg-query"

/** Small functions that read PostgreSQL's syntax tree. */

/** Removes casts and collations. */
export const stripped = (node: Node | undefined): Node | undefined =>
  node === undefined
    ? undefined
    : "TypeCast" in node
      ? stripped(node.TypeCast.arg)
      : "CollateClause" in node
        ? stripped(node.CollateClause.arg)
        : node

export const strings = (nodes: ReadonlyArray<Node> = []): ReadonlyArray<string> =>
  nodes.flatMap((node) => ("String" in node ? [node.String.sval ?? ""] : []))

/**
 * The parts of a row expression such as `(a, b)`. For any other expression, a list that contains only the expression.
 */
export const sides = (node: Node | undefined): ReadonlyArray<Node | undefined> =>
  node !== undefined && "RowExpr" in node ? (node.RowExpr.args ?? []) : [node]

/** The expression of a target of SELECT or RETURNING. */
export const valueOf = (target: Node): Node | undefined => ("ResTarget" in target ? target.ResTarget.val : undefined)

/** The qualifier of a star, as a list: empty for `*`, `t` for `t.*`. Null for any other expression. */
export const starOf = (value: Node | undefined): ReadonlyArray<string> | null =>
  value !== undefined && "ColumnRef" in value && (value.ColumnRef.fields ?? []).some((field) => "A_Star" in field)
    ? strings(value.ColumnRef.fields)
    : null

/** The name of the column that a target (an entry of a SELECT or RETURNING list) yields. */
export const nameOf = (target: Node): string => {
  if ("ResTarget" in target && target.ResTarget.name !== undefined) return target.ResTarget.name
  const bare = stripped(valueOf(target))
  const names =
    bare === undefined
      ? []
      : "ColumnRef" in bare
        ? strings(bare.ColumnRef.fields)
        : "FuncCall" in bare
          ? strings(bare.FuncCall.funcname)
          : []
  return names.at(-1) ?? ""
}

/** The names of the columns that a statement writes. */
export const written = (targets: ReadonlyArray<Node> = []): ReadonlyArray<string> =>
  targets.flatMap((target) => ("ResTarget" in target ? [target.ResTarget.name ?? ""] : []))

const GIVEN: ReadonlySet<string> = new Set([
  "A_ArrayExpr",
  "A_Const",
  "A_Expr",
  "CollateClause",
  "Integer",
  "List",
  "ParamRef",
  "String",
  "TypeCast"
])

/** Whether an expression consists of parameters and constants only, without a table or a function. */
export const isGiven = (node: unknown): boolean =>
  typeof node !== "object" || node === null
    ? true
    : Object.entries(node).every(([name, value]) => (!/^[A-Z]/.test(name) || GIVEN.has(name)) && isGiven(value))
