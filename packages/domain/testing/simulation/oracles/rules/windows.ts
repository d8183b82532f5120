import type { Oracle, Run } from "../../Oracle.js"
import { courseProblems } from "../support/courses/Course.js"
import { problems } from "../support/Explained.js"
import { firings } from "../support/deliveries/Firings.js"
import { type CompletedCall, happened, isoOf, textOf } from "../support/trace/Happened.js"
import {
  DWELL_MINUTES,
  EVENT_AGE_S,
  isWithin,
  type Limits,
  RADIUS_M,
  SETTLE_S,
  SILENCE_S
} from "../../Specification.js"

/**
 * Oracles of the windows in which rules are active (Spec §4.6.5, decision T3: `[active_from, active_until)` by capture
 * time).
 */

const of = (name: "W1" | "W2" | "W5", rule: string): Oracle => ({
  name,
  rule,
  check: (run) => [...problems(run), ...courseProblems(run)].filter(({ invariant }) => invariant === name)
})

const w3: Oracle = {
  name: "W3",
  rule: "A rule whose window closed is finished for good (Spec §3.3, §4.6.5)",
  check: (run) => [...firedAfterwards(run), ...saidOtherwise(run)]
}

/**
 * Reports each firing by a fix that was captured at or after the end of the rule's window, no matter when this fix
 * arrived.
 */
const firedAfterwards = (run: Run) =>
  firings(run).flatMap(({ at, eventId, occurredAt, rules }) => {
    const isOver =
      rules.length > 0 &&
      rules.every(({ fields: { activeUntil } }) => activeUntil !== null && occurredAt >= activeUntil)
    return isOver
      ? [{ at, detail: `event ${eventId} occurred at ${isoOf(occurredAt)}, after its rule had finished` }]
      : []
  })

/**
 * Reports each list that shows a rule as unfinished although an earlier list showed the rule as finished. Such a list
 * is right if somebody set the clock back in between. If the clock was set back during a call, the service may have
 * used the time before or after this change, so the oracle reports a list only when neither time explains it.
 */
const saidOtherwise = (run: Run) => {
  const finished = new Map<string, number>()
  return happened(run)
    .of("call")
    .flatMap((operation) => {
      const { endpoint } = operation.args.request
      if (endpoint !== "GET /v1/rules/place" && endpoint !== "GET /v1/rules/zone") return []
      return rulesIn(operation).flatMap((rule) => {
        const [id, state] = [textOf(rule["id"]) ?? "", textOf(rule["state"])]
        const since = finished.get(id)
        const [first, last] = [
          Math.min(operation.beganAt, operation.endedAt),
          Math.max(operation.beganAt, operation.endedAt)
        ]
        if (state === "finished") finished.set(id, Math.min(since ?? Infinity, last))
        return state === undefined || state === "finished" || since === undefined || first < since
          ? []
          : [{ at: operation.end, detail: `rule ${id} had finished and is ${state} again` }]
      })
    })
}

const rulesIn = ({ outcome }: CompletedCall<"call">): ReadonlyArray<Record<string, unknown>> => {
  if (outcome?._tag !== "ok" || outcome.value.status !== 200) return []
  const { rules } = outcome.value.body
  return Array.isArray(rules) ? rules : []
}

const w4: Oracle = {
  name: "W4",
  rule: "A window that has closed, or contains no instant, is refused with 400; any other is not (Spec §4.6.6)",
  check: (run) =>
    happened(run)
      .of("call")
      .flatMap((operation) => {
        const { request } = operation.args
        if (!("type" in request) || operation.outcome?._tag !== "ok") return []
        const { error, status } = operation.outcome.value
        const { activeFrom, activeUntil } = request
        const [first, last] = [
          Math.min(operation.beganAt, operation.endedAt),
          Math.max(operation.beganAt, operation.endedAt)
        ]
        const isInverted = activeFrom !== null && activeUntil !== null && activeUntil <= activeFrom
        const isClosed = activeUntil !== null && activeUntil <= first
        if ((isInverted || isClosed) && status === 201)
          return [
            {
              at: operation.end,
              detail: `a window that ${isInverted ? "contains no instant" : "has closed"} was accepted`
            }
          ]
        const isOpen = !isInverted && (activeUntil === null || activeUntil > last)
        return isOpen && isPlain(request) && error === "validation_failed"
          ? [{ at: operation.end, detail: "a window that is open, or will be, was refused" }]
          : []
      })
}

/** Whether all fields of the request other than the window are certainly valid (Spec §2.6). */
const isPlain = (request: Extract<CompletedCall<"call">["args"]["request"], { readonly type: string }>): boolean => {
  const { dwellMinutes, maxEventAgeS, settleS = null, silenceS = null, type } = request
  const isWhole = (value: number, limits: Limits) => Number.isInteger(value) && isWithin(value, limits)
  const dwells = type !== "dwell" || (dwellMinutes !== null && isWhole(dwellMinutes, DWELL_MINUTES))
  // For a dwell rule `settle_s` has no effect, so its value cannot make the request invalid.
  const settles = type === "dwell" ? null : settleS
  const waits = settles === null || isWhole(settles, SETTLE_S)
  const silence = type === "dwell" ? silenceS : null
  const least = Math.max(settles ?? 0, silence ?? 0)
  const speaks = silence === null || isWhole(silence, SILENCE_S)
  const ages = maxEventAgeS === null || (isWhole(maxEventAgeS, EVENT_AGE_S) && maxEventAgeS > least)
  if (request.endpoint === "POST /v1/rules/place") return dwells && waits && speaks && ages
  const { label, lat, lon, radiusM } = request
  const lies = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && isWithin(radiusM, RADIUS_M)
  return dwells && waits && speaks && ages && lies && /^[A-Za-z0-9][A-Za-z0-9 ]{0,40}$/.test(label)
}

export const windows: ReadonlyArray<Oracle> = [
  of("W1", "A fix that was captured outside of the window neither fires nor seeds (Spec §4.6.5)"),
  of(
    "W2",
    "A batch that arrives up to 24 h after the window closed is applied, a later batch is not (Spec §4.6.5, decision T3)"
  ),
  w3,
  w4,
  of(
    "W5",
    "With a window, what a rule does depends on when fixes were captured and not on when they arrived (Spec §4.6.5)"
  )
]
