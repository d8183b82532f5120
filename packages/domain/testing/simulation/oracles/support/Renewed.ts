import type { Connection, Grant } from "./Connections.js"
import type { OpOf } from "./trace/Ops.js"
import { SENSITIVE } from "../../Specification.js"

/**
 * What a renewal of the sensitive scopes changes in a grant. The renewal keeps every standard scope, even a scope that
 * the consent page did not show (decision consent-3).
 */

type Scopes = ReadonlyArray<string>

/** The scopes that the form of a renewal chooses. If the form names no scope, all requested scopes are chosen. */
export const chosenBy = ({ requested, scopes }: { readonly requested: Scopes; readonly scopes: Scopes }): Scopes =>
  scopes.length > 0 ? scopes : requested

export const afterRenewal = (before: Scopes, chosen: Scopes): Scopes => [
  ...new Set([...before.filter((scope) => !SENSITIVE.has(scope)), ...chosen])
]

/**
 * The scopes of the connection after this consent, when the form chose `chosen`. If `mode` is undefined, the consent
 * got no answer, and may have been a renewal, which keeps the standard scopes. The result is undefined when several
 * results are possible.
 */
export const scopesGranted = (
  op: OpOf<"consent">,
  { grant }: Connection,
  mode: string | undefined,
  chosen: Scopes
): Scopes | undefined => {
  const isRenewal = mode === "renew_sensitive"
  const mayRenew = isRenewal || (mode === undefined && op.args.requested.some((scope) => SENSITIVE.has(scope)))
  const renewed = mayRenew ? grant.read(op.from, op.to).map(({ scopes }) => scopes && afterRenewal(scopes, chosen)) : []
  const [first, ...rest] = isRenewal ? renewed : [chosen, ...renewed]
  return rest.every((scopes) => isSame(scopes, first)) ? first : undefined
}

/**
 * Must be called at the end of each renewal. A consent or change that began after the renewal began may have taken
 * effect before the renewal. Then the renewal may have kept other standard scopes, so the scopes of the renewal become
 * unknown.
 */
export const renewalDone = (op: OpOf<"consent">, { grant }: Connection): void => {
  const all = grant.candidates(op.from, op.to).map(({ value }) => value)
  const own = all.find(({ by }) => by === op)
  if (own === undefined) return
  const kept = ({ scopes }: Grant): Scopes | undefined => scopes && afterRenewal(scopes, chosenBy(op.args))
  if (all.every((other) => other.by.from <= op.from || isSame(kept(other), own.scopes))) return
  const handle = grant.begin(op, { ...own, scopes: undefined })
  grant.settle(handle, op, "maybe")
}

const isSame = (one: Scopes | undefined, other: Scopes | undefined): boolean =>
  one !== undefined && other !== undefined && one.length === other.length && one.every((scope) => other.includes(scope))
