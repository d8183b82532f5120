import type { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import { Rows } from "@place-access/adapters-pg"
import { Effect, Schema } from "effect"

/** One step of an executed plan. Row counts are averages over the times that the step ran. */
export interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly "Total Cost": number
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}
const Plan = Schema.Struct({ "QUERY PLAN": Schema.Array(Schema.Struct({ Plan: Schema.Any })) })

/** A step of a query plan, and all steps below the step. */
export const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

/** How many rows a step of the plan read, including the rows that it discarded by its filter. */
export const rowsRead = (node: Node): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]

/** The rows that each step of the plan read from the table. */
export const readsOf = (root: Node, table: string): ReadonlyArray<number> =>
  nodes(root)
    .filter((node) => node["Relation Name"] === table && node["Node Type"] !== "ModifyTable")
    .map(rowsRead)

export type Mode = "force_generic_plan" | "force_custom_plan"

const text = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

/** An SQL literal for a parameter of a statement. PostgreSQL reads the literal as a value of the parameter's type. */
const literal = (value: unknown): string => {
  if (value === null) return "NULL"
  const own = Array.isArray(value)
    ? `{${value.map((one) => (one === null ? "NULL" : JSON.stringify(text(one)))).join(", ")}}`
    : text(value)
  return `'${own.replaceAll("'", "''")}'`
}

/**
 * Explains a prepared statement. `mode` says whether the plan is for these values or for any values. The connection
 * goes back to the pool without the prepared statement, even after a failure: a rollback would not remove the prepared
 * statement.
 */
export const explained = (sql: SqlClient, statement: Statement<object>, mode: Mode) =>
  Effect.gen(function* () {
    const [text, values] = statement.compile()
    yield* sql`SELECT set_config('plan_cache_mode', ${mode}, true)`
    yield* sql.unsafe(`PREPARE asked AS ${text}`)
    const [plan] = yield* sql
      .unsafe(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked(${values.map(literal).join(", ")})`)
      .pipe(Rows.all(Plan), sql.withTransaction, Effect.ensuring(Effect.orDie(sql.unsafe("DEALLOCATE asked"))))
    return plan?.["QUERY PLAN"][0]?.Plan as Node
  }).pipe(sql.withTransaction)
