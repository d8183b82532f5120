import type { Oracle } from "../../Oracle.js"
import { scopeVerdict } from "../support/Connections.js"
import type { Connection } from "../support/Connections.js"
import type { CallFact } from "../support/trace/Facts.js"
import type { Indexed } from "../support/trace/Ops.js"
import { oracle, type Say } from "../support/trace/oracle.js"
import { reports, wrongScopes } from "../support/Reports.js"
import { DAY, LOG_KEPT, REQUIRED } from "../../Specification.js"

/**
 * Oracles of `sub`, scopes and dates in answers about tokens, and of what a repeated consent keeps and ends (Spec §2.1,
 * §2.2, §4.3, §5.6).
 */

const T9 = oracle(
  "T9",
  "sub is stable for a user and an app, and another for every other pair (Spec §2.1)",
  (known, say) => {
    const subs = new Map<string, unknown>()
    const pairs = new Map<unknown, string>()
    for (const { connection, span, sub } of reports(known)) {
      const pair = `${connection.userId} ${connection.appId}`
      const before = subs.get(pair)
      if (before !== undefined && before !== sub) say(span.to, "another sub than before")
      const other = pairs.get(sub)
      if (other !== undefined && other !== pair) say(span.to, "the sub of another user or app")
      if (sub === connection.userId) say(span.to, "the sub is the user's id")
      subs.set(pair, sub)
      pairs.set(sub, pair)
    }
  }
)

const T10 = oracle(
  "T10",
  "Connecting again kills the old tokens; rules and access log survive (Spec §3.1)",
  (known, say) => {
    const replaced = "its tokens were replaced"
    const rules = new Map<Connection, Map<string, { readonly at: number; readonly kind: string }>>()
    const deleted = deletions(known.trace)
    for (const fact of known.calls) {
      const { admitted, op, token } = fact
      if (token === undefined || op.outcome._tag !== "ok") continue
      const { body, status } = op.outcome.value
      if (admitted.life === "dead" && admitted.why === replaced && status !== 401)
        say(op.to, "an old token was accepted")
      if (status >= 400) continue
      const { connection } = token.family
      const { endpoint } = op.args.request
      const kind = endpoint.endsWith("/zone") ? "zone" : "place"
      const own = rules.get(connection) ?? new Map<string, { at: number; kind: string }>()
      if (endpoint === "POST /v1/rules/place" || endpoint === "POST /v1/rules/zone") {
        if (typeof body["id"] === "string") rules.set(connection, own.set(body["id"], { at: op.to, kind }))
      }
      if (
        (endpoint === "GET /v1/rules/place" || endpoint === "GET /v1/rules/zone") &&
        (body["nextCursor"] ?? null) === null
      ) {
        const listed = new Set(idsIn(body["rules"]))
        for (const [id, rule] of own) {
          const removedAt = deleted.get(id) ?? Infinity
          if (rule.kind === kind && rule.at < op.from && removedAt > op.to && !listed.has(id)) {
            say(op.to, `the rule ${id} is gone`)
          }
        }
      }
    }
    for (const { op, token } of known.refreshes) {
      if (op.outcome._tag === "ok" && token !== undefined) {
        const families = token.family.connection.family.read(op.from, op.to)
        if (!families.includes(token.family)) say(op.to, "an old refresh token was accepted")
      }
    }
    logSurvives(known.trace, say)
  }
)

/**
 * For each rule, the number of the entry at which the app or the user first asked to remove the rule, whether or not
 * this succeeded.
 */
const deletions = ({ ops }: Indexed): ReadonlyMap<string, number> => {
  const first = new Map<string, number>()
  for (const op of ops.values()) {
    if (op.name !== "removeRuleOfUser" && op.name !== "call") continue
    const request = op.name === "call" ? op.args.request : op.args
    if ("ruleId" in request && !first.has(request.ruleId)) first.set(request.ruleId, op.from)
  }
  return first
}

const idsIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap((rule: unknown) =>
        typeof rule === "object" && rule !== null && "id" in rule && typeof rule.id === "string" ? [rule.id] : []
      )
    : []

