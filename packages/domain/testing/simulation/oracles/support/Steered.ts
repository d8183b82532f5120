import { type Alive, alive, type Connection, daysAfter, type Grant, isLeft, tierStates } from "./Connections.js"
import type { Apps } from "./Apps.js"
import type { Indexed, OpOf } from "./trace/Ops.js"
import type { Came } from "./trace/Pending.js"
import { SENSITIVE, TIER_DAYS } from "../../Specification.js"

/**
 * What users change in a connection on their own, not at the request of the app (decisions connection-4 and
 * connection-6).
 */

type Change = OpOf<"changeConnection" | "endExactLocation">
type Steering = OpOf<"changeConnection" | "endExactLocation" | "pauseConnection" | "resumeConnection">

/** A change that a user requested, and whether the connection was live at that time. */
export interface SteeringFact {
  readonly op: Steering
  readonly connection: Connection
  readonly was: Alive
  /** The requested scopes to which the user certainly never agreed in this connection. */
  readonly unagreed: ReadonlyArray<string>
}

interface SteeringContext {
  readonly trace: Indexed
  readonly apps: Apps
}

type Settle = (came: Came) => void

/**
 * Writes into the oracle's registers everything that the user's change may cause: grants, an end of the connection, and
 * end dates of the standard tier. The end of the operation later confirms or undoes these writes.
 */
export const steeringBegun = (
  known: SteeringContext,
  op: Change,
  connection: Connection,
  add: (settle: Settle) => void
): void => {
  const grants = connection.grant.read(op.from, op.to).map((grant) => after(known, op, connection, grant))
  const all = grants.flat()
  const isOne = all.length === 1
  for (const grant of all) {
    const handle = connection.grant.begin(op, grant)
    add((came) => connection.grant.settle(handle, op, isOne ? came : unsure(came)))
    if (grant.scopes?.length !== 0) continue
    const end = connection.ended.begin(op, "the user ended exact location, and nothing else was shared")
    add((came) => connection.ended.settle(end, op, isOne ? came : unsure(came)))
  }
  if (op.name !== "changeConnection" || op.args.standardDays === null) return
  const { standardDays } = op.args
  const handle = connection.standard.begin(op, standardDays === "never" ? null : daysAfter(op, standardDays))
  add((came) => connection.standard.settle(handle, op, came))
}

const unsure = (came: Came): Came => (came === "done" ? "maybe" : came)

/**
 * Every grant into which the change may turn `grant`. After the grace period sensitive scopes have no effect, but the
 * change keeps them in the grant, because only the sweep deletes them.
 */
const after = (
  { apps, trace }: SteeringContext,
  op: Change,
  { appId }: Connection,
  grant: Grant
): ReadonlyArray<Grant> => {
  const { scopes, sensitive } = grant
  if (scopes === undefined) return [{ scopes, sensitive: undefined, by: op }]
  const tiers = tierStates(trace, sensitive, op)
  const isRemoved = tiers.has("removed")
  const same: ReadonlyArray<Grant> = isRemoved ? [{ ...grant, by: op }] : []
  const states = apps.apps.get(appId)?.state.read(op.from, op.to)
  if (states === undefined) return [{ scopes: undefined, sensitive: undefined, by: op }]
  if (op.name === "endExactLocation") {
    const standard = scopes.filter((scope) => !SENSITIVE.has(scope))
    if (standard.length === scopes.length) return [{ ...grant, by: op }]
    // If the change leaves no scope that the app could use, the connection ends, and the list of scopes is empty.
    const left = states.map((app) => (standard.some((scope) => isLeft(app, scope)) ? standard : []))
    const ended = left.map((one): Grant => ({ scopes: one, sensitive: null, by: op }))
    return isRemoved && tiers.size === 1 ? same : distinctly([...same, ...ended])
  }
  const { scopes: chosen, sensitiveDays } = op.args
  const found = states.map((app): Grant => {
    const seen = chosen ?? scopes.filter((scope) => isLeft(app, scope))
    const unseen = scopes.filter((scope) => !isLeft(app, scope))
    // A new end date of exact location also takes away the sensitive scopes that the user does not see.
    const drops = sensitiveDays !== null && !isRemoved
    const held = [...new Set([...unseen.filter((scope) => !drops || !SENSITIVE.has(scope)), ...seen])]
    const kept = isRemoved && chosen !== null ? [...held, ...scopes.filter((scope) => SENSITIVE.has(scope))] : held
    if (!kept.some((scope) => SENSITIVE.has(scope))) return { scopes: kept, sensitive: null, by: op }
    const days = isRemoved && tiers.size === 1 ? null : sensitiveDays
    const date = days !== null ? daysAfter(op, days) : (sensitive ?? daysAfter(op, TIER_DAYS))
    return { scopes: kept, sensitive: sensitive === undefined && days === null ? undefined : date, by: op }
  })
  const distinct = distinctly(found)
  return isRemoved && tiers.size > 1
    ? [...same, ...distinct, { scopes: undefined, sensitive: undefined, by: op }]
    : distinct
}

const distinctly = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> => [
  ...new Map(grants.map((one) => [JSON.stringify([one.scopes, one.sensitive]), one])).values()
]

/** Describes a change when it ends, because only then all operations that overlap it are known. */
export const steeringDone = ({ apps, trace }: SteeringContext, op: Steering, connection: Connection): SteeringFact => {
  const was = alive(trace, apps, connection, op)
  const isChange = op.name === "changeConnection" || op.name === "endExactLocation"
  const grants = connection.grant.candidates(op.from, op.to)
  if (isChange && op.outcome._tag !== "refused" && grants.some(({ to, value }) => value.by !== op && to >= op.from)) {
    // Another consent or change overlapped this change, and the trace does not show which of them took effect first.
    const handle = connection.grant.begin(op, { scopes: undefined, sensitive: undefined, by: op })
    connection.grant.settle(handle, op, "maybe")
  }
  const before = grants.filter(({ value }) => value.by !== op)
  const isRemoved =
    before.length > 0 && before.every(({ value }) => isOnly(tierStates(trace, value.sensitive, op), "removed"))
  // If the end of the grace period removed scopes, only a consent brings these scopes back.
  if (isRemoved) for (const scope of SENSITIVE) connection.agreed.delete(scope)
  const requestedScopes = op.name === "changeConnection" && op.outcome._tag === "ok" ? (op.args.scopes ?? []) : []
  return { op, connection, was, unagreed: requestedScopes.filter((scope) => !connection.agreed.has(scope)) }
}

const isOnly = <A>(set: ReadonlySet<A>, one: A): boolean => set.size === 1 && set.has(one)
