import { PgClient } from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import { QuickStatement } from "@place-access/adapters-pg/driver/Statement"
import { Effect, Layer, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../support/contracts.js"
import { emptyEmbedded } from "../support/embedded.js"

/** The templates are at module level, so that every call after the first finds the compiled text in the cache. */
const templates: Readonly<Record<string, (sql: SqlClient, value: unknown) => ReturnType<SqlClient["unsafe"]>>> = {
  parameters: (sql, value) => sql`SELECT ${value}::text, ${2}::int`,
  "a fragment or nothing": (sql, value) =>
    sql`SELECT 1 WHERE true ${value === null ? sql`` : sql`AND ${value}::text = 'x'`} AND ${3}::int = 3`,
  "fragments in fragments": (sql, value) => {
    const inner = sql`a = ${value}`
    return sql`SELECT ${sql.and([inner, sql`b = ${1}`, sql.literal("c")])} AND ${sql`${inner} OR ${sql.literal("d")}`}`
  },
  "one fragment or another with the same parameters": (sql, value) =>
    sql`SELECT 1 WHERE ${value === null ? sql`a = ${1}` : sql`b = ${1}`}`,
  "one or another, deeper": (sql, value) =>
    sql`SELECT 1 WHERE ${sql.and([sql`c = ${value}`, value === null ? sql`a = ${1}` : sql`b = ${1}`])} OR ${sql`NOT (${value === "x" ? sql`d < ${2}` : sql`d > ${2}`})`}`,
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

  it("is compiled once in each of eight shapes of its template, and shapes that are used once push only each other out", () =>
    run(
      Effect.gen(function* () {
        const [sql, library] = [yield* SqlClient, yield* PgClient]
        let compiled = 0
        const counting = (strings: TemplateStringsArray, ...args: ReadonlyArray<unknown>) => {
          compiled++
          return library(strings, ...args)
        }
        const host = { library: Object.assign(counting, library) as unknown as PgClient, attributes: {} }
        const counted = (strings: TemplateStringsArray, ...args: ReadonlyArray<unknown>) =>
          new QuickStatement(host, () => Effect.never, strings, args)
        const of = (client: SqlClient | typeof counted, count: number) =>
          client`SELECT ${sql.and(Array.from({ length: count }, (_, index) => sql`x <> ${index}`))}`
        const compilesOf = (count: number) => {
          const before = compiled
          expect(of(counted, count).compile()).toEqual(of(library, count).compile())
          return compiled - before
        }
        const shapes = Array.from({ length: 20 }, (_, index) => index + 1)
        expect(shapes.map(compilesOf)).toEqual(shapes.map(() => 1))
        expect(shapes.slice(0, 7).map(compilesOf)).toEqual([0, 0, 0, 0, 0, 0, 0])
        // A shape that becomes frequent stays in the cache too, from its second use on.
        expect([21, 21, 22, 21, 23, 21, 24, 21].map(compilesOf)).toEqual([1, 0, 1, 0, 1, 0, 1, 0])
        expect(shapes.slice(1, 6).map(compilesOf)).toEqual([0, 0, 0, 0, 0])
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
