import type { Run } from "../../Oracle.js"
import { deliveryLogs } from "../support/deliveries/Deliveries.js"
import { happened, textOf } from "../support/trace/Happened.js"
import { Knowledge } from "../support/Knowledge.js"
import type { Op } from "../support/trace/Ops.js"
import { DAY, REQUIRED, SENSITIVE } from "../../Specification.js"

/**
 * Marks about tokens, tiers, purposes, replays and the access log. A mark is a rare situation that some run must reach,
 * because otherwise an oracle has nothing to judge. These marks follow from the trace alone.
 */

/** The names of the marks. Some run of a swarm (many random runs) must reach each mark. */
const NAMES = [
  "refresh race",
  "race two links back",
  "spent refresh token after 30 s",
  "spent and revoked refresh token",
  "another app's refresh token",
  "code used twice",
  "code of 60 s",
  "wrong verifier",
  "wrong redirect URI",
  "app revoked its token",
  "another app's token revoked",
  "unknown token revoked",
  "answered while the connection may have been ending",
  "access token of an hour",
  "access token from before a reconnection",
  "end of the standard tier",
  "app revoked by an admin",
  "disconnected",
  "sensitive call in the grace",
  "sensitive call after the grace",
  "standard answer in the grace",
  "scope narrowed away from a live token",
  "warning skipped at the consent",
  "warning due at the consent",
  "connected again after an end",
  "renewal in the grace",
  "renewal before the date",
  "consent after the grace",
  "warning of 14 days",
  "warning of 7 days",
  "lapse told",
  "end of the grace told",
  "purpose refused: missing",
  "purpose refused: unknown",
  "purpose refused: archived",
  "purpose refused: not_approved",
  "purpose refused: not_covered",
  "approved wording used while its edit waits",
  "volume flag",
  "purpose's key refused",
  "purpose rejected",
  "replay refused: being tried",
  "replay refused: too old",
  "replay refused: endpoint disabled",
  "replay refused: endpoint removed",
  "retry now",
  "retry now of what has ended",
  "recovered",
  "replay delivered",
  "replay failed",
  "replay of a replay",
  "access log not written, nothing answered",
  "access log written, nothing answered",
  "crash between entry and answer",
  "withheld event entered",
  "event that was not sent entered",
  "event entered",
  "log read after a crash",
  "entry of a month ago"
] as const

export const names: ReadonlyArray<string> = NAMES

type Name = (typeof NAMES)[number]
type Reach = (mark: Name) => void

const tokens = (known: Knowledge, reach: Reach): void => {
  for (const { leak, op, token, why } of known.refreshes) {
    const isOk = op.outcome._tag === "ok"
    if (why === "race" && isOk) reach("refresh race")
    if (why === "race" && isOk && token?.child !== undefined && token.child.spent.length > 0)
      reach("race two links back")
    if (leak === "done") reach("spent refresh token after 30 s")
    if (why === "revoked" && token !== undefined && token.spent.length > 0) reach("spent and revoked refresh token")
    if (why === "not its client" && token !== undefined && op.args.client === "right")
      reach("another app's refresh token")
  }
  for (const { op, reuse, why } of known.exchanges) {
    if (reuse === "done") reach("code used twice")
    if (why === "too old" && op.outcome._tag === "refused") reach("code of 60 s")
    if (why === "wrong verifier" || why === "wrong redirect URI") reach(why)
  }
  for (const { ends, isOwn, op, token } of known.revokes) {
    if (ends === "done") reach("app revoked its token")
    if (token !== undefined && !isOwn) reach("another app's token revoked")
    if (token === undefined && op.outcome._tag === "ok") reach("unknown token revoked")
  }
  for (const { admitted, op, token } of known.calls) {
    if (op.outcome._tag !== "ok") continue
    if (op.outcome.value.status !== 401) {
      if (admitted.life === "open" && token !== undefined) reach("answered while the connection may have been ending")
    } else if (admitted.why === "it was 3600 s old") reach("access token of an hour")
    else if (admitted.why === "its tokens were replaced") reach("access token from before a reconnection")
    else if (admitted.why === "its standard tier had ended") reach("end of the standard tier")
    else if (admitted.why === "revoked by an admin") reach("app revoked by an admin")
    else if (admitted.why === "the user disconnected it") reach("disconnected")
  }
}

