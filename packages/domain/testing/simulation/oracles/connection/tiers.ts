import type { Oracle } from "../../Oracle.js"
import { type Connection, scopeVerdict } from "../support/Connections.js"
import type { CallFact } from "../support/trace/Facts.js"
import { happened, timeOf } from "../support/trace/Happened.js"
import type { Knowledge } from "../support/Knowledge.js"
import { oracle, type Say } from "../support/trace/oracle.js"
import { reports } from "../support/Reports.js"
import { GRACE, REQUIRED, SENSITIVE } from "../../Specification.js"
import { tierEvents } from "./tierEvents.js"

/** Oracles of the two tiers of a connection, standard and sensitive. Spec §2.2, §3.1, §4.2, §6.3; decisions T2-T4. */

const isOver = "its standard tier had ended"

const S1 = oracle(
  "S1",
  "At the end of the standard tier every call is 401 and every rule stops (Spec §3.1, §3.3, §4.6.10)",
  (known, say, run) => {
    for (const { admitted, op } of known.calls) {
      if (
        admitted.life === "dead" &&
        admitted.why === isOver &&
        op.outcome._tag === "ok" &&
        op.outcome.value.status !== 401
      ) {
        say(op.to, `${op.outcome.value.status} after the end of the standard tier`)
      }
    }
    for (const { op, token } of known.refreshes) {
      const last = token?.family.connection.standard.read(op.from, op.to)
      if (
        op.outcome._tag === "ok" &&
        last?.every((date) => date !== null && date !== undefined && op.tMin >= date.max)
      ) {
        say(op.to, "refreshed after the end of the standard tier")
      }
    }
    const uploaded = firstUploads(known)
    for (const { body, i } of happened(run).posts) {
      const connection = connectionOf(known, body["grant_id"])
      const capturedAt = timeOf(body["occurred_at"])
      if (connection === undefined || capturedAt === undefined || body["rule_id"] === undefined) continue
      const upload = uploaded.get(`${connection.userId} ${capturedAt}`)
      if (upload === undefined) continue
      const dates = connection.standard.read(upload.from, upload.to)
      if (dates.length > 0 && dates.every((date) => date !== null && date !== undefined && upload.tMin >= date.max)) {
        say(i, "a rule fired after the end of the standard tier")
      }
    }
  }
)

const connectionOf = (known: Knowledge, grantId: unknown): Connection | undefined =>
  typeof grantId === "string" ? known.connections.get(grantId) : undefined

/** The first upload that brought, or may have brought, each reading. The key has the user and the capture time. */
const firstUploads = (known: Knowledge) => {
  const first = new Map<string, { readonly from: number; readonly to: number; readonly tMin: number }>()
  for (const op of known.trace.ops.values()) {
    if (op.name !== "upload" || op.outcome._tag === "refused") continue
    for (const { capturedAt } of op.args.fixes) {
      const key = `${op.args.userId} ${capturedAt}`
      if (!first.has(key)) first.set(key, op)
    }
  }
  return first
}

/**
 * The verdicts that are possible for the sensitive scope of a call, considering every situation in which the connection
 * may have been. Undefined when the endpoint needs no sensitive scope, or when no situation is known.
 */
const sensitiveVerdict = ({ op, situations, token }: CallFact) => {
  const required = REQUIRED[op.args.request.endpoint]
  if (token === undefined || situations === undefined || situations.length === 0 || !SENSITIVE.has(required))
    return undefined
  return new Set(situations.map((situation) => scopeVerdict(situation, required)))
}

/** Whether the call passed the checks of token and rate limit, so that the service also checked its scopes. */
const isJudged = (status: number): boolean => status !== 401 && status !== 429

