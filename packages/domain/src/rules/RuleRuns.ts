// Prepares the last evaluations of a rule for a page: a bar of the sides where the person was, and a table of outcomes.
// Decision rules-12.
import type { Timestamp } from "../shared/Timestamp.js"
import type { Evaluation, RecentEvaluations } from "./RecentEvaluations.js"
import { PROPERTIES, type RuleType } from "./Rule.js"
import type { RuleOutcome, RuleMemory } from "./RuleEvaluation.js"

/**
 * A span of time that the person spent on one side of the circle. `side` is null when the evaluations do not show the
 * side. A span ends at the first reading of the next span; the last span ends at the last reading. One exception: when
 * the rule begins anew at a reading, the span before it ends at its own last reading, because the rule used no reading
 * between these two.
 */
export interface SideRun {
  readonly side: RuleMemory["side"]
  readonly from: Timestamp
  readonly until: Timestamp
}

/**
 * What an outcome shows about the person's side after the reading:
 * - `target`: the side that the rule asks about.
 * - `other`: the side after a crossing that the rule does not ask about.
 * - `same`: the side of the reading before.
 * - `back`: the person is back on the side from before the crossing.
 * - `new`: the side is unknown, because the rule begins anew.
 * - `nothing`: the rule ignored the reading, or the reading was too near the edge.
 */
const LOOKS: Readonly<Record<RuleOutcome, "target" | "other" | "same" | "back" | "new" | "nothing">> = {
  fired: "target",
  stale: "target",
  cooling_down: "target",
  settling: "target",
  crossed: "other",
  contradicted: "back",
  no_change: "same",
  seeded: "new",
  boundary: "nothing",
  outside_window: "nothing",
  late: "nothing",
  out_of_order: "nothing"
}

const opposite = (side: RuleMemory["side"]): RuleMemory["side"] =>
  side === null ? null : side === "inside" ? "outside" : "inside"

const earlier = (a: Timestamp, b: Timestamp): Timestamp => (a < b ? a : b)
const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b)

/**
 * The runs of sides, oldest first. They are computed from the outcomes, because an evaluation, which apps read too, has
 * no side. The side before the first crossing is the opposite of the side after this crossing. When the evaluations of
 * a dwell rule have crossings and no dwell, they do not show on which side the person was.
 */
export const sides = (type: RuleType, recent: RecentEvaluations): ReadonlyArray<SideRun> => {
  const { firesOnCrossing } = PROPERTIES[type]
  let newest = Number.NEGATIVE_INFINITY
  const seen = recent.filter(({ capturedAt, outcome }) => {
    // A crossing that waited for `settleS` is listed twice, with the same capture time: when its reading arrived, and
    // when the rule fired. Only the first of the two is used, because both show the same crossing.
    const isNew = LOOKS[outcome] !== "nothing" && capturedAt > newest
    // A dwell that silence fired has the end of the dwell time as its capture time. A reading that was captured before
    // this time may arrive after the firing. The rule uses this reading, so it counts as new.
    if (isNew && (outcome !== "fired" || firesOnCrossing)) newest = capturedAt
    return isNew
  })
  const after = sidesAfter(type, seen)
  const runs: Array<SideRun> = []
  seen.forEach(({ capturedAt, outcome }, index) => {
    const last = runs.at(-1)
    const side = after[index] ?? null
    const beginsAnew = LOOKS[outcome] === "new"
    const staysThere = !beginsAnew && last?.side === side
    if (last !== undefined) {
      // When the rule begins anew, the run ends at its own last reading, or at this reading if this one is older, as it
      // can be after a firing by silence. A run that ends with a crossing lasts until this reading, because it is
      // unknown when the person crossed the edge between the two readings.
      const until = beginsAnew
        ? earlier(last.until, capturedAt)
        : staysThere
          ? later(last.until, capturedAt)
          : capturedAt
      runs[runs.length - 1] = { side: last.side, from: earlier(last.from, capturedAt), until }
    }
    if (!staysThere) runs.push({ side, from: capturedAt, until: capturedAt })
  })
  return runs
}

const sidesAfter = (type: RuleType, seen: RecentEvaluations): ReadonlyArray<RuleMemory["side"]> => {
  const { firesOnCrossing, side: target } = PROPERTIES[type]
  const forwards: Array<RuleMemory["side"]> = []
  let side: RuleMemory["side"] = null
  for (const { outcome } of seen) {
    const look = LOOKS[outcome]
    if (look === "new") side = null
    else if (look === "target") side = target
    else if (look === "back") side = opposite(side)
    else if (look === "other") side = opposite(firesOnCrossing ? target : side)
    forwards.push(side)
  }
  // This loop goes backwards: before a crossing the person was on the other side. A dwell fires on the side where the
  // person already was.
  for (let index = seen.length - 2; index >= 0; index--) {
    if (forwards[index] !== null) continue
    const next = seen[index + 1]
    const known = forwards[index + 1] ?? null
    if (next === undefined || LOOKS[next.outcome] === "new") continue
    const isCrossing =
      LOOKS[next.outcome] === "other" ||
      LOOKS[next.outcome] === "back" ||
      (LOOKS[next.outcome] === "target" && firesOnCrossing)
    forwards[index] = isCrossing ? opposite(known) : known
  }
  return forwards
}

/**
 * One evaluation, or consecutive evaluations with the same outcome. The page shows each run as one line of a table.
 * Otherwise a night at home would fill the table with equal lines.
 */
export interface OutcomeRun {
  readonly outcome: RuleOutcome
  /**
   * At least one evaluation, in the order of arrival. A run has several evaluations only if their outcome is one of the
   * outcomes that change nothing (`FOLDS`).
   */
  readonly evaluations: readonly [Evaluation, ...ReadonlyArray<Evaluation>]
}

const FOLDS: ReadonlySet<RuleOutcome> = new Set(["no_change", "boundary", "outside_window", "late", "out_of_order"])

/**
 * The evaluations in the order of arrival. Consecutive evaluations with the same outcome are one run, if the outcome
 * changed nothing.
 */
export const folded = (recent: RecentEvaluations): ReadonlyArray<OutcomeRun> => {
  const runs: Array<OutcomeRun> = []
  for (const one of recent) {
    const last = runs.at(-1)
    if (last !== undefined && last.outcome === one.outcome && FOLDS.has(one.outcome)) {
      runs[runs.length - 1] = { outcome: one.outcome, evaluations: [...last.evaluations, one] }
    } else runs.push({ outcome: one.outcome, evaluations: [one] })
  }
  return runs
}
