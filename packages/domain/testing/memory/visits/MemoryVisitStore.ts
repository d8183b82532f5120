import { Effect, Layer, Struct } from "effect"
import type { DeviceId, UserId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import * as OsVisit from "../../../src/visits/OsVisit.js"
import * as Stay from "../../../src/visits/Stay.js"
import * as Visit from "../../../src/visits/Visit.js"
import { type DeviceStay, type Span, VisitStore } from "../../../src/visits/VisitStore.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import { byFileEnd } from "./byFileEnd.js"
import { tell } from "./tell.js"

const NO_END = { departure: null, isUncertain: false }

export const layer: Layer.Layer<VisitStore, never, MemoryDatabase> = Layer.effect(
  VisitStore,
  Effect.map(MemoryDatabase, ({ devices, fixes, importDevices, stays, visitReports }) => {
    type Row = typeof stays extends Map<string, infer A> ? A : never

    /** The departure of a stay as answers show it. Null: the stay is open. */
    const departureOf = (stay: Row): Timestamp | null =>
      byFileEnd({ importDevices }, stay.deviceId, Stay.departureOf(stay))

    const toDeviceStay = (stay: Row): DeviceStay => ({
      placeId: stay.placeId,
      deviceId: stay.deviceId,
      arrival: stay.arrival,
      departure: departureOf(stay),
      isUncertain: stay.heardUntil !== null
    })

    const reportsOf = (userId: UserId) =>
      [...devices.values()]
        .filter((device) => device.userId === userId)
        .flatMap(({ id, lastSeenAt: heardAt }) =>
          tell(
            { id, heardAt, historyEndsAt: importDevices.get(id) ?? null },
            [...visitReports.values()]
              .filter((report) => report.deviceId === id)
              .map(Struct.omit("userId", "deviceId", "alsoFrom"))
          )
        )
        .sort(byArrival)

    return VisitStore.of({
      stays: ({ after, cutoff, limit, now, places, span, unfinished, userId }) =>
        Effect.sync(() => {
          const since = new Map(places.map((place) => [place.placeId, place.since]))
          const due = new Map(unfinished.map((one) => [`${one.deviceId} ${one.placeId}`, one.dueFrom]))
          const isFinal = ({ departure, deviceId, placeId }: Row) => {
            const dueFrom = due.get(`${deviceId} ${placeId}`)
            return dueFrom === undefined || (departure !== null && departure + Stay.FINAL_AFTER <= dueFrom)
          }
          const final = [...stays.values()].filter((stay) => stay.userId === userId && isFinal(stay))
          return final
            .map(toDeviceStay)
            .filter((stay) => {
              const from = since.get(stay.placeId)
              return (
                from !== undefined &&
                (from === null || stay.arrival >= from) &&
                isWithin(stay.arrival, span) &&
                Stay.isLongEnough(stay, now) &&
                !Visit.isPast(stay, devices.get(stay.deviceId)?.lastSeenAt ?? null, cutoff) &&
                Visit.isAfter(stay, after)
              )
            })
            .sort((a, b) => Visit.byArrival(a, b) || compare(a.deviceId, b.deviceId))
            .slice(0, limit)
        }),

      ends: (userId, spans) =>
        Effect.sync(() =>
          spans.map(({ deviceId, from, placeId, to }) => {
            const first = [...stays.values()]
              .filter((stay) => stay.userId === userId && stay.deviceId === deviceId && stay.placeId === placeId)
              .filter((stay) => (to === null || stay.arrival < to) && (departureOf(stay) ?? Infinity) > from)
              .sort((a, b) => a.arrival - b.arrival)[0]
            const { departure, isUncertain } = first === undefined ? NO_END : toDeviceStay(first)
            return { departure, isUncertain }
          })
        ),

      staysWithin: (userId, spans) =>
        Effect.sync(() => {
          const found = [...stays.values()]
            .filter((stay) => stay.userId === userId)
            .map(toDeviceStay)
            .filter((stay) =>
              spans.some(
                ({ deviceId, from, placeId, to }) =>
                  stay.deviceId === deviceId &&
                  stay.placeId === placeId &&
                  (to === null || stay.arrival < to) &&
                  (stay.departure ?? Infinity) > from
              )
            )
          return found.sort(
            (a, b) => a.arrival - b.arrival || compare(a.deviceId, b.deviceId) || (a.placeId < b.placeId ? -1 : 1)
          )
        }),

      medians: (userId, spans) =>
        Effect.sync(() =>
          spans.map(({ deviceId, from, to }) => {
            const seen = [...fixes.values()].filter(
              (fix) =>
                fix.userId === userId &&
                (fix.deviceId === deviceId || fix.alsoFrom?.includes(deviceId) === true) &&
                fix.isLeftBehind !== true &&
                fix.capturedAt >= from &&
                (to === null || fix.capturedAt < to)
            )
            const [lat, lon] = [lower(seen.map((fix) => fix.lat)), medianLon(seen.map((fix) => fix.lon))]
            return lat === undefined || lon === undefined ? null : { lat, lon }
          })
        ),

      reports: ({ after, limit, span, userId }) =>
        Effect.sync(() =>
          reportsOf(userId)
            .filter((one) => isWithin(one.arrival, span) && (after === undefined || byArrival(one, after) > 0))
            .slice(0, limit)
        ),

      reportsWithin: (userId, spans) =>
        Effect.sync(() => {
          const reports = reportsOf(userId)
          return spans.flatMap(({ deviceId, from, to }) => {
            const own = reports.filter((one) => one.deviceId === deviceId && (to === null || one.arrival < to))
            const first = own.find((one) => one.arrival <= from)?.arrival ?? from
            const reachesIn = ({ arrival, reports }: OsVisit.VisitReports) =>
              arrival >= from - OsVisit.LONGEST &&
              reports.some(({ departure }) => departure !== null && departure > from)
            return own.filter((one) => one.arrival >= first || reachesIn(one))
          })
        })
    })
  })
)

const lower = (values: ReadonlyArray<number>): number | undefined =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1]

/**
 * The median of the longitudes. Near the 180° meridian, they count from 0° to 360° eastward, as in the SQL of
 * `adapters-pg` (`mediansStatement`).
 */
const medianLon = (lons: ReadonlyArray<number>): number | undefined => {
  if (lons.filter((lon) => Math.abs(lon) > 90).length * 2 <= lons.length) return lower(lons)
  const eastward = lower(lons.map((lon) => (lon < 0 ? lon + 360 : lon)))
  return eastward !== undefined && eastward > 180 ? eastward - 360 : eastward
}

const isWithin = (arrival: number, { from, to }: Span): boolean =>
  (from === null || arrival >= from) && (to === null || arrival < to)

type Key = Pick<OsVisit.VisitReports, "arrival" | "deviceId">

const compare = (a: DeviceId, b: DeviceId): number => (a < b ? -1 : a > b ? 1 : 0)

const byArrival = (a: Key, b: Key): number => b.arrival - a.arrival || compare(a.deviceId, b.deviceId)
