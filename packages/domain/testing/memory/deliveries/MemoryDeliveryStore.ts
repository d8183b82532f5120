import { Array as Arrays, Effect, Either, Layer, Option, Struct } from "effect"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import {
  type ClaimedDelivery,
  type ClaimedDeliveries,
  type ClaimRequest,
  DeliveryStore,
  type DeliveryFilter
} from "../../../src/deliveries/DeliveryStore.js"
import type { EventKey } from "../../../src/deliveries/EventStore.js"
import * as Replay from "../../../src/deliveries/Replay.js"
import * as WebhookEndpoint from "../../../src/endpoints/WebhookEndpoint.js"
import type { DeliveryId, EndpointId } from "../../../src/shared/Ids.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import { failWaiting } from "./MemoryEndpointStore.js"

type Row = Tables["deliveries"] extends Map<DeliveryId, infer R> ? R : never

/** The row after `step`. The row loses its lease when `Delivery.TRANSITIONS` says so for this step. */
const taking = (row: Row, step: Delivery.DeliveryStep): Row => ({
  ...row,
  delivery: Delivery.move(row.delivery, step),
  ...(Delivery.TRANSITIONS[step._tag].lease === "clear" ? { lease: null, leasedUntil: null } : {})
})

/** Whether `recover` leaves out a failed delivery because of how it failed (decision deliveries-11). */
const isLeftOut = ({ failReason, replayNo }: Delivery.Delivery): boolean =>
  failReason === "not_authorised" || (failReason === "address_changed" && replayNo > 0)

const isLeased = (row: Row, now: Timestamp.Timestamp): boolean => row.leasedUntil !== null && now < row.leasedUntil

/**
 * Marks waiting deliveries as failed when their endpoint was disabled or removed after the delivery was stored.
 * `isMeant` selects the deliveries to check; by default all.
 */
const sweepStale = (
  tables: Tables,
  now: Timestamp.Timestamp,
  isMeant: (delivery: Delivery.Delivery) => boolean = () => true
): void => {
  for (const [id, row] of tables.deliveries) {
    if (!isMeant(row.delivery)) continue
    if (!Delivery.mayTake("Failed", row.delivery.state) || isLeased(row, now)) continue
    const endpoint = tables.endpoints.get(row.delivery.endpointId)
    if (endpoint?.epoch === row.endpointEpoch) continue
    const reason = endpoint === undefined ? "endpoint_removed" : "endpoint_disabled"
    tables.deliveries.set(id, taking(row, { _tag: "Failed", at: now, reason }))
  }
}

/**
 * The due rows in the order in which workers claim them. The endpoints take turns, so that an endpoint with many rows
 * does not delay the other endpoints. A row's rank is the number of rows of its endpoint that are in flight or come
 * before the row; a lower rank comes first. An endpoint gets at most `perEndpoint` rows, including its rows in flight.
 */
const claimable = (tables: Tables, { now, perEndpoint }: ClaimRequest): ReadonlyArray<Row> => {
  const byEndpoint = new Map<EndpointId, { underWay: number; readonly due: Array<Row> }>()
  for (const row of tables.deliveries.values()) {
    const { state, endpointId, dueAt } = row.delivery
    if (!Delivery.mayTake("Claimed", state) || dueAt === null) continue
    const group = byEndpoint.get(endpointId) ?? { underWay: 0, due: [] }
    byEndpoint.set(endpointId, group)
    if (isLeased(row, now)) group.underWay++
    else if (dueAt <= now) group.due.push(row)
  }
  return [...byEndpoint.values()]
    .flatMap(({ underWay, due }) =>
      due
        .sort((a, b) => Delivery.byDueTime(a.delivery, b.delivery))
        .slice(0, Math.max(0, perEndpoint - underWay))
        .map((row, index) => ({ row, rank: underWay + index }))
    )
    .sort((a, b) => a.rank - b.rank || Delivery.byDueTime(a.row.delivery, b.row.delivery))
    .map(({ row }) => row)
}

/**
 * The rows that the claim takes. If the other endpoints have enough due rows, slow endpoints (`ClaimRequest.slow`) get
 * only half of the claim's limit, rounded up. Otherwise slow endpoints also get the part of the limit that the other
 * endpoints do not use. In both cases they get at most `slow.limit` rows.
 */
