import { Effect, Layer, Struct } from "effect"
import * as OsVisit from "../../visits/OsVisit.js"
import * as Stay from "../../visits/Stay.js"
import * as Visit from "../../visits/Visit.js"
import { type Span, VisitStore } from "../../visits/VisitStore.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

export const layer: Layer.Layer<VisitStore, never, MemoryDatabase> = Layer.effect(
  VisitStore,
  Effect.map(MemoryDatabase, ({ devices, importDevices, stays, visitReports, visitSenders }) =>
    VisitStore.of({
      stays: ({ after, cutoff, limit, now, places, span, userId }) =>
        Effect.sync(() => {
          const since = new Map(places.map((place) => [place.placeId, place.since]))
          const ended = [...stays.values()].map((stay) => ({
            ...stay,
            departure: stay.departure ?? importDevices.get(stay.deviceId) ?? null
          }))
          const found = ended.filter((stay) => {
            const from = since.get(stay.placeId)
            return (
              stay.userId === userId &&
              !visitSenders.has(stay.deviceId) &&
              from !== undefined &&
              (from === null || stay.arrival >= from) &&
              isWithin(stay.arrival, span) &&
              Stay.isLongEnough(stay, now) &&
              !Visit.isPast(stay, devices.get(stay.deviceId)?.lastSeenAt ?? null, cutoff) &&
              Visit.isAfter(stay, after)
            )
          })
          return Visit.merge(found)
            .slice(0, limit)
            .map(({ arrival, departure, placeId }) => ({ placeId, arrival, departure }))
        }),

      told: ({ after, limit, span, userId }) =>
        Effect.sync(() =>
          [...devices.values()]
            .filter((device) => device.userId === userId)
            .flatMap(({ id, lastSeenAt: heardAt }) =>
              OsVisit.tell(
                { id, heardAt, historyEndsAt: importDevices.get(id) ?? null },
                [...visitReports.values()]
                  .filter((report) => report.deviceId === id)
                  .map(Struct.omit("userId", "deviceId"))
              )
            )
            .filter((one) => isWithin(one.arrival, span) && (after === undefined || byArrival(one, after) > 0))
            .sort(byArrival)
            .slice(0, limit)
        )
    })
  )
)

const isWithin = (arrival: number, { from, to }: Span): boolean =>
  (from === null || arrival >= from) && (to === null || arrival < to)

type Key = Pick<OsVisit.Told, "arrival" | "deviceId">

const byArrival = (a: Key, b: Key): number =>
  b.arrival - a.arrival || (a.deviceId < b.deviceId ? -1 : a.deviceId > b.deviceId ? 1 : 0)
