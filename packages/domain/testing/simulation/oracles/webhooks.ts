import type { Oracle, Run } from "../Oracle.js"
import { recordOf } from "./support/Answers.js"
import { type Endpoint, endpointsOf, isSurelyEnabled, mayWant, surelyWants } from "./support/deliveries/Endpoints.js"
import { isFiring, postsOf, rows } from "./support/deliveries/Firings.js"
import { archived, effective, ground, type MadeRule, sharing } from "./support/Ground.js"
import { isOver } from "./support/Ended.js"
import {
  type CompletedCall,
  happened,
  isDone,
  mayBeDone,
  type Post,
  spanOf,
  textOf,
  timeOf
} from "./support/trace/Happened.js"
import { index } from "./support/trace/Ops.js"
import { phonesOf } from "./support/phones/Phones.js"
import { DAY, ENDPOINTS, HOUR, SECOND, SECRET_OVERLAP, SIGNATURES, UNDELIVERED_KEPT } from "../Specification.js"

/** Oracles of webhooks: which endpoint gets which events, and how the events are signed (Spec §2.7, §6). */

const each = (run: Run, wrong: (post: Post) => string | undefined, posts = happened(run).posts) =>
  posts.flatMap((post) => {
    const detail = wrong(post)
    return detail === undefined
      ? []
      : [{ at: post.i, detail: `${textOf(post.body["type"])} ${eventOf(post)}: ${detail}` }]
  })

/** Reports each event that `wrong` finds wrong: events of POSTs, and events that listeners got over a stream. */
const eachReceived = (run: Run, wrong: (post: Post) => string | undefined) => each(run, wrong, happened(run).received)

const eventOf = ({ body }: Post): string => textOf(body["event_id"]) ?? "?"
const typeOf = ({ body }: Post): string => textOf(body["type"]) ?? "?"
const endpointOf = (run: Run, { body }: Post): Endpoint | undefined =>
  endpointsOf(run).get(textOf(body["endpoint_id"]) ?? "")
const ruleOf = (run: Run, { body }: Post): MadeRule | undefined => ground(run).rules.get(textOf(body["rule_id"]) ?? "")

// ---- the oracle H1

const h1: Oracle = {
  name: "H1",
  rule: "Each attempt is signed with a fresh t by every valid secret, an old one for 24 h (Spec §6.4.2 to §6.4.4)",
  check: (run) => each(run, (post) => staleness(run, post) ?? unsigned(run, post))
}

export const staleness = (run: Run, { beganAt, signedAtS }: Post): string | undefined => {
  const { faults, skewMs, slackMs } = happened(run)
  if (signedAtS === null) return "it is not signed"
  if (faults.some(({ fault, t }) => fault === "clock.jump" && Math.abs(t - beganAt) < 2 * HOUR)) return undefined
  const age = beganAt - signedAtS * SECOND
  return age < -skewMs || age >= SECOND + slackMs + skewMs
    ? `it is signed with a t of ${spanOf(age)} before it came`
    : undefined
}

export const unsigned = (run: Run, post: Post): string | undefined => {
  const secrets = endpointOf(run, post)?.secrets ?? []
  const { beganAt, signatures, verifiedBy } = post
  const { slackMs } = happened(run)
  if (secrets.length === 0 || secrets.length > SIGNATURES) return undefined
  for (const { alias, forgetters, replaced, since, surelyReplaced } of secrets) {
    const isThere = since.endedAt < beganAt - slackMs && since.end < post.i
    // If the clock was set back during the rotation, the service may have used the time before or after the jump for
    // the rotation. So the oracle uses the earlier time.
    const endsAt = replaced === undefined ? Infinity : Math.min(replaced.beganAt, replaced.endedAt) + SECRET_OVERLAP
    const isValid = isThere && beganAt < endsAt && !isForgotten(run, post, forgetters, endsAt)
    if (isValid && !verifiedBy.includes(alias)) return `it does not verify with ${alias}, which is valid`
    const goneAt =
      surelyReplaced === undefined
        ? Infinity
        : Math.max(surelyReplaced.beganAt, surelyReplaced.endedAt) + SECRET_OVERLAP
    const isGone = beganAt - slackMs >= goneAt
    if (isGone && verifiedBy.includes(alias)) return `it verifies with ${alias}, which is not valid any more`
  }
  const isAllKnown = happened(run)
    .of("rotateSecret")
    .every((operation) => operation.outcome?._tag === "ok" || !mayBeDone(operation))
  return isAllKnown && signatures > verifiedBy.length ? "it is signed with a secret that nobody was given" : undefined
}

