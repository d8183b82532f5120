import type { ReadableEntry } from "@place-access/domain/access-log"
import { Effect, FastCheck as fc } from "effect"
import { expect, it } from "vitest"
import * as Folded from "@place-access/adapters-http/pages/log/Folded"
import * as LongPage from "@place-access/adapters-http/pages/log/longPage"

const entry = (at: number, app: string): ReadableEntry =>
  ({
    appId: app,
    appName: app,
    at,
    endpoint: "GET /v1/answers/current-place",
    error: null,
    purpose: null,
    times: 1,
    disclosed: null
  }) as never

/** An access log that is read in pages. The cursor of a page is the index of its first entry. */
const logOf = (entries: ReadonlyArray<ReadableEntry>) => {
  let reads = 0
  return {
    reads: () => reads,
    from: (cursor: string | undefined, limit: number) =>
      Effect.sync(() => {
        reads++
        const start = Number(cursor ?? 0)
        const next = start + limit
        return { entries: entries.slice(start, next), nextCursor: next < entries.length ? String(next) : null }
      })
  }
}

const read = (entries: ReadonlyArray<ReadableEntry>, cursor?: string) =>
  Effect.runSync(LongPage.read(logOf(entries).from, cursor))

const second = (index: number) => 1_000_000_000 - index * 1_000

it("an app that asked 300 times in a row is one line, not six pages [access-log-6]", () => {
  const page = read(Array.from({ length: 300 }, (_, index) => entry(second(index), "radar")))
  expect([Folded.fold(page.entries).map(({ times }) => times), page.nextCursor]).toEqual([[300], null])
})

it("a run that begins on a full page ends on it, too [access-log-6]", () => {
  const first = Array.from({ length: 40 }, (_, index) => entry(second(index), `app_${index}`))
  const run = Array.from({ length: 200 }, (_, index) => entry(second(40 + index), "app_39"))
  const page = read([...first, ...run])
  expect([Folded.fold(page.entries).length, page.entries.length]).toEqual([40, 240])
})

it("one page reads 2,050 entries at most [access-log-6]", () => {
  const log = logOf(Array.from({ length: 9_000 }, (_, index) => entry(second(index), "radar")))
  const page = Effect.runSync(LongPage.read(log.from, undefined))
  expect([page.entries.length, log.reads(), page.nextCursor]).toEqual([2_050, 5, "2050"])
})

it("the pages together are the log, each entry once and in order, whatever the apps do [access-log-6]", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 200 })), { maxLength: 20 }),
      (runs) => {
        const apps = runs.flatMap(([app, length]) => Array.from({ length }, () => `app_${app}`))
        const log = apps.map((app, index) => entry(second(index), app))
        const seen: Array<ReadableEntry> = []
        let cursor: string | undefined
        do {
          const page = read(log, cursor)
          seen.push(...page.entries)
          cursor = page.nextCursor ?? undefined
        } while (cursor !== undefined)
        expect(seen).toEqual(log)
      }
    )
  )
})
