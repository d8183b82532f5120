import type { VolumeFlag } from "../Operations.js"
import type { OpOf } from "./support/trace/Ops.js"
import type { KnownPurpose } from "./support/Apps.js"
import type { Knowledge } from "./support/Knowledge.js"
import { oracle, type Say } from "./support/trace/oracle.js"
import { ascending, into } from "./support/trace/into.js"
import { DAY, HOUR, MINUTE, isSensitiveEndpoint } from "../Specification.js"

/** A call that the service answered under a purpose, or may have answered. */
interface PurposeUse {
  readonly certain: boolean
  readonly tMin: number
  readonly tMax: number
}

/**
 * The service counts the calls of each purpose once an hour. So a flag must appear at most this long after the first
 * call beyond twice the expected volume.
 */
const COUNTED = HOUR + MINUTE

/**
 * Spec §8: the service flags a purpose when its calls of the last day exceed twice the expected volume. The service
 * counts the calls every hour, and refuses no call for this reason.
 */
export const P5 = oracle(
  "P5",
  "More than twice the expected volume in a day is flagged within the hour, and never refused (Spec §8)",
  (known, say, run) => {
    const used = uses(known)
    if (known.trace.wentBack) return
    for (const op of known.trace.ops.values()) {
      if (op.name !== "readFlags" || op.outcome._tag !== "ok") continue
      for (const flag of op.outcome.value.flags) judgeFlag(known, used, flag, op, say)
      if (run.entries.some(({ proc }) => proc.startsWith("worker")))
        missing(known, used, op.outcome.value.flags, op, say)
    }
  }
)

const keyOf = (connectionId: string, purpose: string): string => `${connectionId} ${purpose}`

const uses = (known: Knowledge): ReadonlyMap<string, ReadonlyArray<PurposeUse>> => {
  const found = new Map<string, Array<PurposeUse>>()
  for (const { op, token } of known.calls) {
    const { purpose, request } = op.args
    if (token === undefined || purpose === undefined || !isSensitiveEndpoint(request.endpoint)) continue
    const isUnknown = op.outcome._tag === "unknown"
    if (!isUnknown && (op.outcome._tag !== "ok" || op.outcome.value.status !== 200)) continue
    into(found, keyOf(token.family.connection.id, purpose), { certain: !isUnknown, tMin: op.tMin, tMax: op.tMax })
  }
  for (const list of found.values()) list.sort((a, b) => ascending(a.tMax, b.tMax))
  return found
}

/**
 * The expected volumes that may have applied between the entries `from` and `to`: the volume of the approved wording
 * or, before an approval, the volume of the newest wording.
 */
const volumes = (purpose: KnownPurpose | undefined, from: number, to: number): ReadonlyArray<number> | undefined =>
  purpose?.state.read(from, to)?.map(({ approved, newest }) => (approved ?? newest).expectedDailyVolume)

const purposeOf = (known: Knowledge, connectionId: string, key: string): KnownPurpose | undefined => {
  const appId = known.connections.get(connectionId)?.appId
  const all = appId === undefined ? [] : [...(known.apps.apps.get(appId)?.purposes.values() ?? [])]
  return all.find((purpose) => purpose.key === key)
}

const judgeFlag = (
  known: Knowledge,
  used: ReadonlyMap<string, ReadonlyArray<PurposeUse>>,
  { calls, connectionId, flaggedAt, purpose }: VolumeFlag,
  op: OpOf<"readFlags">,
  say: Say
): void => {
  const list = used.get(keyOf(connectionId, purpose)) ?? []
  const most = list.filter(({ tMax, tMin }) => tMax >= flaggedAt - DAY && tMin < flaggedAt).length
  if (calls > most) say(op.to, `a flag counts ${calls} calls of at most ${most}`)
  const at = known.trace.firstAt(flaggedAt)
  const expected = volumes(purposeOf(known, connectionId, purpose), at, known.trace.firstAt(flaggedAt + 1))
  if (expected !== undefined && expected.length > 0 && calls <= 2 * Math.min(...expected)) {
    say(op.to, `a flag for ${calls} calls is not more than twice the expected volume`)
  }
}

/**
 * Reports each purpose of a connection whose calls exceeded twice the expected volume, and which was not flagged within
 * `COUNTED` (61 minutes), although the simulation injected no fault.
 */
const missing = (
  known: Knowledge,
  used: ReadonlyMap<string, ReadonlyArray<PurposeUse>>,
  flags: ReadonlyArray<VolumeFlag>,
  op: OpOf<"readFlags">,
  say: Say
): void => {
  const { trace } = known
  for (const [key, list] of used) {
    const [connectionId = "", name = ""] = key.split(" ")
    const own = flags.filter((flag) => flag.connectionId === connectionId && flag.purpose === name)
    const sure = list.filter(({ certain }) => certain)
    for (const [k, { tMax: at }] of sure.entries()) {
      const end = at + COUNTED
      if (trace.latest(op.from) < end) break
      // The number of calls, up to and including this call, that certainly began within the 24 hours before `end`. A
      // slow call may have begun long before it ended.
      const count = sure.slice(0, k + 1).filter(({ tMin }) => tMin > end - DAY).length
      const from = trace.firstAt(at)
      const to = trace.firstAt(end)
      if (own.some(({ flaggedAt }) => flaggedAt >= at - DAY && flaggedAt <= end)) continue
      const expected = volumes(purposeOf(known, connectionId, name), from, to)
      if (expected === undefined || expected.length === 0 || count <= 2 * Math.max(...expected)) continue
      if (!trace.isCalmSince(at - 2 * HOUR, to)) continue
      say(op.to, `${count} calls in a day under ${name} were not flagged`)
      break
    }
  }
}