/**
 * Whether a rotation may have deleted the old secret, because the secret's validity had ended before the clock was set
 * back. A deleted secret does not become valid again.
 */
const isForgotten = (run: Run, post: Post, forgetters: ReadonlyArray<CompletedCall>, endsAt: number): boolean => {
  const { latest, ops } = index(run)
  if (latest(post.i) < endsAt) return false
  return forgetters.some(({ begin }) => begin < post.i && (ops.get(begin)?.tMax ?? Infinity) >= endsAt)
}

// ---- the oracle H2

const COMMON = ["event_id", "app_id", "endpoint_id", "type", "occurred_at"]
const FIELDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  ping: [],
  "places.changed": ["grant_id", "places_version"],
  "sensitive.expiring": ["grant_id", "sensitive_expires_at", "days_left", "scopes"],
  "sensitive.lapsed": ["grant_id", "sensitive_expires_at", "renewal_grace_ends_at", "scopes"],
  "sensitive.removed": ["grant_id", "scopes"]
}

const h2: Oracle = {
  name: "H2",
  survivesRestore: true,
  rule: "A body has the fields of its type and no other, never a coordinate (Spec §6.1, §6.2)",
  check: (run) =>
    eachReceived(run, (post) => {
      const own = isFiring(post.body["type"]) ? ["grant_id", "rule_id", "target"] : FIELDS[typeOf(post)]
      if (own === undefined) return "there is no such type"
      const target = recordOf(post.body["target"])
      const expected = [...COMMON, ...own, ...(own.includes("target") ? ["target.place_id", "target.label"] : [])]
      const found = [...Object.keys(post.body), ...Object.keys(target ?? {}).map((key) => `target.${key}`)]
      const wrong = [
        ...found.filter((key) => !expected.includes(key)),
        ...expected.filter((key) => !found.includes(key)),
        ...Object.entries(post.body).flatMap(([key, value]) => (isOfItsKind(key, value) ? [] : [key]))
      ]
      return wrong.length === 0 ? undefined : `its ${wrong.join(", ")}`
    })
}

const isOfItsKind = (key: string, value: unknown): boolean => {
  if (key === "target") return recordOf(value) !== undefined
  if (key === "scopes") return Array.isArray(value) && value.every((scope) => typeof scope === "string")
  if (key === "days_left") return value === 14 || value === 7
  if (key === "places_version") return Number.isInteger(value)
  return typeof value === "string"
}

// ---- the oracle H3

const h3: Oracle = {
  name: "H3",
  survivesRestore: true,
  rule: "An event has one id and one content at every endpoint, listener, attempt and replay (Spec §2.8)",
  check: (run) => {
    const contents = new Map<string, string>()
    const ids = new Map<string, { readonly eventId: string; readonly endpointId: unknown }>()
    return eachReceived(run, (post) => {
      const { endpoint_id: endpointId, ...rest } = post.body
      const [eventId, content] = [eventOf(post), JSON.stringify(rest)]
      const before = contents.get(eventId)
      contents.set(eventId, before ?? content)
      if (before !== undefined && before !== content) return "it says something else than before"
      const happening = happeningOf(post)
      if (happening === undefined) return undefined
      const first = ids.get(happening)
      ids.set(happening, first ?? { eventId, endpointId })
      if (first === undefined || first.eventId === eventId) return undefined
      // If this event and `first` went to one endpoint, the rule fired twice. Other oracles, such as R8, report this.
      const isTwice = isFiring(post.body["type"]) && postsOf(run, eventId, textOf(first.endpointId) ?? "").length > 0
      return isTwice || first.endpointId === endpointId ? undefined : `it went elsewhere as ${first.eventId}`
    })
  }
}

/**
 * The key of what the event reports, such as one crossing or one end date. There may be only one event with this key.
 * Undefined when the body does not show what the event reports.
 */
const happeningOf = ({ body }: Post): string | undefined => {
  const { days_left, grant_id, occurred_at, places_version, rule_id, sensitive_expires_at, type } = body
  if (isFiring(type)) return JSON.stringify([rule_id, type, occurred_at])
  if (type === "places.changed") return JSON.stringify([grant_id, type, places_version])
  return sensitive_expires_at === undefined
    ? undefined
    : JSON.stringify([grant_id, type, sensitive_expires_at, days_left])
}

