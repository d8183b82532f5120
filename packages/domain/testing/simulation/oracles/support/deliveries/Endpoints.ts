import type { EndpointRow } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { type CompletedCall, happened, isDone, mayBeDone } from "../trace/Happened.js"
import * as Register from "../trace/Register.js"

/**
 * The webhook endpoints of apps: addresses, subscriptions, secrets, and the state of each endpoint each time that its
 * developer read the endpoints.
 */

export interface Endpoint {
  readonly endpointId: string
  readonly appId: string
  readonly created: CompletedCall<"createEndpoint">
  readonly urls: Register.Register<string>
  /** The types of events to which the endpoint subscribes. An empty list means all events (Spec §2.7). */
  readonly events: Register.Register<ReadonlyArray<string>>
  /** The operations that enabled the endpoint, or may have enabled it. */
  readonly enablings: ReadonlyArray<CompletedCall<"editEndpoint">>
  readonly removals: ReadonlyArray<CompletedCall<"removeEndpoint">>
  readonly secrets: ReadonlyArray<Secret>
  /** The state of the endpoint each time that its developer read the endpoints, in the order of the trace. */
  readonly readings: ReadonlyArray<Reading>
}

interface Secret {
  readonly alias: string
  readonly since: CompletedCall
  /** The first operation that may have replaced the secret; undefined when there is none. */
  readonly replaced: CompletedCall | undefined
  /** The first operation that certainly replaced the secret; undefined when there is none. */
  readonly surelyReplaced: CompletedCall | undefined
  /**
   * The later rotations of the endpoint's secret, after the rotation (`replaced`) that may have replaced this secret by
   * a new one. A rotation deletes those old secrets of the endpoint that are no longer valid, so each later rotation
   * may have deleted this secret.
   */
  readonly forgetters: ReadonlyArray<CompletedCall>
}

export interface Reading extends EndpointRow {
  readonly by: CompletedCall<"readEndpoints">
}

const known = new WeakMap<object, ReadonlyMap<string, Endpoint>>()

export const endpointsOf = (run: Run): ReadonlyMap<string, Endpoint> => {
  const found = known.get(run) ?? read(run)
  known.set(run, found)
  return found
}

const read = (run: Run): ReadonlyMap<string, Endpoint> => {
  const h = happened(run)
  const rotations = new Map<string, Array<CompletedCall<"rotateSecret">>>()
  for (const operation of h.of("rotateSecret")) {
    if (!mayBeDone(operation)) continue
    rotations.set(operation.args.endpointId, [...(rotations.get(operation.args.endpointId) ?? []), operation])
  }
  const found = new Map<string, Endpoint>()
  for (const created of h.of("createEndpoint")) {
    if (created.outcome?._tag !== "ok") continue
    const { endpointId, secret } = created.outcome.value
    const { appId, events, url } = created.args
    const [urls, subscribed] = [Register.make<string>(), Register.make<ReadonlyArray<string>>()]
    urls.write(created, url)
    subscribed.write(created, events)
    const edits = h
      .of("editEndpoint")
      .filter((operation) => operation.args.endpointId === endpointId && mayBeDone(operation))
    for (const operation of edits) {
      if (operation.args.url !== undefined) urls.write(operation, operation.args.url)
      if (operation.args.events !== undefined) subscribed.write(operation, operation.args.events)
    }
    found.set(endpointId, {
      endpointId,
      appId,
      created,
      urls,
      events: subscribed,
      enablings: edits.filter((operation) => operation.args.enabled === true),
      removals: h
        .of("removeEndpoint")
        .filter((operation) => operation.args.endpointId === endpointId && mayBeDone(operation)),
      secrets: secretsOf(created, secret, rotations.get(endpointId) ?? []),
      readings: h.of("readEndpoints").flatMap((by) => {
        if (by.args.appId !== appId || by.outcome?._tag !== "ok") return []
        const row = by.outcome.value.endpoints.find((one) => one.endpointId === endpointId)
        return row === undefined ? [] : [{ ...row, by }]
      })
    })
  }
  return found
}

const secretsOf = (
  created: CompletedCall,
  first: string,
  rotations: ReadonlyArray<CompletedCall<"rotateSecret">>
): ReadonlyArray<Secret> => {
  const named = rotations.flatMap((since) =>
    since.outcome?._tag === "ok" ? [{ alias: since.outcome.value.secret, since: since as CompletedCall }] : []
  )
  return [{ alias: first, since: created }, ...named].map(({ alias, since }) => {
    // If two rotations overlap, the trace does not show which came last, so each may have replaced the other's secret.
    const after = rotations.filter((other) => other !== since && other.end > since.begin)
    return {
      alias,
      since,
      replaced: after[0],
      surelyReplaced: after.find((other) => isDone(other) && other.begin > since.end),
      forgetters: after.slice(1)
    }
  })
}

/** The event type to which a receiver must subscribe to get payloads of this type (Spec §6.1); undefined for `ping`. */
const subscriptionOf = (type: string): string | undefined =>
  /^(place|zone)\.(enter|exit|dwell)$/.test(type) ? "rule.fired" : type === "ping" ? undefined : type

export const mayWant = (endpoint: Endpoint, type: string, begin: number, end: number): boolean =>
  endpoint.events.possible(begin, end).some((events) => wants(events, type))

export const surelyWants = (endpoint: Endpoint, type: string, begin: number, end: number): boolean =>
  endpoint.events.possible(begin, end).every((events) => wants(events, type))

/** Whether a subscription includes payloads of this type. An empty list means all events (Spec §2.7). */
export const wants = (events: ReadonlyArray<string>, type: string): boolean =>
  events.length === 0 || events.includes(subscriptionOf(type) ?? "")

/**
 * Whether the endpoint was certainly enabled from `begin` to `end`. The endpoint was certainly enabled if it was
 * created before `begin` and never removed, the last read is after `end` and shows the endpoint as enabled, and nobody
 * enabled it since `begin`.
 */
export const isSurelyEnabled = (
  { created, enablings, readings, removals }: Endpoint,
  begin: number,
  end: number
): boolean => {
  const last = readings.at(-1)
  if (last === undefined || !last.enabled || last.by.begin < end || removals.length > 0) return false
  return created.end < begin && !enablings.some((operation) => operation.end > begin)
}
