import { PgClient } from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../support/contracts.js"
import { emptyEmbedded } from "../support/embedded.js"

/** One template each, so that every call after the first finds its text remembered. */
const templates: Readonly<Record<string, (sql: SqlClient, value: unknown) => ReturnType<SqlClient["unsafe"]>>> = {
  parameters: (sql, value) => sql`SELECT ${value}::text, ${2}::int`,
  "a fragment or nothing": (sql, value) =>
    sql`SELECT 1 WHERE true ${value === null ? sql`` : sql`AND ${value}::text = 'x'`} AND ${3}::int = 3`,
  "fragments in fragments": (sql, value) => {
    const inner = sql`a = ${value}`
    return sql`SELECT ${sql.and([inner, sql`b = ${1}`, sql.literal("c")])} AND ${sql`${inner} OR ${sql.literal("d")}`}`
  },
  literals: (sql, value) => sql`SELECT ${sql.literal(value === null ? "1" : "2")}, ${value}`,
  "a parameter where another time nothing is": (sql, value) =>
    sql`SELECT ${value === null ? sql.and(["a ", "b"]) : sql.and([sql`a ${value}`, "b"])}`,
  identifiers: (sql, value) => sql`SELECT ${sql(value === null ? "a" : 'b"c')} FROM ${sql("t")} WHERE x = ${value}`,
  "what only the library knows": (sql, value) =>
    sql`SELECT 1 WHERE 'x' IN ${sql.in(value === null ? ["a"] : ["a", "b"])}`,
  values: (sql, value) => sql`SELECT ${[value, "a"]}, ${new Date(0)}, ${Buffer.from("x")}, ${{ a: value }}, ${true}`
}

describe("a statement", () => {
  const run = withStores(emptyEmbedded, Layer.empty)

  it("has the text and parameters that the library's has, the first time and after that", () =>
    run(
      Effect.gen(function* () {
        const [sql, library] = [yield* SqlClient, yield* PgClient]
        for (const [name, template] of Object.entries(templates)) {
          for (const value of ["x", null, "y", null, "x"]) {
            expect({ name, text: template(sql, value).compile() }).toEqual({
              name,
              text: template(library, value).compile()
            })
          }
        }
      })
    ))

  it("with ever new shapes is compiled each time", () =>
    run(
      Effect.gen(function* () {
        const [sql, library] = [yield* SqlClient, yield* PgClient]
        const of = (client: SqlClient, count: number) =>
          client`SELECT ${client.and(Array.from({ length: count }, (_, index) => client`x <> ${index}`))}`
        for (const round of [1, 2]) {
          for (let count = round; count < 20; count++) {
            expect(of(sql, count).compile()).toEqual(of(library, count).compile())
          }
        }
      })
    ))

  it("is a span where somebody traces", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const names: Array<string> = []
        const tracer = Tracer.make({
          span: (name, parent, context, links, startTime, kind) => {
            names.push(name)
            const attributes = new Map<string, unknown>()
            return {
              _tag: "Span",
              name,
              spanId: "",
              traceId: "",
              sampled: true,
              parent,
              context,
              links,
              kind,
              attributes,
              status: { _tag: "Started", startTime },
              end: () => expect(attributes.get("db.query.text")).toBe("SELECT $1::int AS one"),
              attribute: (key, value) => void attributes.set(key, value),
              event: () => undefined,
              addLinks: () => undefined
            }
          },
          context: (f) => f()
        })
        expect(yield* sql`SELECT ${1}::int AS one`.pipe(Effect.withTracer(tracer))).toEqual([{ one: 1 }])
        expect(names).toEqual(["sql.execute"])
      })
    ))
})
