import { SqlClient } from "@effect/sql/SqlClient"
import { DatabaseTime } from "@place-access/adapters-pg"
import { Effect } from "effect"
import { afterEach, expect, it, vi } from "vitest"

const HOUR = 3_600_000

afterEach(() => vi.restoreAllMocks())

/**
 * Measures the offset of a database whose clock agreed with this machine's. During the statement with the number
 * `statement`, somebody sets this machine's clock `millis` milliseconds ahead (back when negative).
 */
const measured = (millis: number, statement: number) => {
  let set = 0
  let asked = 0
  const real = Date.now
  vi.spyOn(Date, "now").mockImplementation(() => real() + set)
  const rows = Effect.sync(() => {
    if (++asked === statement) set = millis
    return [{ millis: real() }]
  })
  const withTransaction = <A, E, R>(statements: Effect.Effect<A, E, R>) => statements
  const sql = Object.assign(() => rows, { withTransaction }) as unknown as SqlClient
  return Effect.runPromise(Effect.provideService(DatabaseTime.offset(), SqlClient, sql))
}

it.each([1, 2, 3, 4])("is that of the machine's new clock when somebody sets it during statement %i", async (at) => {
  for (const millis of [-HOUR, HOUR]) {
    expect(Math.abs((await measured(millis, at)) + millis)).toBeLessThan(250)
    vi.restoreAllMocks()
  }
})
