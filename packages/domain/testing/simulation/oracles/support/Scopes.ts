// The scopes that a connection may have after an operation, as far as the trace shows them.
import { SENSITIVE } from "../../Specification.js"
import { afterRenewal, chosenBy } from "./Renewed.js"
import { type CompletedCall, type Happened, is } from "./trace/Happened.js"
import type * as Register from "./trace/Register.js"

type ScopeRegister = Register.Register<ReadonlyArray<string>>

/** The part of a `Pair` that decides which scopes its connection has. */
interface ScopedPair {
  readonly userId: string
  readonly appId: string
  readonly scopes: ScopeRegister
}

interface AppScopes {
  readonly happened: Happened
  /** The scopes that each app declares, by the app's id. */
  readonly declared: ReadonlyMap<string, ScopeRegister>
  /** The scopes that an admin left to each app, by the app's id. */
  readonly allowed: ReadonlyMap<string, ScopeRegister>
}

/** Stands for a list of scopes that is unknown and may contain any scope. */
export const ALL: ReadonlyArray<string> = ["*"]

export const hasScope = (scopes: ReadonlyArray<string>, scope: string): boolean =>
  scopes === ALL || scopes.includes(scope)

/**
 * The scopes that the connection may have after a change by the user: one list of scopes for each possibility, and no
 * list when the change chooses neither scopes nor an end date of exact location. The user does not see a scope that the
 * app does not declare or that an admin took from the app, so this scope stays (decision connection-6). If the change
 * sets the end date of exact location, the change also takes away a sensitive scope that the user does not see. If
 * exact location was all that the app could use, the end of exact location has ended the connection, and the list of
 * scopes is empty. If another consent or change overlaps, the scopes are unknown.
 */
export const scopesAfter = (
  { allowed, declared, happened }: AppScopes,
  { appId, scopes, userId }: ScopedPair,
  operation: CompletedCall<"changeConnection" | "endExactLocation">
): ReadonlyArray<ReadonlyArray<string>> => {
  if (overlapping(happened, userId, operation).length > 0) return [ALL, []]
  const { args } = operation
  if ("scopes" in args && args.scopes === null && args.sensitiveDays === null) return []
  const { begin, end } = operation
  const [ones, others] = [declared.get(appId), allowed.get(appId)].map((of) => of?.possible(begin, end) ?? [ALL])
  const isSensitive = (scope: string): boolean => SENSITIVE.has(scope)
  const after = scopes.possible(begin, end).flatMap((before) =>
    before === ALL
      ? [ALL, []]
      : (ones ?? []).flatMap((one) =>
          (others ?? []).map((other) => {
            const isSeen = (scope: string): boolean => hasScope(one, scope) && hasScope(other, scope)
            if (!("scopes" in args)) {
              const standard = before.filter((scope) => !isSensitive(scope))
              return standard.length === before.length || standard.some(isSeen) ? standard : []
            }
            const drops = args.sensitiveDays !== null
            const unseen = before.filter((scope) => !isSeen(scope) && !(drops && isSensitive(scope)))
            return [...unseen, ...(args.scopes ?? before.filter(isSeen))]
          })
        )
  )
  return distinct(after)
}

/**
 * The scopes that the connection may have after a consent. A renewal keeps the standard scopes, and a consent without
 * an answer may be a renewal. If this consent is a renewal, and a change or another kind of consent overlaps it, the
 * trace does not show which scopes the renewal keeps.
 */
export const scopesGranted = (
  h: Happened,
  { scopes, userId }: ScopedPair,
  operation: CompletedCall<"consent">,
  mode: string | undefined
): ReadonlyArray<ReadonlyArray<string>> => {
  const chosen = chosenBy(operation.args)
  const isRenewal = mode === "renew_sensitive"
  if (!isRenewal && mode !== undefined) return [chosen]
  const isMixed = overlapping(h, userId, operation).some((other) => !is(other, "consent") || modeOf(other) !== mode)
  if (isRenewal && isMixed) return [ALL, []]
  const before = scopes.possible(operation.begin, operation.end)
  const renewed = before.map((one) => (one === ALL ? ALL : afterRenewal(one, chosen)))
  return distinct(isRenewal && renewed.length > 0 ? renewed : [chosen, ...renewed])
}

const modeOf = (operation: CompletedCall<"consent">): string | undefined =>
  operation.outcome?._tag === "ok" ? operation.outcome.value.mode : undefined

/** The user's other consents and changes that overlap `operation` in time. */
const overlapping = (h: Happened, userId: string, operation: CompletedCall): ReadonlyArray<CompletedCall> =>
  h.all.filter(
    (other) =>
      (is(other, "consent") || is(other, "changeConnection") || is(other, "endExactLocation")) &&
      other !== operation &&
      other.args.userId === userId &&
      other.begin < operation.end &&
      other.end > operation.begin
  )

const distinct = (all: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => [
  ...new Map(all.map((one) => [JSON.stringify([...new Set(one)].sort()), one])).values()
]
