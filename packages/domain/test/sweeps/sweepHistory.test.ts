import { HistoryStore } from "@place-access/domain/retention-choice"
import { sweepHistory } from "@place-access/domain/sweeps"
import { StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Logger, LogLevel, Option } from "effect"
import { expect, it } from "vitest"

const NOW = Timestamp.make(Date.UTC(2026, 2, 1, 12))
const people = Array.from({ length: 1_100 }, (_, index) => UserId.make(`usr_${String(index).padStart(5, "0")}`))

/** A store in which every user has `rows` rows to delete. It fails for users whose id ends with 7. */
const store = (rows: number) => {
  const left = new Map(people.map((id) => [id, rows]))
  const pageSizes: Array<number> = []
  const service = HistoryStore.of({
    choice: () => Effect.succeed(Option.none()),
    choose: () => Effect.void,
    survey: () => Effect.succeed({ fixes: 0, visits: 0, oldestAt: null }),
    erasures: () => Effect.succeed([]),
    erase: () => Effect.succeed(true),
    listOverdue: (_, limit, after) =>
      Effect.sync(() => {
        const rest = people.filter((id) => after === undefined || id > after)
        const page = rest.slice(0, limit)
        pageSizes.push(page.length)
        return {
          overdue: page.filter((id) => (left.get(id) ?? 0) > 0),
          next: rest.length > limit ? page.at(-1) : undefined
        }
      }),
    removePast: (id, _, limit) =>
      Effect.suspend(() => {
        if (id.endsWith("7")) return StoreError.unavailable("busy")
        const count = Math.min(limit, left.get(id) ?? 0)
        left.set(id, (left.get(id) ?? 0) - count)
        return Effect.succeed(count)
      })
  })
  const run = () =>
    Effect.runPromise(
      sweepHistory(NOW).pipe(Effect.provideService(HistoryStore, service), Logger.withMinimumLogLevel(LogLevel.None))
    )
  return { left, pageSizes, run }
}

it("everybody's, in pages of people and batches of rows; one person's trouble is not the others'", async () => {
  const { left, pageSizes, run } = store(2_500)
  expect(await run()).toBe(990 * 2_500)
  expect(pageSizes).toEqual([500, 500, 100])
  expect([...left.values()].filter((rows) => rows > 0)).toEqual(Array.from({ length: 110 }, () => 2_500))
})

it("nothing to do: only looked at", async () => {
  const { pageSizes, run } = store(0)
  expect(await run()).toBe(0)
  expect(pageSizes).toEqual([500, 500, 100])
})
