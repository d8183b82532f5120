import type { Run } from "../../../Oracle.js"
import { COOLDOWN, LATE_BATCH, MINUTE, STALE } from "../../../Specification.js"
import { isInWindow } from "../Explained.js"
import { circlesOf, ground, type MadeRule } from "../Ground.js"
import { inOrder, newness } from "../phones/Brought.js"
import { sidesOf } from "../phones/distance.js"
import { isLeftBehind } from "../phones/LeftBehind.js"
import { isPutAside, keyOf, phonesOf } from "../phones/Phones.js"
import { begun } from "../trace/Begun.js"
import type { CompletedCall } from "../trace/Happened.js"
import type { Observer } from "../trace/Observed.js"
import { distinct } from "../trace/Possible.js"
import { FIRST, type Freshness, MOST, type Note, type Sight, type State, type Transition } from "./CourseState.js"
import * as Waiting from "./Waiting.js"

/** The states to which an upload leads. The fixes of the upload are applied one by one, in the order of capture. */
export const taking = (run: Run, rule: MadeRule, upload: CompletedCall<"upload">, observed: Observer): Transition => {
  const circles = circlesOf(ground(run), rule, upload.begin, upload.end)
  // Readings of earlier uploads that the service quarantined because their capture times were in the future, and that
  // the service may accept with this upload.
  const taken = phonesOf(run, rule.pair.userId).taken.filter(({ uploads }) => uploads.includes(upload))
  const possible = [...inOrder(upload).filter((fix) => isPutAside(fix, upload) !== "yes"), ...taken].sort(
    (a, b) => a.capturedAt - b.capturedAt
  )
  const inside = possible.filter((fix) => isInWindow(rule, fix.capturedAt))
  const fixes = inside
    .map((fix) => {
      const key = keyOf(upload.args.deviceId, fix)
      return {
        fix,
        isNew: taken.some((one) => one === fix)
          ? "maybe"
          : newness(run, rule, upload, { key, capturedAt: fix.capturedAt }),
        left: isLeftBehind(run, rule.pair.userId, { key })
      }
    })
    .filter(({ isNew, left }) => isNew !== "no" && left !== "yes")
  const [from, to] = [Math.min(upload.beganAt, upload.endedAt), Math.max(upload.beganAt, upload.endedAt)]
  const closed = rule.fields.activeUntil === null ? Infinity : rule.fields.activeUntil + LATE_BATCH
  // A fix that was captured before `since` only sets the side of the rule, and fires nothing.
  const since = begun(ground(run), rule, upload)
  const isCounted = to <= closed ? "yes" : from <= closed ? "maybe" : "no"
  return (state, note) => {
    let states: ReadonlyArray<State> = Waiting.until(run, state, { from, upload }, observed, note)
    if (inside.length < possible.length) note("fix outside of the window")
    if (fixes.length > 0 && isCounted === "no") note("late batch ignored")
    if (isCounted === "no") return states
    if (fixes.length > 0 && from >= (rule.fields.activeUntil ?? Infinity)) note("late batch applied")
    for (const { fix, isNew, left } of fixes) {
      const at = fix.capturedAt
      const isStale = from - at > STALE
      const isFresh = to - at <= STALE && at >= since.latest
      const freshnesses: ReadonlyArray<Freshness> = isFresh
        ? ["fresh"]
        : isStale
          ? ["stale"]
          : at < since.earliest
            ? ["early"]
            : ["fresh", "early"]
      const isOpen =
        isNew === "maybe" || left === "maybe" || isCounted === "maybe" || isPutAside(fix, upload) === "maybe"
      states = distinct(
        states.flatMap((before) => {
          if (at <= before.asOf) {
            note("old fix")
            return [before]
          }
          const after: Array<State> = isOpen ? [before] : []
          for (const circle of circles) {
            const sides = sidesOf(circle, fix)
            if (sides.boundary) after.push(before)
            if (sides.boundary && !sides.inside && !sides.outside) note("boundary fix")
            for (const side of ["inside", "outside"] as const) {
              if (sides[side])
                for (const freshness of freshnesses)
                  after.push(...see(rule, before, { at, side, freshness, from, to, upload, since }, observed, note))
            }
          }
          return after
        })
      )
      if (states.length > MOST) return states
    }
    return states
  }
}

const see = (
  rule: MadeRule,
  before: State,
  sight: Sight,
  observed: Observer,
  note: (note: Note) => void
): ReadonlyArray<State> => {
  const { at, freshness, side } = sight
  // If the trace shows a firing after the newest fix of this state, and this firing is not part of the state, the state
  // is impossible. The last firing of the state may be later than its newest fix, because a rule can also fire by
  // silence.
  const last = Math.max(before.asOf, before.firedAt)
  if (observed.between(before.asOf, last) || observed.between(last, at)) return []
  const { dwellMinutes, type } = rule.fields
  const isFresh = freshness === "fresh"
  const settle = Waiting.settleMillis(rule)
  if (settle > 0) return Waiting.see(rule, before, sight, observed, note)
  // A fix inside the circle, captured before the end of the dwell time, does not end the rule's wait for silence. A fix
  // inside the circle exactly at the end of the dwell time fires the rule itself.
  const endsWait = side === "outside" || at > (before.waits?.at ?? Infinity)
  if (endsWait && !Waiting.isSilent(before, observed)) return []
  const isCrossing = before.side !== null && before.side !== side
  const begins = side === "inside" && before.side !== "inside"
  const since = side === "outside" ? -1 : begins ? at : before.since
  const wasSpent = side === "inside" && !begins && before.isSpent
  const isWanted =
    type === "dwell"
      ? side === "inside" && !wasSpent && at - since >= (dwellMinutes ?? 0) * MINUTE
      : isCrossing && side === (type === "enter" ? "inside" : "outside")
  const after = {
    waits: null,
    side,
    since,
    asOf: at,
    isSpent: wasSpent || (isWanted && isFresh),
    firedAt: before.firedAt
  }
  const gap = at - before.firedAt
  const fires = isWanted && isFresh && gap >= COOLDOWN
  if (before.asOf === FIRST.asOf) note("first fix")
  if (isWanted && freshness === "stale") note("stale crossing")
  if (isWanted && freshness === "early") note("crossing of before the rule was made")
  if (begins && type === "dwell" && freshness === "stale") note("stale fix began a stay")
  if (isWanted && isFresh && !fires) note("cooldown drop")
  if (fires) note(gap === COOLDOWN ? "fired at the end of the cooldown" : type === "dwell" ? "dwell fired" : "fired")
  if (before.waits !== null && side === "outside") note("silence broken from outside")
  if (!fires) return observed.at(at) && at !== before.firedAt ? [] : Waiting.forSilence(rule, after, sight)
  return observed.at(at) || !observed.isShown(at) ? [{ ...after, firedAt: at }] : []
}
