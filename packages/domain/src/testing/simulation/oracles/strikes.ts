import type { DeliveryRow } from "../Operations.js"
import { deliveryLogs } from "./support/Deliveries.js"
import type { Knowledge } from "./support/Knowledge.js"
import type { OpOf } from "./support/Ops.js"
import { oracle } from "./support/oracle.js"
import { ascending, into } from "./support/into.js"
import { DAY, HOUR, MINUTE, SECOND } from "./support/Spec.js"

/** Spec §6.4.6: the waits after the first attempt. */
const WAITS = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]
/** Spec §3.4. */
const MOST = 20
/** Delivered rows are kept for 7 days (Spec §2.9): what is older may have cleared the count unseen. */
const KEPT = 7 * DAY - HOUR

/** What the end of a row does to its endpoint's count; undefined: nothing. `sure`: it does. */
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
    // Ends that were slow may have been written in another order than that of their times.
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
        // One that was disabled before then has had its twenty.
        const from = first.t > since ? 0 : disabledAt !== null && disabledAt <= since ? MOST : MOST - 1
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
  const wait = WAITS[attempts.length - 2]
  // It came before its time, so somebody brought it forward: it counts for nothing.
  if (last !== undefined && before !== undefined && wait !== undefined && last.startedAt < before.endedAt + wait)
    return undefined
  return { at: endedAt, does, sure: false }
}

/** Enabling forgets the count, of an endpoint that was disabled. */
const enablings = (known: Knowledge, endpointId: string): ReadonlyArray<Effect> =>
  [...known.trace.ops.values()].flatMap((op) =>
    op.name === "editEndpoint" && op.args.endpointId === endpointId && op.args.enabled === true
      ? [{ at: op.tMax, does: "clears", sure: false }]
      : []
  )

/** What the counter may show in the end. */
const count = (effects: ReadonlyArray<Effect>, from: number): { readonly least: number; readonly most: number } => {
  let least = 0
  let most = from
  const ends = [...effects].sort((a, b) => ascending(a.at, b.at))
  for (const [n, { at, does, sure }] of ends.entries()) {
    // At one instant, nobody knows which was first; and what ends after the twentieth may belong to the time before it.
    const isTied = ends[n - 1]?.at === at || ends[n + 1]?.at === at
    const isSure = sure && !isTied && most < MOST
    if (does === "adds") {
      most = Math.min(MOST, most + 1)
      if (isSure || (sure && isTied && ends.every((end) => end.at !== at || end.does === "adds"))) least++
    } else {
      least = 0
      if (isSure) most = 0
    }
  }
  return { least: Math.min(least, MOST), most }
}
