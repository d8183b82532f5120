import type { Run } from "../../../Oracle.js"
import { mayBeOver } from "../Ended.js"
import { isInWindow } from "../Explained.js"
import { archived, effective, ground, type Ground, isSameCircle, type MadeRule, sharing } from "../Ground.js"
import { newness } from "../phones/Brought.js"
import { marginM } from "../phones/distance.js"
import { erasuresOf } from "../phones/Erasures.js"
import { keyOf, phonesOf } from "../phones/Phones.js"
import { type CompletedCall, isDone, isoOf } from "../trace/Happened.js"
import { type Observer, observing } from "../trace/Observed.js"
import { index } from "../trace/Ops.js"
import { distinct } from "../trace/Possible.js"
import { ANEW, FIRST, MOST, type Note, silent, type State, type Transition } from "./CourseState.js"
import { taking } from "./uploadSteps.js"
import * as Waiting from "./Waiting.js"

/**
 * Follows each rule from its creation through every state that the rule may be in. Where the trace allows several
 * courses, the oracle follows all of them. A firing in the trace rules out the states in which the rule would not have
 * fired. If no state is left after an upload, no course explains the firings, and the run has broken a rule of the
 * specification.
 */

export interface CourseProblem {
  readonly invariant: "R8" | "R9" | "R10" | "R13" | "R14" | "W2" | "W5"
  readonly at: number
  readonly detail: string
}

/** An event that may change the state of a rule, such as an upload. */
interface Event {
  readonly begin: number
  readonly end: number
  readonly isCertain: boolean
  readonly upload: CompletedCall<"upload"> | null
  readonly step: Transition
}

interface Course {
  readonly problems: ReadonlyArray<CourseProblem>
  readonly notes: ReadonlySet<Note>
}

const known = new WeakMap<object, Course>()

export type { Note } from "./CourseState.js"

export const course = (run: Run): Course => {
  const found = known.get(run)
  if (found !== undefined) return found
  const notes = new Set<Note>()
  const problems = [...ground(run).rules.values()].flatMap((rule) => follow(run, rule, notes) ?? [])
  known.set(run, { problems, notes })
  return { problems, notes }
}

export const courseProblems = (run: Run): ReadonlyArray<CourseProblem> => course(run).problems

const follow = (run: Run, rule: MadeRule, notes: Set<Note>): CourseProblem | undefined => {
  let states: ReadonlyArray<State> = [FIRST]
  const events = eventsOf(run, rule, notes)
  for (let next = 0; next < events.length;) {
    const group: Array<Event> = []
    let end = -Infinity
    for (; next < events.length && (group.length === 0 || (events[next]?.begin ?? 0) <= end); next++) {
      const event = events[next]
      if (event === undefined) break
      group.push(event)
      end = Math.max(end, event.end)
    }
    const [only] = group
    if (group.length === 1 && only?.isCertain === true) {
      const note = states.length === 1 ? (one: Note) => void notes.add(one) : silent
      const after = distinct(states.flatMap((state) => only.step(state, note)))
      if (after.length === 0 && only.upload !== null) return contradiction(run, rule, only.upload, states)
      states = after
    } else states = inAnyOrder(states, group)
    if (states.length > MOST) return undefined
    if (states.length === 0) return undefined
  }
  return missingFiring(run, rule, states, notes)
}

/**
 * Reports a firing that is missing at the end of the run. When the run went on until all work was done
 * (`Run.quiesced`), the rule must have fired for each crossing or stay for which it waited. The oracle reports nothing
 * if, since the wait began, the rule may have been stopped, may have lost its place or scope, or somebody set the
 * clock.
 */
const missingFiring = (
  run: Run,
  rule: MadeRule,
  states: ReadonlyArray<State>,
  notes: Set<Note>
): CourseProblem | undefined => {
  const last = run.entries.at(-1)
  if (last === undefined || !run.quiesced || states.length === 0) return undefined
  const observed = observing(run, rule)
  if (states.every(({ waits }) => waits?.fires === true && observed.at(waits.at)))
    notes.add(rule.fields.type === "dwell" ? "stay told by silence" : "crossing told by the clock")
  const missing = states.filter((state) => Waiting.isMissing(state, last.t, observed))
  const [one] = missing
  if (one?.waits == null || missing.length < states.length || !standsUntil(run, rule, one.waits, last)) return undefined
  const detail = `rule ${rule.ruleId} (${rule.fields.type}) was to tell of ${isoOf(one.waits.at)} after its wait, and did not`
  return { invariant: rule.fields.type === "dwell" ? "R14" : "R13", at: last.i, detail }
}

/**
 * Whether the rule certainly could fire at all times since the upload that began its wait: nothing stopped the rule, it
 * had its place and its scope, and nobody set the clock.
 */
