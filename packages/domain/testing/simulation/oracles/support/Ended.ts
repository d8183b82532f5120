import type { Run } from "../../Oracle.js"
import { archived, effective, type Ground, type MadeRule, type Pair, sharing } from "./Ground.js"
import { type CompletedCall, is, isBefore, isDone } from "./trace/Happened.js"
import { index } from "./trace/Ops.js"
import { DAY } from "../../Specification.js"

/**
 * Whether a connection or a rule had ended: an operation ended it, its end date had passed, or something that the rule
 * needs had ended.
 */

/**
 * Whether the connection `connectionId`, which was live at the end of the operation `since`, had certainly ended later:
 * an operation had ended the connection before the entry `begin`, or the end date of its standard tier was not later
 * than `now`.
 */
export const isOver = (
  pair: Pair,
  connectionId: string,
  since: { readonly end: number },
  begin: number,
  now: number
): boolean => {
  const ends = pair.ends.filter(
    (operation) => isDone(operation) && operation.begin > since.end && operation.end < begin
  )
  // The ends of a user and an app may also concern their earlier connections. A disconnect that names another
  // connection does not end the connection `connectionId`.
  if (ends.some((operation) => !is(operation, "disconnect") || operation.args.connectionId === connectionId))
    return true
  if (
    pair.consents.some(
      (operation) => operation.begin > since.end && operation.end < begin && hasFollowed(operation, connectionId)
    )
  )
    return true
  const dates = standardEnds(pair, begin)
  return dates.length > 0 && dates.every((at) => at <= now)
}

/**
 * Whether an operation, or the end date of the standard tier, may have ended a rule's connection by the entry `end`. A
 * date that the clock once passed counts, even if the clock was set back afterwards.
 */
export const mayBeOver = (run: Run, { connectionId, made, pair }: MadeRule, end: number): boolean =>
  pair.ends.some((operation) => operation.end > made.begin && operation.begin <= end) ||
  pair.consents.some(
    (operation) => operation.end > made.begin && operation.begin <= end && hasFollowed(operation, connectionId)
  ) ||
  standardEnds(pair, end).some((at) => at <= index(run).latest(end))

/**
 * Whether the consent made another connection than `connectionId`. A user has at most one connection with an app at a
 * time, so `connectionId` had ended by then.
 */
const hasFollowed = ({ outcome }: CompletedCall<"consent">, connectionId: string): boolean =>
  outcome?._tag === "ok" && outcome.value.mode === "new" && outcome.value.connectionId !== connectionId

/**
 * The end dates that the standard tier may have, in milliseconds since 1970. The service counts the days from a time
 * between the beginning and the end of the operation that chose the number of days. So each such operation gives two
 * dates: the earliest and the latest end.
 */
export const standardEnds = ({ dated }: Pair, begin: number): ReadonlyArray<number> => {
  const before = dated.filter(({ did }) => did.begin <= begin)
  const settled = before.filter(({ did }) => isDone(did) && did.end < begin)
  const last = settled.at(-1)
  const open = before.filter((one) => !settled.includes(one) && (last === undefined || !isBefore(one.did, last.did)))
  return [...(last === undefined ? [] : [last]), ...open].flatMap(({ days, did: { beganAt, endedAt } }) =>
    days === null ? [Infinity] : [beganAt + days * DAY, endedAt + days * DAY]
  )
}

/**
 * Whether the rule was stopped, or lacked its place or scope, throughout the upload (Spec §3.3, §4.6.10; decision L8).
 */
export const isStopped = (
  ground: Ground,
  rule: MadeRule,
  { beganAt, begin, end }: { readonly begin: number; readonly end: number; readonly beganAt: number }
): boolean => {
  const { connectionId, kind, made: operation, pair, placeId, removals } = rule
  if (removals.some((removal) => isDone(removal) && removal.end < begin)) return true
  if (isOver(pair, connectionId, operation, begin, beganAt)) return true
  if (effective(ground, pair, `location.rules.${kind}`, begin, end) === "no") return true
  if (placeId === null) return false
  const place = ground.places.get(placeId)
  return sharing(pair, placeId, begin, end) === "no" || (place !== undefined && archived(place, begin, end) === "yes")
}
