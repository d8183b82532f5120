import type { Situation } from "./Connections.js"
import type { Connection } from "./Connections.js"
import type { Knowledge } from "./Knowledge.js"
import { situations } from "./Connections.js"
import type { Span } from "./trace/Ops.js"

/** What the service said about a connection, in an answer with tokens or at `GET /v1/me`. */
export interface Report {
  readonly connection: Connection
  readonly span: Span
  readonly of: "token" | "me"
  readonly sub: unknown
  readonly scopes: ReadonlyArray<string>
  /** The scopes of `held_scopes`; undefined when the answer does not have this field. */
  readonly heldScopes: ReadonlyArray<string> | undefined
  readonly grantExpiresAt: number | null
  readonly sensitiveExpiresAt: number | null
  readonly sensitiveLapsedAt: number | null | undefined
  readonly graceEndsAt: number | null | undefined
  readonly placesVersion: number | undefined
  readonly situations: ReadonlyArray<Situation> | undefined
}

/** Every report of the run, in the order of the trace. */
export const reports = (known: Knowledge): ReadonlyArray<Report> => {
  const found: Array<Report> = []
  for (const { op, situations, token } of known.calls) {
    if (op.args.request.endpoint !== "GET /v1/me" || op.outcome._tag !== "ok" || op.outcome.value.status !== 200)
      continue
    if (token === undefined) continue
    const { body } = op.outcome.value
    found.push({
      connection: token.family.connection,
      span: op,
      of: "me",
      sub: body["sub"],
      scopes: names(body["scopes"]),
      heldScopes: names(body["held_scopes"]),
      grantExpiresAt: date(body["grant_expires_at"]),
      sensitiveExpiresAt: date(body["sensitive_expires_at"]),
      sensitiveLapsedAt: date(body["sensitive_lapsed_at"]),
      graceEndsAt: date(body["renewal_grace_ends_at"]),
      placesVersion: typeof body["places_version"] === "number" ? body["places_version"] : undefined,
      situations
    })
  }
  for (const { op } of [...known.exchanges, ...known.refreshes]) {
    if (op.outcome._tag !== "ok") continue
    const { accessToken, refreshTokenExpiresAt, scopes, sensitiveScopesExpireAt, sub } = op.outcome.value
    const connection = known.tokens.get(accessToken)?.family.connection
    if (connection === undefined) continue
    found.push({
      connection,
      span: op,
      of: "token",
      sub,
      scopes,
      heldScopes: undefined,
      grantExpiresAt: refreshTokenExpiresAt,
      sensitiveExpiresAt: sensitiveScopesExpireAt,
      sensitiveLapsedAt: undefined,
      graceEndsAt: undefined,
      placesVersion: undefined,
      situations: situations(known.trace, known.apps, connection, op)
    })
  }
  return found.sort((a, b) => a.span.to - b.span.to)
}

const names = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : []

const date = (value: unknown): number | null => (typeof value === "number" ? value : null)

/**
 * What is wrong with the reported scopes `said`. They are wrong if they include a scope that occurs in no possible
 * situation, or if they lack a scope that occurs in every possible situation. Undefined when they are right.
 */
export const wrongScopes = (
  said: ReadonlyArray<string>,
  possible: ReadonlyArray<Situation>,
  pick: (situation: Situation) => ReadonlySet<string>
): string | undefined => {
  const sets = possible.map(pick)
  const extra = said.find((scope) => !sets.some((set) => set.has(scope)))
  if (extra !== undefined) return `${extra} was said and is not there`
  const missing = [...(sets[0] ?? [])].find((scope) => sets.every((set) => set.has(scope)) && !said.includes(scope))
  return missing === undefined ? undefined : `${missing} is there and was not said`
}