const standsUntil = (
  run: Run,
  rule: MadeRule,
  { at, stay }: NonNullable<State["waits"]>,
  last: { readonly i: number; readonly t: number }
): boolean => {
  const g = ground(run)
  const brought = phonesOf(run, rule.pair.userId)
    .at(at)
    .flatMap(({ uploads }) => uploads)
  const begin = Math.min(stay?.begin ?? Infinity, ...brought.map((upload) => upload.begin))
  const beganAt = Math.min(stay?.beganAt ?? Infinity, ...brought.map((upload) => upload.beganAt))
  const place = g.places.get(rule.placeId ?? "")
  return (
    begin < Infinity &&
    rule.removals.length === 0 &&
    (place === undefined || place.archivings.length === 0) &&
    !mayBeOver(run, rule, last.i) &&
    standing(g, rule, { begin, end: last.i, beganAt, endedAt: last.t }) === "yes" &&
    !index(run).clockWasSet(begin, last.i)
  )
}

/**
 * The states after overlapping events, applied in every order and with any of them left out. The result contains every
 * possible state. It may also contain states that are impossible.
 */
const inAnyOrder = (states: ReadonlyArray<State>, group: ReadonlyArray<Event>): ReadonlyArray<State> => {
  let all = states
  for (;;) {
    const next = distinct([...all, ...group.flatMap(({ step }) => all.flatMap((state) => step(state, silent)))])
    if (next.length === all.length || next.length > MOST) return next
    all = next
  }
}

const eventsOf = (run: Run, rule: MadeRule, notes: Set<Note>): ReadonlyArray<Event> => {
  const g = ground(run)
  const { made, pair, placeId, removals } = rule
  const place = g.places.get(placeId ?? "")
  const events: Array<Event> = []
  const observer = observing(run, rule)
  const reseed = reseedAt("rule begun anew", observer)
  const reseedByPause = reseedAt("rule begun anew after a pause", observer)
  const anew = (write: { readonly begin: number; readonly end: number; readonly isCertain: boolean }) => {
    if (write.end > made.begin)
      events.push({ ...write, isCertain: write.isCertain && write.begin > made.end, upload: null, step: reseed })
  }
  const scope = `location.rules.${rule.kind}`
  for (const register of [pair.scopes, g.declared.get(pair.appId), g.allowed.get(pair.appId)])
    for (const write of register?.writes ?? []) if (!write.value.includes(scope)) anew(write)
  if (placeId !== null) {
    for (const write of pair.shares.writes) if (!write.value.has(placeId)) anew(write)
    place?.circles.writes.forEach((write, index, all) => {
      const before = all[index - 1]
      if (before !== undefined && !isSameCircle(before.value, write.value)) anew(write)
    })
  }
  for (const write of g.pauses.beginnings(rule.connectionId)) {
    // In the service, a rule forgets its state when a pause ends. In this oracle, the rule forgets its state when the
    // pause begins. The effect is the same, because the service evaluates no rule during a pause.
    if (write.end <= made.begin) continue
    const isCertain = write.isCertain && write.begin > made.end
    events.push({ begin: write.begin, end: write.end, isCertain, upload: null, step: reseedByPause })
  }
  for (const operation of erasuresOf(run, pair.userId)) {
    if (operation.end < made.begin) continue
    const { from, until } = operation.args
    const isCertain = isDone(operation) && operation.begin > made.end
    events.push({
      begin: operation.begin,
      end: operation.end,
      isCertain,
      upload: null,
      step: forgetting(from, until, observer)
    })
  }
  events.push(...Waiting.removedPhones(run, rule, observer))
  const stoppedAt = Math.min(
    ...removals.map(({ begin }) => begin),
    ...(place?.archivings ?? []).map(({ begin }) => begin)
  )
  for (const upload of phonesOf(run, pair.userId).uploads) {
    if (upload.end < made.begin) continue
    if (upload.end > stoppedAt || mayBeOver(run, rule, upload.end)) break
    const stands = standing(g, rule, upload)
    if (stands === "no") {
      if (g.pauses.during(rule.connectionId, upload) === "yes") notes.add("fix during a pause")
      continue
    }
    const isCertain = isDone(upload) && upload.begin > made.end && stands === "yes"
    events.push({ begin: upload.begin, end: upload.end, isCertain, upload, step: taking(run, rule, upload, observer) })
  }
  return events.sort((a, b) => a.begin - b.begin)
}

/**
 * A rule that forgets its state knows neither on which side the person is, nor the crossing or stay for which the rule
 * waited. A state in which the rule still waits is impossible if the trace shows that the rule has fired for this
 * crossing or stay.
 */