const shared = (rows: ReadonlyArray<Row>, { limit, slow }: ClaimRequest): ReadonlyArray<Row> => {
  const ids = new Set(slow?.ids)
  const [others, ofFailing] = Arrays.partition(rows, ({ delivery }) => ids.has(delivery.endpointId))
  const most = Math.min(limit, slow?.limit ?? 0)
  const first = ofFailing.slice(0, Math.min(most, Math.ceil(limit / 2)))
  const second = others.slice(0, limit - first.length)
  const taken = new Set([...second, ...ofFailing.slice(0, Math.min(most, limit - second.length))])
  return rows.filter((row) => taken.has(row))
}

const claim = (tables: Tables, request: ClaimRequest): ClaimedDeliveries => {
  sweepStale(tables, request.now)
  const claims = shared(claimable(tables, request), request).flatMap((row) => take(tables, row, request))
  claims.sort((a, b) => Delivery.byDueTime(a.delivery, b.delivery))
  return { claims, isUnfinished: false, isSkipping: false }
}

const take = (tables: Tables, row: Row, { lease, leaseUntil, now }: ClaimRequest): ReadonlyArray<ClaimedDelivery> => {
  const endpoint = tables.endpoints.get(row.delivery.endpointId)
  const { id, dueAt } = row.delivery
  if (endpoint === undefined || dueAt === null) return []
  const lapses = row.leasedUntil === null ? 0 : (row.lapses ?? 0) + 1
  const next = Delivery.dueAfterLapse(dueAt, lapses, leaseUntil)
  if (next === undefined) {
    tables.deliveries.set(id, taking(row, { _tag: "Failed", at: now, reason: "abandoned" }))
    return []
  }
  const claimed = { ...taking(row, { _tag: "Claimed", dueAt: next }), lease, leasedUntil: leaseUntil, lapses }
  tables.deliveries.set(id, claimed)
  return [
    { delivery: claimed.delivery, lease, url: endpoint.url, secrets: endpoint.secrets, headers: endpoint.headers }
  ]
}

const hasRow = (tables: Tables, row: Delivery.NewDelivery): boolean =>
  [...tables.deliveries.values()].some(
    ({ delivery: { endpointId, envelope, replayNo } }) =>
      endpointId === row.endpointId && envelope.eventId === row.envelope.eventId && replayNo === row.replayNo
  )

/**
 * Stores a delivery together with the result of its first attempt. The tables are then the same as if the delivery had
 * been stored and claimed before the attempt. Returns false when the delivery is already stored.
 */
const insertAttempted = (
  tables: Tables,
  row: Delivery.NewDelivery,
  how: Delivery.DeliveryFinish,
  attempt: Delivery.Attempt | null,
  now: Timestamp.Timestamp
): boolean => {
  if (hasRow(tables, row)) return false
  const { appId, endpointEpoch, id } = row
  tables.deliveries.set(id, { delivery: Delivery.begin(row), endpointEpoch, lease: id, leasedUntil: now })
  return finish(tables, { appId, id, lease: id }, how, attempt, now)
}

/** Marks an event as fanned out, unless it is marked already. */
export const markFannedOut = (tables: Tables, { id, userId }: EventKey, at: Timestamp.Timestamp): void => {
  const event = tables.events.get(id)
  if (event?.userId === userId && event.fannedOutAt === null) tables.events.set(id, { ...event, fannedOutAt: at })
}

const finish = (
  tables: Tables,
  claimed: { readonly id: DeliveryId; readonly appId: Delivery.Delivery["appId"]; readonly lease: string },
  outcome: Delivery.DeliveryFinish,
  attempt: Delivery.Attempt | null,
  now: Timestamp.Timestamp
): boolean => {
  const row = tables.deliveries.get(claimed.id)
  if (row === undefined || row.lease !== claimed.lease) return false
  if (!Delivery.mayTake(outcome._tag, row.delivery.state)) return false
  if (row.delivery.appId !== claimed.appId) return false
  const endpoint = tables.endpoints.get(row.delivery.endpointId)
  const isCurrent = endpoint?.epoch === row.endpointEpoch
  const reason = endpoint === undefined ? "endpoint_removed" : "endpoint_disabled"
  const end: Delivery.DeliveryFinish =
    Delivery.goesOn(outcome._tag) && !isCurrent ? { _tag: "Failed", at: now, reason } : outcome
  if (attempt !== null) tables.attempts.push({ ...attempt, deliveryId: claimed.id })
  tables.deliveries.set(claimed.id, taking(row, end))
  if (endpoint === undefined || !isCurrent) return true
  const effect = Delivery.effectOnEndpoint(row.delivery, end)
  const after =
    effect === "strike"
      ? WebhookEndpoint.strike(endpoint, now)
      : effect === "clear"
        ? { ...endpoint, strikes: 0 }
        : endpoint
  tables.endpoints.set(endpoint.id, after)
  if (effect === "strike" && WebhookEndpoint.WARNED_STRIKES.includes(after.strikes)) {
    const { id: deliveryId, appId } = claimed
    const warning = { appId, deliveryId, endpointId: endpoint.id, strikes: after.strikes, at: now }
    tables.strikeWarnings.set(deliveryId, warning)
  }
  if (after.epoch !== endpoint.epoch) failWaiting(tables, endpoint.id, "endpoint_disabled", now)
  return true
}

