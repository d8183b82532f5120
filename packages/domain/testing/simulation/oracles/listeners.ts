import type { Name } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { HEARTBEAT, LISTENER_LIFE, LISTENERS, MINUTE, SECOND } from "../Specification.js"
import { wants } from "./support/deliveries/Endpoints.js"
import { isFiring } from "./support/deliveries/Firings.js"
import { type Listener, listenersOf } from "./support/deliveries/Listeners.js"
import { standardEnds } from "./support/Ended.js"
import { ground } from "./support/Ground.js"
import { isRefusedAs } from "./support/trace/oracle.js"
import {
  type CompletedCall,
  happened,
  is,
  isDone,
  type Post,
  type StreamedEvent,
  textOf,
  timeOf
} from "./support/trace/Happened.js"
import { index } from "./support/trace/Ops.js"
import { causeOf, staleness, unsigned, unwanted } from "./webhooks.js"

/**
 * Oracles of listeners: developers' machines that read an app's events from a stream (decisions listeners-1 to
 * listeners-4).
 */

const typeOf = ({ body }: Post): string => textOf(body["type"]) ?? "?"
const eventOf = ({ body }: Post): string => textOf(body["event_id"]) ?? "?"

const eachStreamed = (run: Run, wrong: (event: StreamedEvent, listener: Listener) => string | undefined) =>
  happened(run).streamed.flatMap((event) => {
    const listener = listenersOf(run).get(event.listenerId)
    const detail = listener === undefined ? undefined : wrong(event, listener)
    return detail === undefined ? [] : [{ at: event.i, detail: `${typeOf(event)} ${eventOf(event)}: ${detail}` }]
  })

// ---- the oracle N1

/**
 * Each key of the vault gives a listener another secret, and the service signs only with the secrets of the newest
 * eight keys. So in a run with at least this number of key rotations, the oracle does not require a signature with the
 * secret that the listener got at the beginning.
 */
const KEYS = 7

const N1: Oracle = {
  name: "N1",
  rule: "An event over a stream is signed like a webhook, by its endpoint's secrets or the listener's own, and names the endpoint or the listener (decisions listeners-1, listeners-2)",
  check: (run) => {
    const rotations = happened(run).faults.filter(({ fault }) => fault === "keys.rotate").length
    return eachStreamed(run, (event, { endpointId, listenerId, secret }) => {
      if (event.body["endpoint_id"] !== (endpointId ?? listenerId)) return "it names another receiver"
      const stale = staleness(run, event)
      if (stale !== undefined || secret === null) return stale ?? unsigned(run, event)
      if (event.verifiedBy.includes(secret) || rotations >= KEYS) return undefined
      return "it does not verify with the listener's secret"
    })
  }
}

// ---- the oracle N2

const N2: Oracle = {
  name: "N2",
  rule: "A listener gets events of its app that it or its endpoint subscribes to, each once, and none after its stream ended (decisions listeners-1, listeners-3, listeners-4)",
  check: (run) => {
    const before = new Set<string>()
    return eachStreamed(run, (event, listener) => {
      const { appId, endpointId, listenerId, opened, over } = listener
      const key = `${listenerId} ${eventOf(event)}`
      const isAgain = before.has(key)
      before.add(key)
      if (event.i > over) return "its stream was over"
      if (event.body["app_id"] !== appId) return "it is of another app"
      if (typeOf(event) === "ping") return "a test goes to endpoints only"
      // If a worker died during the fan-out, another worker may offer the same event a second time. So after such a
      // fault, a second message is no violation.
      if (isAgain && index(run).isCalm(opened.begin, event.i)) return "it came twice"
      if (endpointId !== null) return unwanted(run, event)
      return wants(opened.args.events, typeOf(event)) ? undefined : "its listener does not subscribe to it"
    })
  }
}

// ---- the oracle N3

