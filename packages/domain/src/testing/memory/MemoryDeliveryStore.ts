import { Effect, Layer, Option, Struct } from "effect"
import * as Delivery from "../../deliveries/Delivery.js"
import { type Claim, type ClaimRequest, DeliveryStore, type Filter } from "../../deliveries/DeliveryStore.js"
import * as WebhookEndpoint from "../../endpoints/WebhookEndpoint.js"
import type { DeliveryId, EndpointId } from "../../shared/Ids.js"
import * as Page from "../../shared/Page.js"
import * as Timestamp from "../../shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "./MemoryDatabase.js"
import { failWaiting } from "./MemoryEndpointStore.js"

type Row = Tables["deliveries"] extends Map<DeliveryId, infer R> ? R : never

const isLeased = (row: Row, now: Timestamp.Timestamp): boolean => row.leasedUntil !== null && now < row.leasedUntil

/** Rows whose endpoint is as it was when they were made; the others that wait end here. */
const sweepStale = (tables: Tables, now: Timestamp.Timestamp): void => {
  for (const [id, row] of tables.deliveries) {
    if (row.delivery.state !== "trying" || isLeased(row, now)) continue
    const endpoint = tables.endpoints.get(row.delivery.endpointId)
    if (endpoint?.epoch === row.endpointEpoch) continue
    const reason = endpoint === undefined ? "endpoint_removed" : "endpoint_disabled"
    const delivery = Delivery.move(row.delivery, { _tag: "Failed", at: now, reason })
    tables.deliveries.set(id, { ...row, delivery, lease: null, leasedUntil: null })
  }
}

/** Due rows in the order in which they are claimed: whoever has the fewest under way comes first. */
const claimable = (tables: Tables, { now, perEndpoint }: ClaimRequest): ReadonlyArray<Row> => {
  const byEndpoint = new Map<EndpointId, { underWay: number; readonly due: Array<Row> }>()
  for (const row of tables.deliveries.values()) {
    const { state, endpointId, dueAt } = row.delivery
    if (state !== "trying" || dueAt === null) continue
    const group = byEndpoint.get(endpointId) ?? { underWay: 0, due: [] }
    byEndpoint.set(endpointId, group)
    if (isLeased(row, now)) group.underWay++
    else if (dueAt <= now) group.due.push(row)
  }
  return [...byEndpoint.values()]
    .flatMap(({ underWay, due }) =>
      due
        .sort((a, b) => (a.delivery.dueAt ?? 0) - (b.delivery.dueAt ?? 0))
        .slice(0, Math.max(0, perEndpoint - underWay))
        .map((row, index) => ({ row, rank: underWay + index }))
    )
    .sort((a, b) => a.rank - b.rank || (a.row.delivery.dueAt ?? 0) - (b.row.delivery.dueAt ?? 0))
    .map(({ row }) => row)
}

const claim = (tables: Tables, request: ClaimRequest): ReadonlyArray<Claim> => {
  sweepStale(tables, request.now)
  return claimable(tables, request)
    .slice(0, request.limit)
    .flatMap((row) => {
      const endpoint = tables.endpoints.get(row.delivery.endpointId)
      if (endpoint === undefined) return []
      const { id } = row.delivery
      tables.deliveries.set(id, { ...row, lease: request.lease, leasedUntil: request.leaseUntil })
      return [{ delivery: row.delivery, lease: request.lease, url: endpoint.url, secrets: endpoint.secrets }]
    })
}

