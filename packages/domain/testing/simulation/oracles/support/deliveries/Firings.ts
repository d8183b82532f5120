import type { DeliveryRow } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { ground, type MadeRule } from "../Ground.js"
import { happened, type CompletedCall, isDone, type Post, textOf, timeOf } from "../trace/Happened.js"

/** The firings of rules, as receivers and delivery logs show the firings. */

export interface Firing {
  readonly eventId: string
  /** `enter`, `exit` or `dwell`. */
  readonly type: string
  /**
   * The capture time of the fix that made the rule fire (decision L6); for a firing by silence, the end of the dwell
   * time.
   */
  readonly occurredAt: number
  /** The id of the rule. Null when only a row of the delivery log shows the firing, because a row names no rule. */
  readonly ruleId: string | null
  /** The rules that may have fired. Empty when a rule may have fired whose creation the trace does not show. */
  readonly rules: ReadonlyArray<MadeRule>
  /**
   * The number (`i`) of an entry that shows the firing: the first POST of the event. If the trace has no POST of the
   * event: the end of a read of the delivery log.
   */
  readonly at: number
}

/** A row of a delivery log as one read of the log showed the row, with the operation that read the log. */
export interface Row extends DeliveryRow {
  readonly appId: string
  readonly read: CompletedCall<"readDeliveries">
}

const firingsOf = new WeakMap<object, ReadonlyArray<Firing>>()
const rowsOf = new WeakMap<object, ReadonlyArray<Row>>()

/** Every firing of the run, ordered by the time of occurrence. */
export const firings = (run: Run): ReadonlyArray<Firing> => {
  const found = firingsOf.get(run) ?? read(run)
  firingsOf.set(run, found)
  return found
}

export const rows = (run: Run): ReadonlyArray<Row> => {
  const found = rowsOf.get(run) ?? readRows(run)
  rowsOf.set(run, found)
  return found
}

const TYPE = /^(place|zone)\.(enter|exit|dwell)$/

export const isFiring = (type: unknown): boolean => typeof type === "string" && TYPE.test(type)

const read = (run: Run): ReadonlyArray<Firing> => {
  const { rules } = ground(run)
  const made = unnamed(run)
  const found = new Map<string, Firing>()
  const add = (firing: Firing) => {
    const key = `${firing.eventId} ${firing.ruleId} ${firing.occurredAt}`
    if (!found.has(key)) found.set(key, firing)
  }
  for (const { body, i } of happened(run).posts) {
    const [eventId, ruleId] = [textOf(body["event_id"]), textOf(body["rule_id"])]
    const [, , type] = TYPE.exec(textOf(body["type"]) ?? "") ?? []
    const occurredAt = timeOf(body["occurred_at"])
    if (eventId === undefined || ruleId === undefined || type === undefined || occurredAt === undefined) continue
    const rule = rules.get(ruleId)
    add({ eventId, ruleId, type, occurredAt, rules: rule === undefined ? [] : [rule], at: i })
  }
  const posted = new Set([...found.values()].map(({ eventId }) => eventId))
  for (const row of rows(run)) {
    const [, kind, type] = TYPE.exec(row.type) ?? []
    if (type === undefined || posted.has(row.eventId)) continue
    const { appId, eventId, occurredAt, read } = row
    const candidates = [...rules.values()].filter(
      (rule) => rule.pair.appId === appId && rule.kind === kind && rule.fields.type === type
    )
    // If the app may have rules whose ids no answer showed, one of these rules may have fired, so `rules` is empty.
    add({ eventId, ruleId: null, type, occurredAt, rules: made.has(appId) ? [] : candidates, at: read.end })
  }
  return [...found.values()].sort((a, b) => a.occurredAt - b.occurredAt || a.at - b.at)
}

/** The apps that may have rules whose ids the trace does not show. */
const unnamed = (run: Run): ReadonlySet<string> =>
  new Set(
    happened(run)
      .of("call")
      .filter((operation) => "type" in operation.args.request && operation.outcome?._tag !== "ok")
      .map((operation) => operation.args.appId)
  )

const readRows = (run: Run): ReadonlyArray<Row> => {
  const last = new Map<string, Row>()
  for (const operation of happened(run).of("readDeliveries")) {
    if (!isDone(operation) || operation.outcome?._tag !== "ok") continue
    for (const row of operation.outcome.value.deliveries)
      last.set(row.deliveryId, { ...row, appId: operation.args.appId, read: operation })
  }
  return [...last.values()]
}

/** The POSTs of an event to an endpoint. */
export const postsOf = (run: Run, eventId: string, endpointId: string): ReadonlyArray<Post> =>
  postIndex(run).get(`${eventId} ${endpointId}`) ?? []

const indexes = new WeakMap<object, ReadonlyMap<string, ReadonlyArray<Post>>>()

const postIndex = (run: Run): ReadonlyMap<string, ReadonlyArray<Post>> => {
  const found = indexes.get(run)
  if (found !== undefined) return found
  const made = new Map<string, Array<Post>>()
  for (const post of happened(run).posts) {
    const key = `${textOf(post.body["event_id"])} ${textOf(post.body["endpoint_id"])}`
    const same = made.get(key)
    if (same === undefined) made.set(key, [post])
    else same.push(post)
  }
  indexes.set(run, made)
  return made
}
