import type { Oracle, Run } from "../../Oracle.js"
import { courseProblems } from "../support/courses/Course.js"
import { type Problem, problems } from "../support/Explained.js"
import { firings, isFiring } from "../support/deliveries/Firings.js"
import { happened, isDone, mayBeDone, spanOf, textOf } from "../support/trace/Happened.js"
import { erased } from "../support/phones/Erasures.js"
import { isPutAside, keyOf } from "../support/phones/Phones.js"
import { COOLDOWN } from "../../Specification.js"
import { r13, r14 } from "./settling.js"
import type { CompletedCall } from "../support/trace/Happened.js"

/** Oracles of rules: when a rule may fire, and when it must (Spec §4.6, decisions L3 to L8). */

const explained = (name: Problem["invariant"], rule: string): Oracle => ({
  name,
  rule,
  check: (run) => problems(run).filter(({ invariant }) => invariant === name)
})

const r4: Oracle = {
  name: "R4",
  rule: "Fires of one rule are at least 120 s apart, by capture time (Spec §4.6.3, decision L6)",
  check: (run) =>
    [...ofEachRule(run).values()].flatMap((fired) =>
      fired.flatMap((firing, index) => {
        const before = fired[index - 1]
        if (before === undefined || before.occurredAt === firing.occurredAt) return []
        const gap = firing.occurredAt - before.occurredAt
        const at = Math.max(before.at, firing.at)
        return gap < COOLDOWN ? [{ at, detail: `rule ${firing.ruleId} fired twice within ${spanOf(gap)}` }] : []
      })
    )
}

const ofEachRule = (run: Run) => {
  const fired = new Map<string, Array<ReturnType<typeof firings>[number]>>()
  for (const firing of firings(run)) {
    if (firing.ruleId === null) continue
    const same = fired.get(firing.ruleId)
    if (same === undefined) fired.set(firing.ruleId, [firing])
    else same.push(firing)
  }
  return fired
}

const r8: Oracle = {
  name: "R8",
  rule: "A duplicated fix changes nothing: it is counted among the duplicates and fires nothing again (decision L4)",
  check: (run) => [
    ...miscounted(run),
    ...firedAgain(run),
    ...courseProblems(run).filter(({ invariant }) => invariant === "R8")
  ]
}

const miscounted = (run: Run) => {
  const brought = new Map<string, Array<CompletedCall<"upload">>>()
  return happened(run)
    .of("upload")
    .flatMap((operation) => {
      const { deviceId, fixes } = operation.args
      const possible = fixes.filter((fix) => isPutAside(fix, operation) !== "yes")
      const keys = possible.map((fix) => keyOf(deviceId, fix))
      const repeated = keys.length - new Set(keys).size
      let [surely, perhaps] = [0, 0]
      for (const [key, capturedAt] of new Map(possible.map((fix) => [keyOf(deviceId, fix), fix.capturedAt]))) {
        const before = brought.get(key) ?? []
        // When a phone sends a reading that the user has deleted, the service does not recognise the reading as a
        // duplicate. The service drops the reading, and does not count it as a duplicate.
        const gone = erased(run, operation.args.userId, capturedAt, operation.begin, operation.end)
        if (gone === "no" && before.some((other) => isDone(other) && other.end < operation.begin)) surely++
        if (gone !== "yes" && before.some((other) => other.begin < operation.end)) perhaps++
        if (mayBeDone(operation)) brought.set(key, [...before, operation])
      }
      // If another upload overlaps this upload and begins later, the service may store the other upload first. Then the
      // service counts the fixes of this upload as the duplicates.
      const overlaps = happenedMeanwhile(run, operation)
      const isJudged = operation.outcome?._tag === "ok" && possible.every((fix) => isPutAside(fix, operation) === "no")
      if (!isJudged || operation.outcome?._tag !== "ok") return []
      const { duplicates } = operation.outcome.value
      const wrong = duplicates < repeated + surely || (!overlaps && duplicates > repeated + perhaps)
      return wrong
        ? [{ at: operation.end, detail: `${duplicates} duplicates were counted, ${repeated + surely} were sent` }]
        : []
    })
}

const happenedMeanwhile = (run: Run, operation: CompletedCall<"upload">): boolean =>
  happened(run)
    .of("upload")
    .some(
      (other) =>
        other.begin > operation.begin && other.begin < operation.end && other.args.userId === operation.args.userId
    )

/** Reports a rule that fired twice for one fix, when both events were sent to one endpoint. */
const firedAgain = (run: Run) => {
  const seen = new Map<string, string>()
  return happened(run).posts.flatMap(({ body, i }) => {
    if (!isFiring(body["type"])) return []
    const key = [body["rule_id"], body["occurred_at"], body["endpoint_id"]].join(" ")
    const eventId = textOf(body["event_id"]) ?? ""
    const before = seen.get(key)
    if (before === undefined) seen.set(key, eventId)
    return before === undefined || before === eventId
      ? []
      : [{ at: i, detail: `rule ${textOf(body["rule_id"])} fired twice for one fix: ${before}, ${eventId}` }]
  })
}

const followed = (name: "R9" | "R10", rule: string): Oracle => ({
  name,
  rule,
  check: (run) => courseProblems(run).filter(({ invariant }) => invariant === name)
})

export const rules: ReadonlyArray<Oracle> = [
  explained("R1", "The first fix after a rule was made only establishes its state (Spec §4.6.1)"),
  explained("R2", "Two enters of a rule are separated by an observed exit, two exits by an observed enter (Spec §4.6)"),
  explained("R3", "A fix within max(50 m, accuracy) of the edge changes nothing (Spec §4.6.2)"),
  r4,
  explained("R5", "A fix more than 15 min old changes state and fires nothing (Spec §4.6.4)"),
  explained("R6", "Dwell fires once a stay and never before its minutes (Spec §4.6, decision L7)"),
  explained("R7", "A rule that is stopped, or lacks its place or scope, never fires (Spec §3.3, §4.6.10)"),
  r8,
  followed("R9", "Shuffling an upload changes nothing (decision L4)"),
  followed("R10", "A crossing or a stay that is long enough fires, and nothing else fires (Spec §4.6)"),
  explained(
    "R11",
    "A fix from before a rule was made, or before it had its place, circle and scope, fires nothing (decision M5)"
  ),
  explained("R12", "A fix of a phone that was left behind fires nothing (decision M14)"),
  r13,
  r14
]
