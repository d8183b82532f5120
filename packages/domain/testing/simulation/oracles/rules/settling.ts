import type { Oracle, Run } from "../../Oracle.js"
import { MINUTE, SECOND, SETTLE_PROMPT } from "../../Specification.js"
import { courseProblems } from "../support/courses/Course.js"
import { problems } from "../support/Explained.js"
import { firings } from "../support/deliveries/Firings.js"
import { ground } from "../support/Ground.js"
import { phonesOf } from "../support/phones/Phones.js"
import { happened, isoOf, spanOf, textOf } from "../support/trace/Happened.js"
import { index } from "../support/trace/Ops.js"
import { settleMillis } from "../support/courses/Waiting.js"

/**
 * Judges each crossing of a rule with `settle_s` that no fix contradicted during the wait (decision rules-13). Oracle
 * R10 judges the contradicted crossings.
 */
export const r13: Oracle = {
  name: "R13",
  rule: "A crossing that waits and is not contradicted fires once, for its own time, soon after (decision rules-13)",
  check: (run) => [
    ...courseProblems(run).filter(({ invariant }) => invariant === "R13"),
    ...stampedOtherwise(run),
    ...repeatedFirings(waited(run)),
    ...lateFirings(run, waited(run))
  ]
}

export const r14: Oracle = {
  name: "R14",
  rule: "A dwell rule that silence may fire fires once for a stay, for the end of its minutes, when the silence is over (decision rules-14)",
  check: (run) => [
    ...[...problems(run), ...courseProblems(run)].filter(({ invariant }) => invariant === "R14"),
    ...repeatedFirings(silent(run)),
    ...lateFirings(run, silent(run))
  ]
}

/**
 * The firings of rules with `settle_s`. Each has its rule's wait in milliseconds, and the readings that were captured
 * at its `occurred_at`, the time of the crossing.
 */
const waited = (run: Run) =>
  firings(run).flatMap((firing) => {
    const rule = ground(run).rules.get(firing.ruleId ?? "")
    const settle = rule === undefined ? 0 : settleMillis(rule)
    if (rule === undefined || settle === 0) return []
    return [{ ...firing, settle, readings: phonesOf(run, rule.pair.userId).at(firing.occurredAt) }]
  })

/**
 * The firings of dwell rules by silence: no reading was captured at `occurred_at`, the end of the dwell time. Each has
 * its rule's silence in milliseconds (`settle`), and the readings that were captured during the dwell time.
 */
const silent = (run: Run) =>
  firings(run).flatMap((firing) => {
    const rule = ground(run).rules.get(firing.ruleId ?? "")
    if (rule === undefined || firing.type !== "dwell" || (rule.fields.silenceS ?? null) === null) return []
    const phones = phonesOf(run, rule.pair.userId)
    if (phones.at(firing.occurredAt).length > 0) return []
    const came = firing.occurredAt - (rule.fields.dwellMinutes ?? 0) * MINUTE
    const readings = phones.seen.filter(({ capturedAt }) => capturedAt >= came && capturedAt < firing.occurredAt)
    return [{ ...firing, settle: (rule.fields.silenceS ?? 0) * SECOND, readings }]
  })

type SettledFirings = ReturnType<typeof waited>

const stampedOtherwise = (run: Run) =>
  waited(run)
    .filter(({ readings }) => readings.length === 0)
    .map(({ at, eventId, occurredAt }) => ({
      at,
      detail: `event ${eventId} is about ${isoOf(occurredAt)}, and no phone was seen then`
    }))

const repeatedFirings = (settled: SettledFirings) => {
  const seen = new Map<string, string>()
  return settled.flatMap(({ at, eventId, occurredAt, ruleId }) => {
    const key = `${ruleId} ${occurredAt}`
    const before = seen.get(key) ?? eventId
    seen.set(key, before)
    const detail = `rule ${ruleId} told of ${isoOf(occurredAt)} with event ${before} and with event ${eventId}`
    return before === eventId ? [] : [{ at, detail }]
  })
}

/**
 * Reports each event whose first POST came long after the end of the rule's wait (`settle_s` or `silence_s`), although
 * nothing failed and nobody set the clock.
 */
const lateFirings = (run: Run, settled: SettledFirings) => {
  const posted = new Map<string, { readonly beganAt: number; readonly i: number }>()
  for (const { beganAt, body, i } of happened(run).posts) {
    const eventId = textOf(body["event_id"]) ?? ""
    if (!posted.has(eventId)) posted.set(eventId, { beganAt, i })
  }
  return settled.flatMap(({ eventId, occurredAt, readings, settle }) => {
    const post = posted.get(eventId)
    const uploads = readings.flatMap((reading) => reading.uploads)
    if (post === undefined || uploads.length === 0) return []
    const due = Math.max(occurredAt, ...uploads.map(({ beganAt, endedAt }) => Math.max(beganAt, endedAt))) + settle
    const late = post.beganAt - due - SETTLE_PROMPT
    const since = Math.min(...uploads.map(({ begin }) => begin))
    const { clockWasSet, isCalm } = index(run)
    if (late <= 0 || !isCalm(since, post.i) || clockWasSet(since, post.i)) return []
    return [{ at: post.i, detail: `event ${eventId} was told ${spanOf(late)} later than it should be` }]
  })
}
