import { pageConnections } from "@place-access/domain/connection"
import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { inWorld } from "../support/connections.js"
import { CURRENT } from "../support/consents.js"

it("a page begins after the last connection of the page before, also when that connection is gone [connection-2]", () =>
  inWorld(
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const made = yield* Effect.forEach([0, 1, 1, 60], (seconds) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(seconds * 1_000)
          const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
          return yield* ConsentFlow.connect(app, user, [CURRENT])
        })
      )
      const newestFirst = made.map(({ connectionId }) => connectionId).toReversed()
      const pageOf = (limit: number, cursor?: string) =>
        Effect.map(pageConnections(user.id, { cursor, limit }), ({ connections, nextCursor }) => ({
          ids: connections.map(({ id }) => id),
          next: nextCursor ?? undefined
        }))
      const first = yield* pageOf(2)
      expect(first.ids).toEqual(newestFirst.slice(0, 2))
      expect((yield* pageOf(2, first.next)).ids).toEqual(newestFirst.slice(2))
      const { connections } = yield* MemoryDatabase
      const [, last] = first.ids
      if (last === undefined) throw new Error("the page is too short")
      connections.delete(last)
      expect(yield* pageOf(2, first.next)).toEqual({ ids: newestFirst.slice(2), next: undefined })
    })
  ))