// ---- the oracle H4

const h4: Oracle = {
  name: "H4",
  rule: "An event goes to exactly the enabled endpoints that subscribe to it, or to those with its rule's own URL (Spec §6.1, §4.6.7)",
  check: (run) => [...each(run, (post) => unwanted(run, post)), ...missingDeliveries(run)]
}

/** The number (`i`) of the earliest entry at which the service can have decided which endpoints get the event. */
export const causeOf = (run: Run, post: Post): number => {
  const rule = ruleOf(run, post)
  const occurredAt = timeOf(post.body["occurred_at"])
  if (rule === undefined || occurredAt === undefined) return 0
  const uploads = phonesOf(run, rule.pair.userId).at(occurredAt)
  return Math.min(post.i, ...uploads.flatMap((fix) => fix.uploads.map(({ begin }) => begin)))
}

export const unwanted = (run: Run, post: Post): string | undefined => {
  const type = typeOf(post)
  const endpoint = endpointOf(run, post)
  const { of, slackMs } = happened(run)
  if (endpoint === undefined) {
    const isAllKnown = of("createEndpoint").every(
      (operation) => operation.outcome?._tag === "ok" || !mayBeDone(operation)
    )
    return isAllKnown ? "it went to no endpoint that there is" : undefined
  }
  if (post.body["app_id"] !== endpoint.appId) return "it went to another app's endpoint"
  const isGone = (operation: CompletedCall) =>
    isDone(operation) && operation.end < post.i && operation.endedAt < post.beganAt - slackMs
  if (endpoint.removals.some(isGone)) return "its endpoint had been removed"
  if (type === "ping") return undefined
  const begin = causeOf(run, post)
  const rule = ruleOf(run, post)
  // The trace does not show the rule of this firing. The rule may have its own webhook address, so any endpoint may be
  // right.
  if (rule === undefined && isFiring(type)) return undefined
  const webhookUrl = rule?.fields.webhookUrl ?? null
  if (webhookUrl !== null) {
    return post.url === webhookUrl ? undefined : "its rule names another address"
  }
  return mayWant(endpoint, type, begin, post.i) ? undefined : "its endpoint does not subscribe to it"
}

/**
 * Reports each endpoint that did not get an event to which it subscribes, although another endpoint got the event. An
 * endpoint did not get an event if the trace shows neither a row in the delivery log nor a POST.
 */
const missingDeliveries = (run: Run) => {
  if (!run.quiesced) return []
  const first = new Map<string, Post>()
  for (const post of happened(run).posts) {
    if (!first.has(eventOf(post)) && typeOf(post) !== "ping") first.set(eventOf(post), post)
  }
  const logged = new Set(rows(run).map(({ endpointId, eventId }) => `${eventId} ${endpointId}`))
  const read = happened(run).of("readDeliveries").filter(isDone)
  return [...first.values()].flatMap((post) => {
    const appId = textOf(post.body["app_id"]) ?? ""
    const last = read.findLast((operation) => operation.args.appId === appId)
    if (last === undefined || last.begin < post.i || last.endedAt - post.beganAt > UNDELIVERED_KEPT - DAY) return []
    return [...endpointsOf(run).values()].flatMap((endpoint) => {
      const { endpointId } = endpoint
      const isDelivered =
        logged.has(`${eventOf(post)} ${endpointId}`) || postsOf(run, eventOf(post), endpointId).length > 0
      return !isDelivered && endpoint.appId === appId && shouldHave(run, post, endpoint)
        ? [{ at: last.end, detail: `${typeOf(post)} ${eventOf(post)}: ${endpointId} should have been told` }]
        : []
    })
  })
}

const shouldHave = (run: Run, post: Post, endpoint: Endpoint): boolean => {
  const rule = ruleOf(run, post)
  if (isFiring(post.body["type"])) {
    const begin = causeOf(run, post)
    if (rule === undefined || !isSurelyEnabled(endpoint, begin, post.i)) return false
    const { webhookUrl } = rule.fields
    return webhookUrl === null
      ? surelyWants(endpoint, typeOf(post), begin, post.i)
      : endpoint.urls.possible(begin, post.i).every((url) => url === webhookUrl)
  }
  // Only the times show whether the endpoint existed before the event occurred, so the oracle judges the endpoint only
  // if nobody set the clock.
  if (happened(run).faults.some(({ fault }) => fault === "clock.jump")) return false
  const { end, endedAt } = endpoint.created
  const occurredAt = timeOf(post.body["occurred_at"]) ?? -Infinity
  return (
    endedAt < occurredAt &&
    isSurelyEnabled(endpoint, end + 1, post.i) &&
    surelyWants(endpoint, typeOf(post), end + 1, post.i)
  )
}

