import { ConnectionId } from "@place-access/domain/shared"
import { VisitSamples } from "@place-access/domain/testing"
import { listVisits } from "@place-access/domain/visits"
import { expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { NOON, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

it.effect("a wrong cursor is refused during a pause, as without a pause [connection-4]", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    const { userId } = yield* VisitSamples.phone
    for (const pause of [null, { from: time(NOON), until: null }]) {
      const connection = { userId, id: ConnectionId.make("con_1"), pause, places: [] }
      const ask = (cursor: string | undefined) =>
        listVisits(connection, time(NOON), { from: null, to: null, limit: 10, cursor })
      expect((yield* Effect.flip(ask("a cursor of nobody")))._tag).toBe("Invalid")
      expect((yield* ask(undefined)).visits).toEqual([])
    }
  }).pipe(Effect.provide(VisitStores))
)
