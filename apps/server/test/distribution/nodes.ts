import type { Node } from "libpg-query"

/** Small readings of PostgreSQL's syntax tree. */

/** Without casts and collations. */
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

/** The parts of a row; of anything else itself. */
export const sides = (node: Node | undefined): ReadonlyArray<Node | undefined> =>
  node !== undefined && "RowExpr" in node ? (node.RowExpr.args ?? []) : [node]

/** The expression of a target of SELECT or RETURNING. */
export const valueOf = (target: Node): Node | undefined => ("ResTarget" in target ? target.ResTarget.val : undefined)

/** Of `*` nothing and of `t.*` the `t`, in a list; null of anything else. */
export const starOf = (value: Node | undefined): ReadonlyArray<string> | null =>
  value !== undefined && "ColumnRef" in value && (value.ColumnRef.fields ?? []).some((field) => "A_Star" in field)
    ? strings(value.ColumnRef.fields)
    : null

/** What the column is called that a target gives. */
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

/** The columns that a statement writes, by name. */
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

/** Whether an expression is made of what the statement is given, and of nothing that a table or a function says. */
export const isGiven = (node: unknown): boolean =>
  typeof node !== "object" || node === null
    ? true
    : Object.entries(node).every(([name, value]) => (!/^[A-Z]/.test(name) || GIVEN.has(name)) && isGiven(value))
