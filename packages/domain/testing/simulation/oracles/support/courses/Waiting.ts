import type { Run } from "../../../Oracle.js"
import { COOLDOWN, LAST_WORD, MINUTE, SECOND, SETTLE_PROMPT, STALE } from "../../../Specification.js"
import type { Note, Sight, State } from "./CourseState.js"
import type { MadeRule } from "../Ground.js"
import { type CompletedCall, happened, mayBeDone } from "../trace/Happened.js"
import type { Observer } from "../trace/Observed.js"

/** How long a crossing of the rule waits for a contradiction, in milliseconds; 0 when crossings do not wait. */
export const settleMillis = ({ fields: { settleS = null, type } }: MadeRule): number =>
  type === "dwell" ? 0 : (settleS ?? 0) * SECOND

/**
 * The state of the rule after the end of its wait. Empty when this state is impossible: the rule had to fire at the end
 * of the wait, and the trace would certainly show this firing (`isShown`), but has none.
 */
const settled = (state: State, observed: Observer, until = Infinity): ReadonlyArray<State> => {
  const { waits } = state
  if (waits === null) return [state]
  if (!waits.fires) return [{ ...state, waits: null }]
  return observed.at(waits.at) || !observed.isShown(waits.at, until, waits.stay?.begin)
    ? [{ ...state, isSpent: state.isSpent || waits.stay !== null, firedAt: waits.at, waits: null }]
    : []
}

/**
 * Whether the rule should have fired before the end of the run and did not: the rule's wait ended more than
 * `SETTLE_PROMPT` ago, and the trace would certainly show the firing, but has none.
 */
export const isMissing = ({ waits }: State, now: number, observed: Observer): boolean =>
  waits?.fires === true &&
  now > waits.to + SETTLE_PROMPT &&
  observed.isShown(waits.at, 0, waits.stay?.begin) &&
  !observed.at(waits.at)

/**
 * Whether the rule should have fired before the upload and did not: the rule's wait was over before the upload began,
 * and the trace would certainly show the firing, but has none.
 */
export const isLost = (state: State, from: number, upload: CompletedCall<"upload">, observed: Observer): boolean =>
  state.waits !== null && from >= state.waits.to && settled(state, observed, upload.end).length === 0

/** Whether the trace has no firing for the crossing or stay for which the rule waits. */
export const isSilent = ({ waits }: State, observed: Observer): boolean =>
  waits === null || !waits.fires || !observed.at(waits.at)

/**
 * Decision rules-14: the removal of a phone drops a dwell that waits for silence, unless there is another phone that
 * may be carried and has sent something. The oracle does not examine the other phones, so it follows the state with and
 * without the dwell.
 */
export const removedPhones = (run: Run, { made, pair }: MadeRule, observer: Observer) =>
  happened(run)
    .of("removeDevice")
    .filter((operation) => mayBeDone(operation) && operation.args.userId === pair.userId && operation.end >= made.begin)
    .map(({ begin, end }) => ({
      begin,
      end,
      isCertain: false,
      upload: null,
      step: (state: State): ReadonlyArray<State> =>
        state.waits?.stay == null || !isSilent(state, observer) ? [state] : [state, { ...state, waits: null }]
    }))

/**
 * The two possible states of a rule that waits: still waiting, and after the end of its wait. Both are possible because
 * the trace does not show whether a worker has ended the wait.
 */
export const whether = (state: State, observed: Observer): ReadonlyArray<State> =>
  state.waits === null ? [state] : [state, ...settled(state, observed)]

/**
 * The states in which the rule may be when the upload arrives. If the rule's wait certainly ended before the upload,
 * the rule does not wait in any of these states.
 */
export const until = (
  run: Run,
  state: State,
  { from, upload }: { readonly from: number; readonly upload: CompletedCall<"upload"> },
  observed: Observer,
  note: (note: Note) => void
): ReadonlyArray<State> => {
  const { waits } = state
  if (waits === null) return [state]
  if (from >= waits.to) {
    if (waits.stay === null) note("crossing settled")
    if (waits.fires && observed.at(waits.at))
      note(waits.stay === null ? "crossing told by the clock" : "stay told by silence")
    return settled(state, observed, upload.end)
  }
  // A worker may have ended the wait as soon as the clock once showed `waits.from` or a later time, even if somebody
  // set the clock back afterwards.
  return latest(run, upload.end) < waits.from ? [state] : whether(state, observed)
}

const known = new WeakMap<object, ReadonlyArray<number>>()

/** The latest time that the clock showed in the entries up to the entry `entry`. */
const latest = (run: Run, entry: number): number => {
  let times = known.get(run)
  if (times === undefined) {
    let newest = -Infinity
    times = run.entries.map(({ t }) => (newest = Math.max(newest, t)))
    known.set(run, times)
  }
  return times[Math.min(entry, times.length - 1)] ?? -Infinity
}

/** Decision rules-13: the states to which a fix leads from the state `known`, for a rule with `settle_s`. */
export const see = (
  rule: MadeRule,
  known: State,
  { at, freshness, from, side, to, upload }: Sight,
  observed: Observer,
  note: (note: Note) => void
): ReadonlyArray<State> => {
  const settle = settleMillis(rule)
  const since = side === "outside" ? -1 : known.side === "inside" ? known.since : at
  if (known.waits !== null && at - known.waits.at <= settle) {
    if (observed.at(at)) return []
    if (side === known.side) return [{ ...known, asOf: at }]
    note("crossing contradicted")
    return isSilent(known, observed) ? [{ ...known, side, since, asOf: at, waits: null }] : []
  }
  return settled(known, observed, upload.end).flatMap((before): ReadonlyArray<State> => {
    if (known.waits !== null) note("crossing settled")
    const after = { ...before, side, since, asOf: at }
    if (before.side === null || before.side === side) return observed.at(at) ? [] : [after]
    const isWanted = side === (rule.fields.type === "enter" ? "inside" : "outside")
    const fires = isWanted && freshness === "fresh" && at - before.firedAt >= COOLDOWN
    if (fires) note("crossing waited")
    if (!fires && observed.at(at)) return []
    return [{ ...after, waits: { at, from: from + settle, to: to + settle, fires, stay: null } }]
  })
}

/**
 * Decision rules-14: after a fix inside the circle that fired nothing, a rule waits for the end of the stay's dwell
 * time and then for silence. Returns the state with and without the wait when the trace does not show whether the rule
 * waits.
 */
export const forSilence = (
  { fields: { activeUntil, dwellMinutes, silenceS = null, type } }: MadeRule,
  state: State,
  { at, from, since, to, upload }: Sight
): ReadonlyArray<State> => {
  if (type !== "dwell" || silenceS === null || state.side !== "inside" || state.isSpent) return [state]
  const due = state.since + (dwellMinutes ?? 0) * MINUTE
  const isOutOfReach = due <= at || due - at > LAST_WORD || due - state.firedAt < COOLDOWN
  if (isOutOfReach || from - at > STALE || at < since.earliest || due >= (activeUntil ?? Infinity)) return [state]
  const { beganAt, begin } = upload
  const millis = silenceS * SECOND
  const ends = { from: Math.max(due, from) + millis, to: Math.max(due, to) + millis }
  const waiting = { ...state, waits: { at: due, ...ends, fires: true, stay: { begin, beganAt } } }
  return to - at <= STALE && at >= since.latest ? [waiting] : [state, waiting]
}