const attemptsOf = (tables: Tables, id: DeliveryId): ReadonlyArray<Delivery.Attempt> =>
  tables.attempts.filter((row) => row.deliveryId === id).map(Struct.omit("deliveryId"))

const isSameSending =
  (to: Pick<Delivery.Delivery, "endpointId" | "envelope">) =>
  ({ endpointId, envelope }: Delivery.Delivery): boolean =>
    endpointId === to.endpointId && envelope.eventId === to.envelope.eventId

const isReplayed = (tables: Tables, { id }: Delivery.Delivery): boolean =>
  tables.deliveries.get(id)?.isReplayed === true

/**
 * Adds a replay of an event to an endpoint. The event's earlier rows at this endpoint count as replayed from now on.
 */
const addReplay = (tables: Tables, row: Delivery.NewDelivery, dueAt: Timestamp.Timestamp): void => {
  for (const [id, before] of tables.deliveries) {
    if (isSameSending(row)(before.delivery)) tables.deliveries.set(id, { ...before, isReplayed: true })
  }
  tables.deliveries.set(row.id, {
    delivery: { ...Delivery.begin(row), dueAt },
    endpointEpoch: row.endpointEpoch,
    lease: null,
    leasedUntil: null
  })
}

const matches =
  ({ endpointId, eventId, failReason, from, state, to, types }: DeliveryFilter) =>
  (delivery: Delivery.Delivery): boolean =>
    (endpointId === undefined || delivery.endpointId === endpointId) &&
    (eventId === undefined || delivery.envelope.eventId === eventId) &&
    (types === undefined || types.includes(delivery.envelope.payload.type)) &&
    (state === undefined || delivery.state === state) &&
    (failReason === undefined || delivery.failReason === failReason) &&
    (from === undefined || delivery.createdAt >= from) &&
    (to === undefined || delivery.createdAt < to)

const newestFirst = (a: Delivery.Delivery, b: Delivery.Delivery): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

/**
 * Whether a delivery is older than the position of a page. The position is the creation time and the id of another
 * delivery.
 */
const isAfter =
  ([createdAt, id]: ReadonlyArray<string | number>) =>
  (delivery: Delivery.Delivery): boolean =>
    delivery.createdAt < Number(createdAt) || (delivery.createdAt === Number(createdAt) && delivery.id < String(id))