/** Operations that do not change which events an app may get. `isHarmless` makes exceptions. */
const HARMLESS: ReadonlySet<Name> = new Set<Name>([
  "exchange",
  "listen",
  "readAccessLog",
  "readDeliveries",
  "readEndpoints",
  "readFlags",
  "readOwnHistory",
  "refresh",
  "signIn",
  "upload",
  "useCookie"
])
/**
 * Whether the operation certainly does not change which events an app may get. False for an exchange or a refresh that
 * may have failed: if the code or the token was used a second time, the service has ended the connection. Also false
 * for a call that may delete a rule.
 */
const isHarmless = (operation: CompletedCall): boolean => {
  if (is(operation, "call")) return !("ruleId" in operation.args.request)
  return HARMLESS.has(operation.name) && (isDone(operation) || !ISSUING.has(operation.name))
}
const ISSUING: ReadonlySet<Name> = new Set<Name>(["exchange", "refresh"])

/** The longest time from the POST of an event to its message on a stream: the server looks for events every second. */
const LOOK = 2 * SECOND
/** A stream that opened at least this long before the POST of an event was certainly open when the event was sent. */
const SETTLED = 5 * SECOND

const N3: Oracle = {
  name: "N3",
  rule: "Who listens without interruption gets every firing that an endpoint gets and the listener wants (decisions listeners-1, listeners-4)",
  check: (run) => {
    const listeners = [...listenersOf(run).values()]
    // If the clock was set back, times do not show which entries came within `LOOK` after a POST.
    if (listeners.length === 0 || index(run).wentBack) return []
    const seen = new Set<string>()
    return happened(run).posts.flatMap((post) => {
      const isFirst = !seen.has(eventOf(post))
      seen.add(eventOf(post))
      if (!isFirst || !isFiring(post.body["type"])) return []
      return listeners
        .filter((listener) => shouldHear(run, post, listener))
        .map(({ listenerId }) => ({ at: post.i, detail: `${eventOf(post)} did not come to ${listenerId}` }))
    })
  }
}

const shouldHear = (run: Run, post: Post, listener: Listener): boolean => {
  const { appId, dropped, endpointId, events, opened, over } = listener
  const { all } = happened(run)
  const { entries, firstAt, isCalm } = index(run)
  const isWanted =
    endpointId === null ? wants(opened.args.events, typeOf(post)) : post.body["endpoint_id"] === endpointId
  if (!isWanted || post.body["app_id"] !== appId || dropped > 0) return false
  const [begin, end] = [causeOf(run, post), firstAt(post.beganAt + LOOK)]
  if (opened.end >= begin || opened.endedAt > post.beganAt - SETTLED) return false
  // A fault while the stream was open may have delayed a heartbeat, and then the listener counts as gone.
  if (end >= entries.length || over <= end || !isCalm(opened.begin, end) || mayBeOutdated(run, post, end)) return false
  const isQuiet = all.every((operation) => operation.end < begin || operation.begin > end || isHarmless(operation))
  return isQuiet && !events.some((event) => eventOf(event) === eventOf(post))
}

/**
 * Whether a time that ends the permission to send the event may have passed within `LOOK` after the POST: the event is
 * too old for its rule, or its connection has ended. Also true when the trace does not show the event's rule.
 */
const mayBeOutdated = (run: Run, { beganAt, body }: Post, end: number): boolean => {
  const rule = ground(run).rules.get(textOf(body["rule_id"]) ?? "")
  const occurredAt = timeOf(body["occurred_at"])
  if (rule === undefined || occurredAt === undefined) return true
  const now = beganAt + LOOK + index(run).skewMs
  return (
    now - occurredAt > (rule.fields.maxEventAgeS ?? Infinity) * SECOND ||
    standardEnds(rule.pair, end).some((at) => at <= now)
  )
}

// ---- the oracle N4

/**
 * The longest time from the cause to the end of a stream: the server checks session, app and endpoint at each
 * heartbeat.
 */
const NOTICED = HEARTBEAT + LOOK