/**
 * Reports entries of the access log that a user once read and later could not read. The service keeps entries for 400
 * days (decision P3), and a reconnection must not delete them.
 */
const logSurvives = (trace: Indexed, say: Say): void => {
  const seen = new Map<string, Map<string, number>>()
  for (const op of trace.ops.values()) {
    if (op.name !== "readAccessLog" || op.outcome._tag !== "ok") continue
    const before = seen.get(op.args.userId)
    const now = new Map(op.outcome.value.entries.map(({ at, id }) => [id, at]))
    for (const [id, at] of before ?? []) {
      if (!now.has(id) && at > trace.latest(op.to) - (LOG_KEPT - DAY)) say(op.to, `the entry ${id} is gone`)
    }
    seen.set(op.args.userId, now)
  }
}

const T11 = oracle(
  "T11",
  "A token opens the scopes that are granted and that its app declares; a change counts at the next call (Spec §5.6, §5.7)",
  (known, say) => {
    for (const { op, situations, token } of known.calls) {
      if (token === undefined || situations === undefined || op.outcome._tag !== "ok") continue
      const wrong = wrongAnswer({ op, situations })
      if (wrong !== undefined) say(op.to, wrong)
    }
    for (const { heldScopes, of, scopes, situations, span } of reports(known)) {
      if (situations === undefined) continue
      const wrong = wrongScopes(scopes, situations, ({ effective }) => effective)
      if (wrong !== undefined) say(span.to, `scopes of a ${of} answer: ${wrong}`)
      // Spec §2.2: `held_scopes` has all scopes of the grant, even sensitive scopes that have lapsed.
      const held = heldScopes === undefined ? undefined : wrongScopes(heldScopes, situations, ({ held }) => held)
      if (held !== undefined) say(span.to, `held_scopes: ${held}`)
    }
  }
)

/**
 * Reports a call that the service allowed although its token lacked the scope, or refused although its token had the
 * scope. Oracles S2 and S3 judge the error code of a 403.
 */
const wrongAnswer = ({ op, situations }: Pick<CallFact, "op" | "situations">): string | undefined => {
  if (op.outcome._tag !== "ok" || situations === undefined || situations.length === 0) return undefined
  const { error, status } = op.outcome.value
  const required = REQUIRED[op.args.request.endpoint]
  const verdicts = new Set(situations.map((situation) => scopeVerdict(situation, required)))
  const isShut = status === 403
  if (isShut && verdicts.size === 1 && verdicts.has("allowed")) return `403 ${error} although ${required} is there`
  const isOpen = !isShut && status !== 401 && status !== 429
  return isOpen && !verdicts.has("allowed") ? `${status} without ${required}` : undefined
}

const T12 = oracle(
  "T12",
  "A refresh token lives as long as the grant: the same date as grant_expires_at, null iff that is null (Spec §2.1, §4.3)",
  (known, say) => {
    const dates = new Map<unknown, { readonly date: number | null; readonly of: string }>()
    for (const { connection, grantExpiresAt, of, span } of reports(known)) {
      const candidates = connection.standard.candidates(span.from, span.to)
      const fits = candidates.some(({ value }) =>
        value === undefined
          ? true
          : value === null || grantExpiresAt === null
            ? value === grantExpiresAt
            : value.min <= grantExpiresAt && grantExpiresAt <= value.max
      )
      const name = of === "me" ? "grant_expires_at" : "refresh_token_expires_at"
      if (!fits) say(span.to, `${name} is not what the user chose`)
      const only = candidates.length === 1 ? candidates[0] : undefined
      if (only === undefined) continue
      const before = dates.get(only)
      if (before !== undefined && before.date !== grantExpiresAt)
        say(span.to, `${name} differs from the ${before.of} answer`)
      dates.set(only, { date: grantExpiresAt, of })
    }
  }
)

export const tokenAnswers: ReadonlyArray<Oracle> = [T9, T10, T11, T12]