const S2 = oracle(
  "S2",
  "After its date a sensitive scope is still granted but does not work: 403 scope_expired with both dates (Spec §2.2, §3.1, §7)",
  (known, say) => {
    for (const fact of known.calls) {
      const { op } = fact
      const verdicts = sensitiveVerdict(fact)
      if (verdicts === undefined || op.outcome._tag !== "ok" || !isJudged(op.outcome.value.status)) continue
      const { body, error, status } = op.outcome.value
      const isExpired = status === 403 && error === "scope_expired"
      if (verdicts.size === 1 && verdicts.has("lapsed") && !isExpired) say(op.to, `${status} ${error} in the grace`)
      if (!isExpired) continue
      if (!verdicts.has("lapsed") && verdicts.has("allowed")) say(op.to, "scope_expired before the date")
      const expiredAt = timeOf(body["sensitive_expired_at"])
      const graceEndsAt = timeOf(body["renewal_grace_ends_at"])
      if (expiredAt === undefined || graceEndsAt === undefined) say(op.to, "scope_expired without both dates")
      else if (graceEndsAt !== expiredAt + GRACE) say(op.to, "the grace is not 14 days")
      else if (!fact.situations?.some(({ grant }) => contains(grant.sensitive, expiredAt))) {
        say(op.to, "sensitive_expired_at is not what the user chose")
      }
    }
    for (const { graceEndsAt, of, sensitiveExpiresAt, sensitiveLapsedAt, situations, span } of reports(known)) {
      if (situations === undefined || situations.length === 0) continue
      const tiers = new Set(situations.map((situation) => (holdsSensitive(situation) ? situation.tier : "none")))
      const isHeld = !tiers.has("none")
      if (isHeld && sensitiveExpiresAt === null) say(span.to, `no sensitive date in a ${of} answer`)
      if (
        sensitiveExpiresAt !== null &&
        !situations.some(({ grant }) => contains(grant.sensitive, sensitiveExpiresAt))
      ) {
        say(span.to, "the sensitive date is not what the user chose")
      }
      if (of === "token") continue
      if (isHeld && graceEndsAt !== (sensitiveExpiresAt ?? 0) + GRACE) say(span.to, "the grace is not 14 days")
      if (tiers.size > 1) continue
      if (tiers.has("lapsed") && sensitiveLapsedAt === null) say(span.to, "sensitive_lapsed_at is null in the grace")
      if (tiers.has("active") && sensitiveLapsedAt !== null) say(span.to, "sensitive_lapsed_at is set before the date")
    }
  }
)

const contains = (date: { readonly min: number; readonly max: number } | null | undefined, at: number): boolean =>
  date === undefined || (date !== null && date.min <= at && at <= date.max)

const holdsSensitive = ({ held }: { readonly held: ReadonlySet<string> }): boolean =>
  [...held].some((scope) => SENSITIVE.has(scope))

const S3 = oracle(
  "S3",
  "14 days after its date a sensitive scope is no longer granted: 403 missing_scope, without a date (Spec §3.1, §4.2)",
  (known, say) => {
    for (const fact of known.calls) {
      const { op, situations } = fact
      const verdicts = sensitiveVerdict(fact)
      if (verdicts === undefined || op.outcome._tag !== "ok" || !isJudged(op.outcome.value.status)) continue
      const { error, status } = op.outcome.value
      if (verdicts.size !== 1 || !verdicts.has("missing") || (status === 403 && error === "missing_scope")) continue
      const isAfterGrace = situations?.every(({ tier }) => tier === "removed") === true
      say(op.to, `${status} ${error} ${isAfterGrace ? "after the grace" : "without the scope"}`)
    }
    for (const { graceEndsAt, heldScopes, of, sensitiveExpiresAt, sensitiveLapsedAt, situations, span } of reports(
      known
    )) {
      if (situations === undefined || situations.length === 0 || situations.some(holdsSensitive)) continue
      if (heldScopes?.some((scope) => SENSITIVE.has(scope)) === true)
        say(span.to, "a sensitive scope is held after the grace")
      const dates = [sensitiveExpiresAt, ...(of === "me" ? [sensitiveLapsedAt, graceEndsAt] : [])]
      if (dates.some((date) => date !== null)) say(span.to, "a sensitive date without a sensitive scope")
    }
  }
)

const S4 = oracle(
  "S4",
  "A renewal keeps the connection, its places, its rules and the standard date; the old tokens die (Spec §3.1, §4.1)",
  (known, say) => {
    for (const fact of known.consents) modes(fact, say)
    const dates = new Map<Connection, { readonly to: number; readonly date: number | null }>()
    const versions = new Map<Connection, { readonly to: number; readonly version: number }>()
    for (const { connection, grantExpiresAt, placesVersion, span } of reports(known)) {
      const date = dates.get(connection)
      if (date !== undefined && date.date !== grantExpiresAt && onlyRenewed(known, connection, date.to, span.to)) {
        say(span.to, "a renewal moved the standard date")
      }
      dates.set(connection, { to: span.to, date: grantExpiresAt })
      if (placesVersion === undefined) continue
      const version = versions.get(connection)
      if (
        version !== undefined &&
        version.version !== placesVersion &&
        onlyRenewed(known, connection, version.to, span.to)
      ) {
        say(span.to, "a renewal changed the places")
      }
      versions.set(connection, { to: span.to, version: placesVersion })
    }
    for (const { admitted, op, token } of known.calls) {
      if (token === undefined || op.outcome._tag !== "ok" || op.outcome.value.status === 401) continue
      const now = token.family.connection.family.read(op.from, op.to)
      const isRenewed = now.every((family) => family !== null && renewedBy(known, family.by.args.code))
      if (admitted.why === "its tokens were replaced" && isRenewed) say(op.to, "a token from before the renewal works")
    }
  }
)

