import type { DeliveryRow } from "../../../Operations.js"
import type { Knowledge } from "../Knowledge.js"
import { happened, textOf } from "../trace/Happened.js"
import type { Run } from "../../../Oracle.js"
import type { OpOf } from "../trace/Ops.js"
import { into } from "../trace/into.js"

/** The delivery log of one app, as its developer read the log: each row as the last read of this row showed it. */
export interface Rows {
  readonly appId: string
  readonly rows: ReadonlyMap<string, DeliveryRow>
  /**
   * The deliveries of each event to each endpoint, oldest first. `sendingOf` makes the key. Deliveries of test events
   * are not included.
   */
  readonly sendings: ReadonlyMap<string, ReadonlyArray<DeliveryRow>>
  readonly last: OpOf<"readDeliveries">
}

export const sendingOf = (endpointId: string, eventId: string): string => `${endpointId} ${eventId}`

const cache = new WeakMap<Knowledge, ReadonlyArray<Rows>>()

export const deliveryLogs = (known: Knowledge): ReadonlyArray<Rows> => {
  const there = cache.get(known)
  if (there !== undefined) return there
  const byApp = new Map<string, { rows: Map<string, DeliveryRow>; last: OpOf<"readDeliveries"> }>()
  for (const op of known.trace.ops.values()) {
    if (op.name !== "readDeliveries" || op.outcome._tag !== "ok") continue
    const app = byApp.get(op.args.appId) ?? { rows: new Map<string, DeliveryRow>(), last: op }
    app.last = op
    for (const row of op.outcome.value.deliveries) app.rows.set(row.deliveryId, row)
    byApp.set(op.args.appId, app)
  }
  const made = [...byApp].map(([appId, { last, rows }]): Rows => {
    const sendings = new Map<string, Array<DeliveryRow>>()
    for (const row of rows.values()) if (!row.isTest) into(sendings, sendingOf(row.endpointId, row.eventId), row)
    for (const list of sendings.values()) list.sort((a, b) => a.createdAt - b.createdAt)
    return { appId, rows, sendings, last }
  })
  cache.set(known, made)
  return made
}

/**
 * For each event whose rule sets `max_event_age_s`, the highest age in seconds at which the service may send the event.
 * Leaves out an event if the trace shows its rule in none of its POSTs.
 */
export const caps = (known: Knowledge, run: Run): ReadonlyMap<string, number> => {
  const ofRule = new Map<string, number>()
  for (const { op } of known.calls) {
    const { request } = op.args
    if (!("maxEventAgeS" in request) || request.maxEventAgeS === null) continue
    if (op.outcome._tag !== "ok" || op.outcome.value.status !== 201) continue
    const id = textOf(op.outcome.value.body["id"])
    if (id !== undefined) ofRule.set(id, request.maxEventAgeS)
  }
  const found = new Map<string, number>()
  for (const { body } of happened(run).posts) {
    const eventId = textOf(body["event_id"])
    const cap = ofRule.get(textOf(body["rule_id"]) ?? "")
    if (eventId !== undefined && cap !== undefined) found.set(eventId, cap)
  }
  return found
}