const N4: Oracle = {
  name: "N4",
  rule: "A stream ends within a heartbeat of its session, app or endpoint, and says why; otherwise only its reader or a fault ends it (decision listeners-3)",
  check: (run) =>
    [...listenersOf(run).values()].flatMap((listener) => {
      const { end, listenerId, opened, over } = listener
      const { entries, firstAt, isCalm, wentBack } = index(run)
      const late = [...causesOf(run, listener)].flatMap(([reason, all]) =>
        all.flatMap((operation) => {
          const by = firstAt(operation.endedAt + NOTICED)
          const isSure =
            !wentBack && isDone(operation) && operation.end > opened.end && operation.end < over && by < entries.length
          const isLate = over > by || (end !== undefined && end.t > operation.endedAt + NOTICED)
          return isSure && isLate && isCalm(opened.begin, by)
            ? [{ at: by, detail: `${listenerId} goes on though ${reason}` }]
            : []
        })
      )
      const strange = end === undefined ? undefined : isStrange(run, listener, end)
      return strange === true && end !== undefined
        ? [...late, { at: end.i, detail: `${listenerId} ended as ${end.reason} without a reason` }]
        : late
    })
}

/** The operations that may have ended the stream. The key is the reason that the stream gives for its end. */
const causesOf = (run: Run, { appId, endpointId, opened }: Listener) => {
  const { of } = happened(run)
  return new Map<string, ReadonlyArray<CompletedCall>>([
    ["signed_out", of("signOut").filter(({ args }) => args.cookie === opened.args.cookie)],
    ["app_gone", of("revokeApp").filter(({ args }) => args.appId === appId)],
    ["endpoint_gone", of("removeEndpoint").filter(({ args }) => args.endpointId === endpointId)]
  ])
}

const isStrange = (run: Run, listener: Listener, { i, reason }: { readonly i: number; readonly reason: string }) => {
  const { of } = happened(run)
  if (reason === "left") return false
  if (reason === "expired" || reason === "unavailable") return index(run).isCalm(listener.opened.begin, i)
  // The developer may have ended the session from another browser.
  const others = reason === "signed_out" ? [...of("endOtherSessions"), ...of("changePassword")] : []
  return ![...(causesOf(run, listener).get(reason) ?? []), ...others].some(({ begin }) => begin < i)
}

// ---- the oracle N5

/**
 * The longest time for which a listener whose server died still counts towards the limit of five. A worker removes a
 * listener that has had no heartbeat for `LISTENER_LIFE`.
 */
const GONE = LISTENER_LIFE + 2 * MINUTE

const N5: Oracle = {
  name: "N5",
  rule: "An app has at most five open listeners, and a fifth is accepted (decision listeners-3)",
  check: (run) => {
    const all = [...listenersOf(run).values()]
    const { of } = happened(run)
    return of("listen").flatMap((operation) => {
      const others = all.filter(({ appId, opened }) => appId === operation.args.appId && opened !== operation)
      if (isDone(operation)) {
        const there = others.filter(({ opened, over }) => opened.end < operation.begin && over > operation.end)
        const isSure = there.every(({ opened }) => index(run).isCalm(opened.begin, operation.end))
        return isSure && there.length >= LISTENERS
          ? [{ at: operation.end, detail: `${there.length} listened already` }]
          : []
      }
      if (operation.outcome === null || !isRefusedAs(operation.outcome, "Conflict")) return []
      const isRevoked = of("revokeApp").some(
        ({ args, begin }) => args.appId === operation.args.appId && begin < operation.end
      )
      const unknown = of("listen").filter(({ outcome }) => outcome?._tag !== "ok" && outcome?._tag !== "refused")
      const maybe = others.filter(
        ({ end, opened, over }) =>
          opened.begin < operation.end && (over > operation.begin || (end?.t ?? Infinity) > operation.beganAt - GONE)
      )
      return isRevoked || maybe.length + unknown.length >= LISTENERS
        ? []
        : [{ at: operation.end, detail: `refused though at most ${maybe.length} listened` }]
    })
  }
}

export const listeners: ReadonlyArray<Oracle> = [N1, N2, N3, N4, N5]