const reseedAt =
  (name: Note, observed: Observer): Transition =>
  (state, note) => {
    if (state.side !== null) note(name)
    return Waiting.whether(state, observed)
      .filter((one) => Waiting.isSilent(one, observed))
      .map((one) => ({ ...one, ...ANEW }))
  }

/**
 * What a rule does when the user deletes a stretch (decision retention-choice-4). The rule forgets its state in three
 * cases:
 * - The person is inside, and the present stay began before the end of the stretch.
 * - The person is outside, and the stretch contains the newest fix of the rule.
 * - The rule waits because of a crossing that the stretch contains.
 */
const forgetting =
  (from: number, until: number, observed: Observer): Transition =>
  (state, note) =>
    Waiting.whether(state, observed).flatMap((one) => {
      const { asOf, side, since, waits } = one
      const isCrossing = waits !== null && waits.at >= from && waits.at < until
      const reaches = side === "inside" ? since < until : side === "outside" && asOf >= from && asOf < until
      if (!reaches && !isCrossing) return [one]
      note("side forgotten with a deleted stretch")
      return Waiting.isSilent(one, observed) ? [{ ...one, ...ANEW }] : []
    })

type Moment = Pick<CompletedCall, "begin" | "beganAt" | "end" | "endedAt">

const standing = (g: Ground, rule: MadeRule, upload: Moment): "yes" | "maybe" | "no" => {
  const { begin, end } = upload
  const place = g.places.get(rule.placeId ?? "")
  const needs = [effective(g, rule.pair, `location.rules.${rule.kind}`, begin, end)]
  const paused = g.pauses.during(rule.connectionId, upload)
  needs.push(paused === "yes" ? "no" : paused === "no" ? "yes" : "maybe")
  if (rule.placeId !== null) needs.push(sharing(rule.pair, rule.placeId, begin, end))
  if (place !== undefined && archived(place, begin, end) !== "no") needs.push("maybe")
  return needs.includes("no") ? "no" : needs.includes("maybe") ? "maybe" : "yes"
}

/**
 * The violation when no state of the rule explains an upload. R13 or R14 reports the violation if a wait was over
 * before the upload and its firing is missing. Otherwise the first oracle whose condition is true reports the
 * violation:
 * - R9: the fixes are not in the order of capture.
 * - R8: fixes are repeated.
 * - W2: the upload came after the end of the rule's window.
 * - W5: a fix of this or an earlier upload was captured inside the window and arrived outside it, or the reverse.
 * - R10: none of these conditions is true.
 */
const contradiction = (
  run: Run,
  rule: MadeRule,
  upload: CompletedCall<"upload">,
  states: ReadonlyArray<State>
): CourseProblem => {
  const { fixes } = upload.args
  const isShuffled = fixes.some((fix, index) => fix.capturedAt < (fixes[index - 1]?.capturedAt ?? -Infinity))
  const keys = fixes.map((fix) => ({ key: keyOf(upload.args.deviceId, fix), capturedAt: fix.capturedAt }))
  const isRepeated =
    new Set(keys.map(({ key }) => key)).size < keys.length ||
    keys.some((key) => newness(run, rule, upload, key) !== "yes")
  const { activeFrom, activeUntil } = rule.fields
  const isLate = activeUntil !== null && upload.beganAt >= activeUntil
  const isAstray =
    (activeFrom !== null || activeUntil !== null) &&
    phonesOf(run, rule.pair.userId).uploads.some(
      (other) =>
        other.begin <= upload.begin &&
        other.args.fixes.some((fix) => isInWindow(rule, fix.capturedAt) !== isInWindow(rule, other.beganAt))
    )
  const from = Math.min(upload.beganAt, upload.endedAt)
  const isLost = states.every((state) => Waiting.isLost(state, from, upload, observing(run, rule)))
  const ofWait = rule.fields.type === "dwell" ? "R14" : "R13"
  const ofFix = isShuffled ? "R9" : isRepeated ? "R8" : isLate ? "W2" : isAstray ? "W5" : "R10"
  const sent = fixes.map((fix) => `${isoOf(fix.capturedAt)} ±${marginM(fix)} m`).join(", ")
  // If a firing that the trace does not show would explain the upload, the violation says that this firing is missing.
  const observed = observing(run, rule)
  const unseen = taking(run, rule, upload, { ...observed, isShown: () => false })
  const isMissing = states.some((state) => unseen(state, silent).length > 0)
  const fired = fixes.map(({ capturedAt }) => capturedAt).filter(observed.at)
  const wrongly = fired.length === 0 ? "" : ` for ${fired.map(isoOf).join(", ")}`
  const what = isMissing ? "did not fire as it should" : `fired${wrongly} and should not have`
  return {
    invariant: isLost ? ofWait : ofFix,
    at: upload.end,
    detail: `rule ${rule.ruleId} (${rule.fields.type}) ${what}, with the upload of ${sent}`
  }
}
