import { listParameter } from "@place-access/adapters-pg/postgres/ListParameter"
import { FastCheck as fc } from "effect"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describePg, freshDatabase } from "../support/postgres.js"

describePg("lists as parameters", () => {
  let client: pg.Client
  let dropDatabase: () => Promise<void>
  beforeAll(async () => {
    const { drop, url } = await freshDatabase()
    dropDatabase = drop
    client = new pg.Client({ connectionString: url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await dropDatabase()
  })

  const text = fc.oneof(
    fc.constantFrom("", "NULL", "null", '"', "\\", '\\"', "{a,b}", "a b", " ", "\n", "é😀", "'; DROP TABLE x"),
    fc.string().filter((value) => !value.includes("\0"))
  )
  const back = async (type: string, values: ReadonlyArray<unknown>) =>
    ((await client.query(`SELECT $1::${type}[] AS list`, [listParameter(values)])).rows[0] as { list: unknown }).list

  it("of texts, numbers, truth values and nulls arrive at the server as they were", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { maxLength: 5 }), async (values) => {
        expect(await back("text", values)).toEqual(values)
      }),
      { numRuns: 200 }
    )
    expect(await back("integer", [1, -2, null, 0])).toEqual([1, -2, null, 0])
    expect(await back("double precision", [1.5, -1e-7, 1e300, Number.NaN, Number.POSITIVE_INFINITY])).toEqual([
      1.5,
      -1e-7,
      1e300,
      Number.NaN,
      Number.POSITIVE_INFINITY
    ])
    expect(await back("boolean", [true, false, null])).toEqual([true, false, null])
    expect(await back("text", [])).toEqual([])
  })

  it("of anything else are left to the driver", () => {
    for (const value of [new Date(0), ["a"], Buffer.from("a"), { a: 1 }, 1n, undefined]) {
      expect(listParameter(["a", value])).toBeUndefined()
    }
  })
})
