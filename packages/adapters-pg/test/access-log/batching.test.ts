import { SqlAccessLogStore } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { type AccessLogEntry, AccessLogStore } from "@place-access/domain/access-log"
import { AccessLogEntryId, AppId, ConnectionId, StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"

const entries = (user: string, count: number): ReadonlyArray<AccessLogEntry.AccessLogEntry> =>
  Array.from({ length: count }, (_, index) => ({
    userId: UserId.make(user),
    id: AccessLogEntryId.make(`log_${index}`),
    at: Timestamp.make(1_700_000_000_000),
    appId: AppId.make("app_a"),
    connectionId: ConnectionId.make("con_a"),
    endpoint: "GET /v1/me",
    purpose: null,
    status: 200,
    error: null,
    disclosed: null,
    times: 1
  }))

const record = (all: ReadonlyArray<AccessLogEntry.AccessLogEntry>) =>
  Effect.flatMap(AccessLogStore, (store) =>
    Effect.forEach(all, (entry) => Effect.either(store.record(entry)), { concurrency: "unbounded" })
  )

/** The number of entries of the user, and the number of transactions that wrote them. */
const written = (user: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql`SELECT count(*)::int AS rows, count(DISTINCT xmin::text)::int AS commits FROM access_log
          WHERE user_id = ${user}`,
      ([row]) => row
    )
  )

describe("access log", () => {
  const run = withStores(migratedEmbedded, SqlAccessLogStore.layer)

  it("entries of requests in flight share an insert: 300 at once take a few commits [access-log-2-batch]", () =>
    run(
      Effect.gen(function* () {
        expect((yield* record(entries("usr_many", 300))).every(Either.isRight)).toBe(true)
        const { commits, rows } = (yield* written("usr_many")) as { rows: number; commits: number }
        expect(rows).toBe(300)
        expect(commits).toBeLessThan(10)
      })
    ))

  it("one that the database cannot hold fails alone, and not for a passing reason", () =>
    run(
      Effect.gen(function* () {
        const good = entries("usr_mixed", 20)
        const bad = { ...good[0]!, id: AccessLogEntryId.make("log_bad"), endpoint: "GET /\0" }
        const answers = yield* record([...good.slice(0, 10), bad, ...good.slice(10)])
        expect(answers.map(Either.isRight)).toEqual([
          ...Array<boolean>(10).fill(true),
          false,
          ...Array<boolean>(10).fill(true)
        ])
        const refused = Either.getOrThrow(Either.flip(answers[10]!))
        expect(refused instanceof StoreError && !refused.transient).toBe(true)
        expect(yield* written("usr_mixed")).toMatchObject({ rows: 20 })
      })
    ))

  it("one writer that is interrupted takes no other with it", () =>
    run(
      Effect.gen(function* () {
        const store = yield* AccessLogStore
        const all = entries("usr_gone", 10)
        const fibers = yield* Effect.forEach(all, (entry) => Effect.fork(store.record(entry)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(fibers[3]!)
        for (const [index, fiber] of fibers.entries()) if (index !== 3) yield* Fiber.join(fiber)
        const { rows } = (yield* written("usr_gone")) as { rows: number }
        expect(rows).toBeGreaterThanOrEqual(9)
      })
    ))
})
