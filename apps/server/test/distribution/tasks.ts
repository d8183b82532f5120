import type pg from "pg"
import type { Executed } from "./recorder.js"

/** The coordinator's plan for a statement. */
export interface Plan {
  /**
   * The number of shards that the plan asks. 0 means that the coordinator moves rows between the nodes, and the plan
   * names no shard.
   */
  readonly tasks: number
  /** Whether the whole statement is planned as one step, without parts whose rows go to another node. */
  readonly isWhole: boolean
}

const literal = (value: string | null): string => (value === null ? "NULL" : `'${value.replaceAll("'", "''")}'`)

/** Explains an execution with the values of its parameters. The statement is not executed. */
export const planOf = async (client: pg.Client, { text, values }: Executed): Promise<Plan> => {
  await client.query("BEGIN")
  try {
    await client.query(`PREPARE asked AS ${text}`)
    const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`
    const { rows } = await client.query<{ readonly "QUERY PLAN": string }>(`EXPLAIN EXECUTE asked${given}`)
    const lines = rows.map((row) => row["QUERY PLAN"])
    const counts = lines.flatMap((line) => {
      const [, count] = /Task Count: (\d+)/.exec(line) ?? []
      return count === undefined ? [] : [Number(count)]
    })
    return {
      tasks: counts.reduce((sum, count) => sum + count, 0),
      isWhole: !lines.some((line) => /Distributed Subplan|INSERT \.\.\. SELECT/.test(line))
    }
  } finally {
    await client.query("ROLLBACK")
    await client.query("DEALLOCATE ALL")
  }
}

/** Makes a line of a Markdown table. */
export const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`