const finish = (
  tables: Tables,
  claimed: { readonly id: DeliveryId; readonly appId: Delivery.Delivery["appId"]; readonly lease: string },
  asked: Delivery.Finish,
  attempt: Delivery.Attempt | null,
  now: Timestamp.Timestamp
): boolean => {
  const row = tables.deliveries.get(claimed.id)
  if (row === undefined || row.lease !== claimed.lease || row.delivery.state !== "trying") return false
  if (row.delivery.appId !== claimed.appId) return false
  const endpoint = tables.endpoints.get(row.delivery.endpointId)
  const isCurrent = endpoint?.epoch === row.endpointEpoch
  const goesOn = asked._tag === "Retry" || asked._tag === "Postponed"
  const reason = endpoint === undefined ? "endpoint_removed" : "endpoint_disabled"
  const end: Delivery.Finish = goesOn && !isCurrent ? { _tag: "Failed", at: now, reason } : asked
  if (attempt !== null) tables.attempts.push({ ...attempt, deliveryId: claimed.id })
  tables.deliveries.set(claimed.id, {
    ...row,
    delivery: Delivery.move(row.delivery, end),
    lease: null,
    leasedUntil: null
  })
  if (endpoint === undefined || !isCurrent) return true
  const effect = Delivery.effectOnEndpoint(row.delivery, end)
  const after =
    effect === "strike"
      ? WebhookEndpoint.strike(endpoint, now)
      : effect === "clear"
        ? WebhookEndpoint.clearStrikes(endpoint)
        : endpoint
  tables.endpoints.set(endpoint.id, after)
  if (after.epoch !== endpoint.epoch) failWaiting(tables, endpoint.id, "endpoint_disabled", now)
  return true
}

const attemptsOf = (tables: Tables, id: DeliveryId): ReadonlyArray<Delivery.Attempt> =>
  tables.attempts.filter((row) => row.deliveryId === id).map(Struct.omit("deliveryId"))

const matches =
  ({ endpointId, eventId, types, state, from, to }: Filter) =>
  (delivery: Delivery.Delivery): boolean =>
    (endpointId === undefined || delivery.endpointId === endpointId) &&
    (eventId === undefined || delivery.envelope.eventId === eventId) &&
    (types === undefined || types.includes(delivery.envelope.payload.type)) &&
    (state === undefined || delivery.state === state) &&
    (from === undefined || delivery.createdAt >= from) &&
    (to === undefined || delivery.createdAt < to)

const newestFirst = (a: Delivery.Delivery, b: Delivery.Delivery): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

/** Comes after `position`, the creation time and id of a row, in that order. */
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
            const isKnown = deliveries().some(
              ({ endpointId, envelope, replayNo }) =>
                endpointId === row.endpointId && envelope.eventId === row.envelope.eventId && replayNo === row.replayNo
            )
            if (endpoint === undefined || endpoint.appId !== row.appId || isKnown) continue
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
      claim: (request) => Effect.sync(() => claim(tables, request)),
      finish: (claimed, asked, attempt) =>
        Effect.map(Timestamp.now, (now) => finish(tables, claimed, asked, attempt, now)),
      nextDueAt: (after) =>
        Effect.sync(() => {
          const times = deliveries().flatMap(({ dueAt }) => (dueAt !== null && dueAt > after ? [dueAt] : []))
          return times.length === 0 ? Option.none() : Option.some(Timestamp.make(Math.min(...times)))
        }),
      recordTest: (delivery, attempt) =>
        Effect.sync(() => {
          tables.deliveries.set(delivery.id, { delivery, endpointEpoch: 0, lease: null, leasedUntil: null })
          tables.attempts.push({ ...attempt, deliveryId: delivery.id })
        }),
      find: (appId, id) =>
        Effect.sync(() =>
          Option.map(
            Option.filter(Option.fromNullable(tables.deliveries.get(id)), (row) => row.delivery.appId === appId),
            ({ delivery }) => ({ delivery, attempts: attemptsOf(tables, id) })
          )
        ),
      list: (appId, filter, limit, after) =>
        Effect.sync(() => {
          const rows = deliveries()
            .filter((delivery) => delivery.appId === appId && matches(filter)(delivery))
            .filter(after === undefined ? () => true : isAfter(after))
            .sort(newestFirst)
            .slice(0, limit + 1)
            .map((delivery) => ({ delivery, lastAttempt: attemptsOf(tables, delivery.id).at(-1) ?? null }))
          return Page.of(rows, limit, ({ delivery }) => [delivery.createdAt, delivery.id])
        })
    })
  })
)
