import { DeviceId, PlaceId, UserId } from "@place-access/domain/shared"
import type { OsVisit } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { atOnePlace } from "../../src/visits/atOnePlace.js"
import { CIRCLE, HOUR, MINUTE, NOON, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

const CIRCLES = 1_000
const STAYS = 100

/** Two places far from each other, each with `CIRCLES` circles, and the number of circles that the code has read. */
const movedOften = () => {
  const read = { circles: 0 }
  const place = (id: string, lat: number): OsVisit.VisitCandidate => ({
    placeId: PlaceId.make(id),
    archivedAt: null,
    since: null,
    shapes: Array.from({ length: CIRCLES }, (_, index) => ({
      placeId: PlaceId.make(id),
      geometryVersion: index + 1,
      validFrom: index === 0 ? null : time(NOON + index * MINUTE),
      get circle() {
        read.circles++
        return { ...CIRCLE, lat }
      }
    }))
  })
  return { read, candidates: [place("plc_a", 10), place("plc_b", 50)] }
}

const shown = (candidates: ReadonlyArray<OsVisit.VisitCandidate>, arrivals: ReadonlyArray<number>) => {
  const userId = UserId.make("usr_1")
  const stays = arrivals.map((arrival) => ({
    deviceId: DeviceId.make("dev_1"),
    placeId: PlaceId.make("plc_a"),
    arrival: time(arrival),
    departure: time(arrival + 10 * MINUTE),
    isUncertain: false
  }))
  const query = { userId, candidates, now: time(NOON + 1_000 * HOUR), cutoff: null, unfinished: [] }
  return Effect.provide(atOnePlace(query, stays), VisitStores)
}

describe("the work for an answer about visits [M15]", () => {
  it.effect("compares no circles when there is no stay", () =>
    Effect.gen(function* () {
      const { candidates, read } = movedOften()
      expect(yield* shown(candidates, [])).toEqual([])
      expect(read.circles).toBe(0)
    })
  )

  it.effect("compares the circle of each stay with each circle of other places once, and never all with all", () =>
    Effect.gen(function* () {
      const { candidates, read } = movedOften()
      const arrivals = Array.from({ length: STAYS }, (_, index) => NOON + 10 * index * MINUTE)
      expect(yield* shown(candidates, arrivals)).toHaveLength(STAYS)
      expect(read.circles).toBeLessThanOrEqual(2 * STAYS * CIRCLES)
    })
  )

  it.effect("compares once for all stays that began with one circle", () =>
    Effect.gen(function* () {
      const { candidates, read } = movedOften()
      const arrivals = Array.from({ length: STAYS }, (_, index) => NOON - HOUR * (index + 1))
      expect(yield* shown(candidates, arrivals)).toHaveLength(STAYS)
      expect(read.circles).toBeLessThanOrEqual(2 * CIRCLES)
    })
  )
})