export const layer: Layer.Layer<DeliveryStore, never, MemoryDatabase> = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const tables = yield* MemoryDatabase
    const deliveries = () => [...tables.deliveries.values()].map((row) => row.delivery)
    return DeliveryStore.of({
      insert: (rows) =>
        Effect.sync(() => {
          for (const row of rows) {
            const endpoint = tables.endpoints.get(row.endpointId)
            if (endpoint === undefined || endpoint.appId !== row.appId || hasRow(tables, row)) continue
            const first = Delivery.begin(row)
            const missed = endpoint.epoch !== row.endpointEpoch || endpoint.disabledAt !== null
            tables.deliveries.set(row.id, {
              delivery: missed
                ? Delivery.move(first, { _tag: "Failed", at: row.createdAt, reason: "endpoint_disabled" })
                : first,
              endpointEpoch: row.endpointEpoch,
              lease: null,
              leasedUntil: null
            })
          }
        }),
      insertAttempted: (row, how, attempt, isOnly) =>
        Effect.map(Timestamp.now, (now) => {
          const isStored = insertAttempted(tables, row, how, attempt, now)
          if (isOnly && row.userId !== null)
            markFannedOut(tables, { userId: row.userId, id: row.envelope.eventId }, now)
          return { isStored, isFannedOut: isOnly }
        }),
      claim: (request) => Effect.sync(() => claim(tables, request)),
      finish: (claimed, outcome, attempt) =>
        Effect.map(Timestamp.now, (now) => finish(tables, claimed, outcome, attempt, now)),
      nextDueAt: (after) =>
        Effect.sync(() => {
          const times = deliveries().flatMap(({ dueAt }) => (dueAt !== null && dueAt > after ? [dueAt] : []))
          return times.length === 0 ? Option.none() : Option.some(Timestamp.make(Math.min(...times)))
        }),
      replay: (appId, id, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const before = tables.deliveries.get(id)?.delivery
          if (before?.appId !== appId) return Option.none()
          sweepStale(tables, now, isSameSending(before))
          const delivery = tables.deliveries.get(id)?.delivery ?? before
          const endpoint = tables.endpoints.get(delivery.endpointId)
          const same = deliveries().filter(isSameSending(delivery))
          const outcome = decide(
            {
              delivery,
              endpoint: endpoint === undefined ? null : { disabledAt: endpoint.disabledAt, epoch: endpoint.epoch },
              lastReplayNo: Math.max(...same.map((one) => one.replayNo)),
              isPending: same.some((one) => Delivery.mayTake("Claimed", one.state))
            },
            now
          )
          if (Either.isRight(outcome)) addReplay(tables, outcome.right, now)
          return Option.some(outcome)
        }),
      hurry: (appId, id, now) =>
        Effect.sync(() => {
          sweepStale(tables, now, (one) => one.id === id)
          const row = tables.deliveries.get(id)
          if (row?.delivery.appId !== appId) return Option.none()
          const { delivery } = row
          if (!Delivery.mayTake("Hurried", delivery.state)) return Option.some("ended")
          if (isLeased(row, now)) return Option.some("under_way")
          if (delivery.dueAt !== null && delivery.dueAt > now) {
            tables.deliveries.set(id, taking(row, { _tag: "Hurried", dueAt: now }))
          }
          return Option.some("hurried")
        }),
      recover: ({ appId, before, dueFrom, endpointId, ids, now, since }) =>
        Effect.sync(() => {
          const endpoint = tables.endpoints.get(endpointId)
          if (endpoint?.appId !== appId || endpoint.disabledAt !== null) return 0
          sweepStale(tables, now, (one) => one.endpointId === endpointId)
          const lost = deliveries()
            .filter((one) => one.appId === appId && one.endpointId === endpointId)
            .filter(({ createdAt }) => createdAt >= since && createdAt < before)
            .filter((one) => one.state === "failed" && !isLeftOut(one))
            .filter((one) => !one.isTest && !isReplayed(tables, one))
            .filter(
              ({ envelope, maxEventAgeS }) => !Delivery.isTooOld({ occurredAt: envelope.occurredAt, maxEventAgeS }, now)
            )
            .sort((a, b) => -newestFirst(a, b))
            .slice(0, ids.length)
          for (const [index, one] of lost.entries()) {
            const id = ids[index]
            if (id === undefined) break
            const row = { ...one, id, endpointEpoch: endpoint.epoch, replayNo: one.replayNo + 1, createdAt: now }
            addReplay(tables, row, Replay.recoveredDueAt(dueFrom, index))
          }
          return lost.length
        }),
      recordTest: (delivery, attempt) =>
        Effect.sync(() => {
          tables.deliveries.set(delivery.id, { delivery, endpointEpoch: 0, lease: null, leasedUntil: null })
          if (attempt !== null) tables.attempts.push({ ...attempt, deliveryId: delivery.id })
        }),
      find: (appId, id) =>
        Effect.sync(() =>
          Option.map(
            Option.filter(Option.fromNullable(tables.deliveries.get(id)), (row) => row.delivery.appId === appId),
            ({ delivery }) => ({
              delivery,
              isReplayed: isReplayed(tables, delivery),
              attempts: attemptsOf(tables, id)
            })
          )
        ),
      list: (appId, filter, limit, after) =>
        Effect.sync(() => {
          const rows = deliveries()
            .filter((delivery) => delivery.appId === appId && matches(filter)(delivery))
            .filter(after === undefined ? () => true : isAfter(after))
            .sort(newestFirst)
            .map((delivery) => ({
              delivery,
              isReplayed: isReplayed(tables, delivery),
              lastAttempt: attemptsOf(tables, delivery.id).map(Struct.omit("exchange")).at(-1) ?? null
            }))
            .filter((row) => filter.leavesOutWithheld !== true || !Delivery.isWithheld(row))
            .filter(({ lastAttempt }) => filter.status === undefined || lastAttempt?.status === filter.status)
            .slice(0, limit + 1)
          return Page.of(rows, limit, ({ delivery }) => [delivery.createdAt, delivery.id])
        })
    })
  })
)