const renewedBy = (known: Knowledge, code: string): boolean => {
  const outcome = known.codes.get(code)?.issued.outcome
  return outcome?._tag === "ok" && outcome.value.mode === "renew_sensitive"
}

/**
 * Reports a consent whose `mode` (new connection, change or renewal) does not fit the connection or the requested
 * scopes, and a consent that made a new connection in place of a live connection (Spec §4.1).
 */
const modes = ({ before, beforeWas, connection, op, situations }: Knowledge["consents"][number], say: Say): void => {
  if (op.outcome._tag !== "ok" || beforeWas.life === "open") return
  const { mode } = op.outcome.value
  if (before === undefined || beforeWas.life === "dead") {
    if (mode !== "new") say(op.to, `mode ${mode} without a live connection`)
    return
  }
  if (mode === "new" || connection !== before) say(op.to, "a live connection was not kept")
  if (situations === undefined || situations.length === 0 || mode === "new") return
  const requested = new Set(op.args.requested)
  const fits = situations.map(
    (situation) =>
      holdsSensitive(situation) &&
      situation.held.size === requested.size &&
      [...requested].every((scope) => situation.held.has(scope))
  )
  const expected = mode === "renew_sensitive" ? !fits.includes(true) : !fits.includes(false)
  if (expected) say(op.to, `mode ${mode} for scopes that are ${mode === "change" ? "" : "not "}exactly the held ones`)
}

/**
 * Whether the connection was renewed between two entries, and nothing else changed its dates or places in that time.
 */
const onlyRenewed = (known: Knowledge, connection: Connection, from: number, to: number): boolean => {
  let isRenewed = false
  for (const op of touches(known).get(connection.userId) ?? []) {
    if (op.to < from || op.from > to) continue
    if (op.name !== "consent") return false
    if (op.args.appId !== connection.appId || op.outcome._tag === "refused") continue
    if (op.outcome._tag !== "ok" || op.outcome.value.mode !== "renew_sensitive") return false
    isRenewed = true
  }
  return isRenewed
}

type Touch = Extract<
  Knowledge["trace"]["ops"] extends ReadonlyMap<number, infer Op> ? Op : never,
  {
    readonly name:
      | "consent"
      | "sharePlaces"
      | "archivePlace"
      | "updatePlace"
      | "disconnect"
      | "changeConnection"
      | "endExactLocation"
  }
>
const touched = new WeakMap<Knowledge, ReadonlyMap<string, ReadonlyArray<Touch>>>()

const touches = (known: Knowledge): ReadonlyMap<string, ReadonlyArray<Touch>> => {
  const there = touched.get(known)
  if (there !== undefined) return there
  const made = new Map<string, Array<Touch>>()
  for (const op of known.trace.ops.values()) {
    switch (op.name) {
      case "consent":
      case "sharePlaces":
      case "archivePlace":
      case "updatePlace":
      case "disconnect":
      case "changeConnection":
      case "endExactLocation": {
        const own = made.get(op.args.userId)
        if (own === undefined) made.set(op.args.userId, [op])
        else own.push(op)
      }
    }
  }
  touched.set(known, made)
  return made
}

const S8 = oracle(
  "S8",
  "The lapse of the sensitive tier leaves standard answers and rules as they were (Spec §3.1, §4.6.10)",
  (known, say) => {
    for (const { admitted, op, situations, token } of known.calls) {
      const required = REQUIRED[op.args.request.endpoint]
      if (token === undefined || situations === undefined || situations.length === 0 || op.outcome._tag !== "ok")
        continue
      if (SENSITIVE.has(required) || !situations.every(({ tier }) => tier === "lapsed" || tier === "removed")) continue
      const { error, status } = op.outcome.value
      if (status === 401 && admitted.life === "live") say(op.to, "401 after the lapse of the sensitive tier")
      const isAllowed = situations.every((situation) => scopeVerdict(situation, required) === "allowed")
      if (status === 403 && isAllowed) say(op.to, `403 ${error} to a standard question after the lapse`)
    }
  }
)

export const tiers: ReadonlyArray<Oracle> = [S1, S2, S3, S4, ...tierEvents, S8]
