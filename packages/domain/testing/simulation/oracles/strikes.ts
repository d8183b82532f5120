import type { DeliveryRow } from "../Operations.js"
import { deliveryLogs } from "./support/deliveries/Deliveries.js"
import type { Knowledge } from "./support/Knowledge.js"
import type { OpOf } from "./support/trace/Ops.js"
import { oracle } from "./support/trace/oracle.js"
import { ascending, into } from "./support/trace/into.js"
import { DELIVERED_KEPT, GAPS, HOUR, STRIKES } from "../Specification.js"

/**
 * The oracle counts only deliveries that ended at most this long before the last read of the log. An older delivery may
 * have reset the count of strikes, and its row may have left the log.
 */
const KEPT = DELIVERED_KEPT - HOUR

/** How the end of a delivery changes the count of strikes of its endpoint. `sure`: the change is certain. */
interface Effect {
  readonly at: number
  readonly does: "adds" | "clears"
  readonly sure: boolean
}

export const Y3 = oracle(
  "Y3",
  "Replays, tests and attempts by hand neither count against an endpoint nor clear its count (Spec §3.4)",
  (known, say, run) => {
    const first = run.entries[0]
    if (first === undefined || known.trace.wentBack || !run.quiesced) return
    const hurries = retries(known)
    // If calls were slow, the store may have written the ends of deliveries in an order other than the order of their
    // times.
    const isCalm = known.trace.isCalm(0, run.entries.length)
    for (const { appId, last, rows } of deliveryLogs(known)) {
      const read = lastEndpoints(known, appId)
      if (read?.outcome._tag !== "ok") continue
      const since = last.tMin - KEPT
      const effects = new Map<string, Array<Effect>>()
      for (const row of rows.values()) {
        const effect = effectOf(row, hurries.get(row.deliveryId) ?? [])
        if (effect !== undefined && effect.at > since) into(effects, row.endpointId, effect)
      }
      for (const { disabledAt, endpointId, strikes } of read.outcome.value.endpoints) {
        const all = [...(effects.get(endpointId) ?? []), ...enablings(known, endpointId)]
        // The highest count of strikes that the endpoint may have had at the time `since`: 0 if the run began after
        // `since`. An endpoint that was already disabled at `since` had twenty strikes, and any other endpoint had at
        // most nineteen.
        const from = first.t > since ? 0 : disabledAt !== null && disabledAt <= since ? STRIKES : STRIKES - 1
        const { most, least } = count(isCalm ? all : all.map(unsure), from)
        if (strikes > most) say(read.to, `${strikes} strikes of ${endpointId}, of which ${most} count at most`)
        if (strikes < least) say(read.to, `${strikes} strikes of ${endpointId}, which had ${least} at least`)
      }
    }
  }
)

const unsure = (effect: Effect): Effect => ({ ...effect, sure: false })

const lastEndpoints = (known: Knowledge, appId: string): OpOf<"readEndpoints"> | undefined =>
  [...known.trace.ops.values()].findLast(
    (op): op is OpOf<"readEndpoints"> =>
      op.name === "readEndpoints" && op.args.appId === appId && op.outcome._tag === "ok"
  )

const retries = (known: Knowledge): ReadonlyMap<string, ReadonlyArray<OpOf<"retryNow">>> => {
  const found = new Map<string, Array<OpOf<"retryNow">>>()
  for (const op of known.trace.ops.values()) {
    if (op.name === "retryNow" && op.outcome._tag !== "refused") into(found, op.args.deliveryId, op)
  }
  return found
}

const effectOf = (row: DeliveryRow, hurried: ReadonlyArray<OpOf<"retryNow">>): Effect | undefined => {
  const { attempts, endedAt, failReason, isReplay, isTest, state } = row
  if (endedAt === null || isReplay || isTest) return undefined
  const does = state === "delivered" ? "clears" : failReason === "exhausted" ? "adds" : undefined
  if (does === undefined) return undefined
  if (hurried.length === 0) return { at: endedAt, does, sure: true }
  const last = attempts.at(-1)
  const before = attempts.at(-2)
  const wait = GAPS[attempts.length - 2]
  // The last attempt came before its wait was over, so the developer brought the attempt forward. Then the end of this
  // delivery does not change the count of strikes.
  if (last !== undefined && before !== undefined && wait !== undefined && last.startedAt < before.endedAt + wait)
    return undefined
  return { at: endedAt, does, sure: false }
}

/** When a developer enables a disabled endpoint, its count of strikes begins at 0. */
const enablings = (known: Knowledge, endpointId: string): ReadonlyArray<Effect> =>
  [...known.trace.ops.values()].flatMap((op) =>
    op.name === "editEndpoint" && op.args.endpointId === endpointId && op.args.enabled === true
      ? [{ at: op.tMax, does: "clears", sure: false }]
      : []
  )

/** The lowest and the highest count of strikes that the endpoint may show at the end of the run. */
const count = (effects: ReadonlyArray<Effect>, from: number): { readonly least: number; readonly most: number } => {
  let least = 0
  let most = from
  const ends = [...effects].sort((a, b) => ascending(a.at, b.at))
  for (const [n, { at, does, sure }] of ends.entries()) {
    // If several deliveries ended at the same instant, the trace does not show their order. The order matters: the
    // twentieth strike disables the endpoint, and the ends of later deliveries change nothing.
    const isTied = ends[n - 1]?.at === at || ends[n + 1]?.at === at
    const isSure = sure && !isTied && most < STRIKES
    if (does === "adds") {
      most = Math.min(STRIKES, most + 1)
      if (isSure || (sure && isTied && ends.every((end) => end.at !== at || end.does === "adds"))) least++
    } else {
      least = 0
      if (isSure) most = 0
    }
  }
  return { least: Math.min(least, STRIKES), most }
}