const tiers = (known: Knowledge, run: Run, reach: Reach): void => {
  for (const { op, situations, token } of known.calls) {
    if (token === undefined || op.outcome._tag !== "ok" || situations === undefined || situations.length === 0) continue
    const { error, status } = op.outcome.value
    const required = REQUIRED[op.args.request.endpoint]
    const isLapsed = situations.every(({ tier }) => tier === "lapsed")
    if (error === "scope_expired") reach("sensitive call in the grace")
    if (error === "missing_scope" && SENSITIVE.has(required) && situations.every(({ tier }) => tier === "removed")) {
      reach("sensitive call after the grace")
    }
    if (status < 300 && isLapsed && !SENSITIVE.has(required) && required !== "none")
      reach("standard answer in the grace")
    if (error === "missing_scope" && situations.every(({ grant }) => grant.scopes?.includes(required) === true)) {
      reach("scope narrowed away from a live token")
    }
  }
  for (const { beforeWas, op, situations } of known.consents) {
    if (op.outcome._tag !== "ok") continue
    const { mode } = op.outcome.value
    const isSensitive = op.args.scopes.some((scope) => SENSITIVE.has(scope))
    if (isSensitive && op.args.sensitiveDays < 14) reach("warning skipped at the consent")
    if (isSensitive && op.args.sensitiveDays === 7) reach("warning due at the consent")
    if (beforeWas.life === "dead" && beforeWas.why !== "there was none") reach("connected again after an end")
    if (situations === undefined || situations.length === 0) continue
    if (mode === "renew_sensitive" && situations.every(({ tier }) => tier === "lapsed")) reach("renewal in the grace")
    if (mode === "renew_sensitive" && situations.every(({ tier }) => tier === "active"))
      reach("renewal before the date")
    if (mode === "change" && situations.every(({ tier }) => tier === "removed")) reach("consent after the grace")
  }
  for (const { body } of happened(run).posts) {
    const type = textOf(body["type"])
    if (type === "sensitive.expiring") reach(body["days_left"] === 14 ? "warning of 14 days" : "warning of 7 days")
    if (type === "sensitive.lapsed") reach("lapse told")
    if (type === "sensitive.removed") reach("end of the grace told")
  }
}

const purposes = (known: Knowledge, reach: Reach): void => {
  for (const { op, purpose, token } of known.calls) {
    if (op.outcome._tag !== "ok" || purpose?.size !== 1 || token === undefined) continue
    const { error, status } = op.outcome.value
    const [verdict = "usable"] = purpose
    if (error === "invalid_purpose" && verdict !== "usable") reach(`purpose refused: ${verdict}`)
    const app = known.apps.apps.get(token.family.connection.appId)
    const named = [...(app?.purposes.values() ?? [])].find(({ key }) => key === op.args.purpose)
    const states = named?.state.read(op.from, op.to)
    const isEdited = states?.every(({ approved, status }) => approved !== null && status === "in_review") === true
    if (status === 200 && isEdited) reach("approved wording used while its edit waits")
  }
  for (const op of known.trace.ops.values()) {
    if (op.name === "readFlags" && op.outcome._tag === "ok" && op.outcome.value.flags.length > 0) reach("volume flag")
    if (op.name === "createPurpose" && op.outcome._tag === "refused") reach("purpose's key refused")
    if (op.name === "decidePurpose" && op.outcome._tag === "ok" && op.args.decision === "reject")
      reach("purpose rejected")
  }
}

/**
 * The reasons for which the service refuses a replay. Each has a pattern that matches the message to the developer, and
 * the last words of the mark's name.
 */
const REFUSED = [
  [/being attempted/i, "being tried"],
  [/older/i, "too old"],
  [/disabled/i, "endpoint disabled"],
  [/removed/i, "endpoint removed"]
] as const

const replays = (known: Knowledge, reach: Reach): void => {
  for (const op of known.trace.ops.values()) {
    if (op.name === "redeliver" && op.outcome._tag === "refused") {
      const detail = JSON.stringify(op.outcome.detail)
      const why = REFUSED.find(([pattern]) => pattern.test(detail))?.[1]
      if (why !== undefined) reach(`replay refused: ${why}`)
    }
    if (op.name === "retryNow") reach(op.outcome._tag === "ok" ? "retry now" : "retry now of what has ended")
    if (op.name === "recover" && op.outcome._tag === "ok" && op.outcome.value.queued > 0) reach("recovered")
  }
  for (const { rows } of deliveryLogs(known)) {
    for (const { isReplay, isReplayed, state } of rows.values()) {
      if (isReplay && state === "delivered") reach("replay delivered")
      if (isReplay && state === "failed") reach("replay failed")
      if (isReplay && isReplayed) reach("replay of a replay")
    }
  }
}

const accessLog = (known: Knowledge, reach: Reach): void => {
  for (const entry of known.trace.entries) {
    if (entry.kind !== "port" || entry.port !== "AccessLogStore" || entry.method !== "record" || entry.op === null)
      continue
    const op: Op | undefined = known.trace.ops.get(entry.op)
    if (op?.outcome._tag !== "unknown") continue
    if (entry.outcome === "failed") reach("access log not written, nothing answered")
    if (entry.outcome === "unknown") reach("access log written, nothing answered")
    if (entry.outcome === "lost") reach("crash between entry and answer")
  }
  for (const op of known.trace.ops.values()) {
    if (op.name !== "readAccessLog" || op.outcome._tag !== "ok") continue
    for (const { at, endpoint, error } of op.outcome.value.entries) {
      if (error === "too_old") reach("withheld event entered")
      if (error === "no_endpoint" || error === "not_authorised") reach("event that was not sent entered")
      if (endpoint.startsWith("webhook ") && error === null) reach("event entered")
      if (known.trace.crashed(known.trace.firstAt(at), op.from)) reach("log read after a crash")
      if (at < op.tMin - 30 * DAY) reach("entry of a month ago")
    }
  }
}

export const reached = (run: Run): ReadonlySet<string> => {
  const found = new Set<Name>()
  const known = Knowledge.of(run)
  const reach: Reach = (mark) => void found.add(mark)
  tokens(known, reach)
  tiers(known, run, reach)
  purposes(known, reach)
  replays(known, reach)
  accessLog(known, reach)
  return found
}
