import type { Run } from "../../../Oracle.js"
import type { MadeRule } from "../Ground.js"
import { type CompletedCall, isDone } from "../trace/Happened.js"
import { erased } from "./Erasures.js"
import { keyOf, phonesOf } from "./Phones.js"

/** The fixes of an upload: in which order the service evaluates the fixes, and which fixes are new to the service. */

/**
 * The fixes of an upload, sorted by capture time. Of fixes with the same time, the more accurate fix comes first
 * (decision L4). Of a fix that occurs twice, only the more accurate form is kept.
 */
export const inOrder = ({ args: { deviceId, fixes } }: CompletedCall<"upload">) => {
  const worth = (accuracyM: number | null) =>
    accuracyM !== null && Number.isFinite(accuracyM) && accuracyM > 0 ? accuracyM : Infinity
  const sorted = [...fixes].sort(
    (a, b) =>
      a.capturedAt - b.capturedAt ||
      Math.sign(worth(a.accuracyM) - worth(b.accuracyM)) ||
      a.lat - b.lat ||
      a.lon - b.lon
  )
  const keys = new Set<string>()
  return sorted.filter((fix) => {
    const key = keyOf(deviceId, fix)
    return keys.has(key) ? false : keys.add(key)
  })
}

/**
 * Whether the fix is new to the service: no earlier upload brought the fix, and its owner has not deleted the time of
 * the fix.
 */
export const newness = (
  run: Run,
  rule: MadeRule,
  upload: CompletedCall<"upload">,
  { capturedAt, key }: { readonly capturedAt: number; readonly key: string }
): "yes" | "maybe" | "no" => {
  const gone = erased(run, rule.pair.userId, capturedAt, upload.begin, upload.end)
  if (gone !== "no") return gone === "yes" ? "no" : "maybe"
  const others = (broughtBy(run, rule.pair.userId).get(key) ?? []).filter(
    (operation) => operation !== upload && operation.begin < upload.end
  )
  if (others.some((operation) => isDone(operation) && operation.end < upload.begin)) return "no"
  return others.length === 0 ? "yes" : "maybe"
}

const indexes = new WeakMap<object, Map<string, ReadonlyMap<string, ReadonlyArray<CompletedCall<"upload">>>>>()

const broughtBy = (run: Run, userId: string): ReadonlyMap<string, ReadonlyArray<CompletedCall<"upload">>> => {
  const index = indexes.get(run) ?? new Map()
  indexes.set(run, index)
  const found = index.get(userId)
  if (found !== undefined) return found
  const made = new Map<string, Array<CompletedCall<"upload">>>()
  for (const { key, uploads } of phonesOf(run, userId).seen) made.set(key, [...(made.get(key) ?? []), ...uploads])
  index.set(userId, made)
  return made
}