// ---- the oracle H5

const h5: Oracle = {
  name: "H5",
  rule: "Nothing is sent after the connection ended, the event's scope ended (events of the sensitive tier need no scope) or the rule was deleted (Spec §6.3.5)",
  check: (run) => eachReceived(run, (post) => forbidden(run, post))
}

const forbidden = (run: Run, post: Post): string | undefined => {
  const g = ground(run)
  const connectionId = textOf(post.body["grant_id"]) ?? ""
  const pair = g.connections.get(connectionId)
  if (pair === undefined) return undefined
  // At most `slackMs` before the POST, the worker checked whether it may send the event.
  const now = post.beganAt - g.happened.slackMs
  const begin = Math.min(index(run).firstAt(now), post.i)
  const proof = pair.consents.findLast(
    ({ end, outcome }) => outcome?._tag === "ok" && outcome.value.connectionId === connectionId && end < post.i
  )
  // An earlier connection of the user and the app may have ended at the instant at which this connection was made. The
  // end of the earlier connection must not count as the end of this connection.
  if (proof !== undefined && isOver(pair, connectionId, proof, Math.max(begin, proof.end + 1), now))
    return "the connection had ended"
  const type = typeOf(post)
  const scope = isFiring(type)
    ? `location.rules.${type.startsWith("zone.") ? "zone" : "place"}`
    : type === "places.changed"
      ? "location.places.watch"
      : undefined
  if (scope !== undefined && effective(g, pair, scope, begin, post.i) === "no") return `${scope} was not effective`
  const rule = ruleOf(run, post)
  if (rule === undefined) return undefined
  if (rule.removals.some((operation) => isDone(operation) && operation.end < begin)) return "the rule had been deleted"
  const place = g.places.get(rule.placeId ?? "")
  if (place === undefined) return undefined
  const isGone = sharing(pair, place.placeId, begin, post.i) === "no" || archived(place, begin, post.i) === "yes"
  return isGone ? "its place was not shared" : undefined
}

// ---- the oracles H6 and H7

const ROW = ["endpointId", "url", "events", "enabled", "disabledAt", "strikes"]

const h6: Oracle = {
  name: "H6",
  rule: "An app has at most five endpoints, and their secrets are shown only at creation and rotation (Spec §2.7, §8)",
  check: (run) => [
    ...happened(run)
      .of("createEndpoint")
      .flatMap((operation) => {
        if (!isDone(operation)) return []
        const standing = [...endpointsOf(run).values()].filter(
          ({ appId, created, removals }) =>
            appId === operation.args.appId &&
            created.end <= operation.end &&
            !removals.some(({ begin }) => begin < operation.end)
        )
        return standing.length > ENDPOINTS
          ? [{ at: operation.end, detail: `there are ${standing.length} endpoints` }]
          : []
      }),
    ...happened(run)
      .of("readEndpoints")
      .flatMap((operation) => {
        if (operation.outcome?._tag !== "ok") return []
        const { endpoints } = operation.outcome.value
        const unexpectedKeys = endpoints.flatMap((row) => Object.keys(row).filter((key) => !ROW.includes(key)))
        return [
          ...(endpoints.length > ENDPOINTS
            ? [{ at: operation.end, detail: `there are ${endpoints.length} endpoints` }]
            : []),
          ...(unexpectedKeys.length > 0
            ? [{ at: operation.end, detail: `the list tells ${unexpectedKeys.join(", ")}` }]
            : [])
        ]
      })
  ]
}

const h7: Oracle = {
  name: "H7",
  survivesRestore: true,
  rule: "Redirects are not followed: POSTs go only to the registered address (Spec §4.7)",
  check: (run) =>
    each(run, (post) => {
      const endpoint = endpointOf(run, post)
      if (endpoint === undefined) return undefined
      return endpoint.urls.possible(0, post.i).includes(post.url) ? undefined : `it went to ${post.url}`
    })
}

export const webhooks: ReadonlyArray<Oracle> = [h1, h2, h3, h4, h5, h6, h7]
