import { Effect, Layer, Option } from "effect"
import * as Erasure from "../../../src/retention-choice/Erasure.js"
import * as History from "../../../src/retention-choice/History.js"
import { type Between, HistoryStore, type DeletionTimes } from "../../../src/retention-choice/HistoryStore.js"
import type { DeviceId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import { byFileEnd } from "../visits/byFileEnd.js"
import { erase } from "./erase.js"

export const layer: Layer.Layer<HistoryStore, never, MemoryDatabase> = Layer.effect(
  HistoryStore,
  Effect.map(MemoryDatabase, (tables) =>
    HistoryStore.of({
      choice: (userId) =>
        Effect.sync(() => {
          const keep = tables.historyChoices.get(userId)
          return keep === undefined ? Option.none() : Option.some(keep)
        }),
      choose: (userId, keep) => Effect.sync(() => void tables.historyChoices.set(userId, keep)),

      survey: (userId, within) =>
        Effect.sync(() => {
          const captured = [...tables.fixes.values()]
            .filter((fix) => fix.userId === userId && lies(fix.capturedAt, within))
            .map(({ capturedAt }) => capturedAt)
          const stays = [...tables.stays.values()].map((stay) => ({ ...stay, departure: leftAt(tables, stay) }))
          const left = [...tables.visitReports.values(), ...stays].filter(
            ({ departure, userId: owner }) =>
              owner === userId && (departure === null ? within.until === null : lies(departure, within))
          )
          const oldest = captured.reduce((a, b) => Math.min(a, b), Infinity)
          return {
            fixes: captured.length,
            visits: left.length,
            oldestAt: captured.length === 0 ? null : Timestamp.make(oldest)
          }
        }),

      erasures: (userId) => Effect.sync(() => Erasure.merged(tables.erasures.get(userId) ?? [])),
      erase: (userId, stretch, at) => Effect.sync(() => erase(tables, userId, { ...stretch, erasedAt: at })),

      listOverdue: (moments, limit, after) =>
        Effect.sync(() => {
          const people = [...tables.accounts.keys()].filter((id) => after === undefined || id > after).sort()
          const page = people.slice(0, limit)
          return {
            overdue: page.filter((userId) => past(tables, userId, moments).some((rows) => rows.length > 0)),
            next: people.length > limit ? page.at(-1) : undefined
          }
        }),

      removePast: (userId, moments, limit) =>
        Effect.sync(() => {
          const dead = past(tables, userId, moments).flatMap((rows) => rows.sort((a, b) => a.at - b.at).slice(0, limit))
          for (const { remove } of dead) remove()
          return dead.length
        })
    })
  )
)

/**
 * The time up to which the user's history is no longer kept. Stores must not return history up to this time, even while
 * its rows exist. Null: the user keeps all history.
 */
export const cutoff = (
  { historyChoices }: Tables,
  userId: UserId,
  now: Timestamp.Timestamp
): Timestamp.Timestamp | null => {
  const keep = historyChoices.get(userId)
  return History.cutoff(keep === undefined ? History.DEFAULT : keep, now)
}

const lies = (at: Timestamp.Timestamp, { after, until }: Between): boolean =>
  (after === null || at > after) && (until === null || at <= until)

/** The time from which the age of a stay is counted: its departure. Null: the stay is open. */
const leftAt = (
  tables: Tables,
  { departure, deviceId }: { readonly departure: Timestamp.Timestamp | null; readonly deviceId: DeviceId }
) => byFileEnd(tables, deviceId, departure)

interface Row {
  readonly at: Timestamp.Timestamp
  readonly remove: () => void
}

/**
 * The rows that must be deleted, in one list for each kind: history up to the user's cutoff, and access log entries up
 * to `accessLogUntil`.
 */
const past = (tables: Tables, userId: UserId, { accessLogUntil, now }: DeletionTimes): ReadonlyArray<Array<Row>> => {
  const until = cutoff(tables, userId, now)
  const rows = <K, V extends { readonly userId: UserId }>(
    table: Map<K, V>,
    at: (value: V) => Timestamp.Timestamp | null
  ): Array<Row> =>
    [...table].flatMap(([key, value]) => {
      const moment = value.userId === userId ? at(value) : null
      return moment !== null && History.isPast(moment, until)
        ? [{ at: moment, remove: () => void table.delete(key) }]
        : []
    })
  const { accessLog, devices, importDevices, visitReports } = tables
  /**
   * Whether the device has been silent since the cutoff: the phone has uploaded nothing after the cutoff, or the
   * imported file has no entry from after the cutoff.
   */
  const isSilent = (id: DeviceId): boolean => {
    const seen = importDevices.get(id) ?? devices.get(id)?.lastSeenAt ?? null
    return seen === null || History.isPast(seen, until)
  }
  /**
   * Whether a report of the phone shows that the visit which began at `arrival` has ended by the cutoff, even if
   * the phone did not report the departure of this visit. The report shows this if its time is later than `arrival` and
   * not later than the cutoff. Its time is its departure, or its arrival if it has no departure.
   */
  const hasLeft = (id: DeviceId, arrival: Timestamp.Timestamp): boolean =>
    [...visitReports.values()].some((one) => {
      const moment = one.departure ?? one.arrival
      return (
        one.userId === userId &&
        one.deviceId === id &&
        moment !== null &&
        moment > arrival &&
        History.isPast(moment, until)
      )
    })
  return [
    rows(tables.fixes, ({ capturedAt }) => capturedAt),
    rows(tables.quarantined, ({ receivedAt }) => receivedAt),
    rows(visitReports, ({ arrival, departure, deviceId }) =>
      departure !== null || arrival === null || hasLeft(deviceId, arrival) || isSilent(deviceId)
        ? (departure ?? arrival)
        : null
    ),
    [...devices.values()].flatMap((device) => {
      const at = device.userId === userId ? (device.movement?.heardAt ?? null) : null
      return at !== null && History.isPast(at, until)
        ? [{ at, remove: () => void devices.set(device.id, { ...device, movement: null }) }]
        : []
    }),
    rows(tables.stays, (stay) => leftAt(tables, stay) ?? (isSilent(stay.deviceId) ? stay.arrival : null)),
    accessLog
      .filter((entry) => entry.userId === userId && entry.at <= accessLogUntil)
      .map((entry) => ({ at: entry.at, remove: () => void accessLog.splice(accessLog.indexOf(entry), 1) }))
  ]
}
