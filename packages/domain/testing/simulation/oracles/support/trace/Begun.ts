import type { Circle } from "../../../Operations.js"
import { type Ground, isSameCircle, type MadeRule } from "../Ground.js"
import { hasScope } from "../Scopes.js"
import { type Between, clockOf, type Moment } from "./Moment.js"
import type { Register } from "./Register.js"

/**
 * The time from which on a fix of `upload` may fire the rule (decision M5): a fix that was captured earlier fires
 * nothing. The time is the latest of the times of five events: the rule was made, the rule's place got its present
 * circle, the place was shared, the rule's scope began to work, and the last pause ended (decision connection-5).
 */
export const begun = (
  { allowed, declared, happened, pauses, places }: Ground,
  rule: MadeRule,
  upload: Moment
): Between => {
  const { begin, end } = upload
  const { kind, made, pair, placeId } = rule
  const scope = `location.rules.${kind}`
  const isBack = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) =>
    !hasScope(before, scope) && hasScope(after, scope)
  const scopes = [pair.scopes, declared.get(pair.appId), allowed.get(pair.appId)]
  const all = [
    clockOf(made),
    pauses.lastEnd(rule.connectionId, upload),
    ...scopes.map((register) => last(register, isBack, begin, end))
  ]
  if (placeId !== null) {
    const isMoved = (before: Circle, after: Circle) => !isSameCircle(before, after)
    all.push(last(places.get(placeId)?.circles, isMoved, begin, end))
    all.push(last(pair.shares, (before, after) => !before.has(placeId) && after.has(placeId), begin, end))
    // A rule is always made after its place was shared. But if the clock was set back between these two operations, the
    // sharing has a later time than the rule. So the time of the sharing may be the latest of the times from which on
    // the rule may fire, but need not be.
    if (happened.faults.some(({ fault }) => fault === "clock.jump"))
      for (const write of pair.shares.writes)
        if (write.begin <= end && write.value.has(placeId)) all.push({ ...clockOf(write), earliest: -Infinity })
  }
  return {
    earliest: Math.max(...all.map(({ earliest }) => earliest)),
    latest: Math.max(...all.map(({ latest }) => latest))
  }
}

const NEVER: Between = { earliest: -Infinity, latest: -Infinity }

/**
 * The earliest and the latest possible time of the last change of the register's value before the entry `end`. `isNew`
 * decides whether a step from one value to the next counts as a change.
 */
const last = <V>(
  register: Register<V> | undefined,
  isNew: (before: V, after: V) => boolean,
  begin: number,
  end: number
): Between => {
  let found = NEVER
  for (const write of register?.writes ?? []) {
    if (register === undefined || write.begin > end) break
    if (!register.possible(write.begin, write.end).some((one) => isNew(one, write.value))) continue
    const before = register.possible(write.begin, write.begin - 1)
    const isAlone = register.writes.every(
      (other) => other === write || other.end < write.begin || other.begin > write.end
    )
    const isSure = write.isCertain && isAlone && before.length > 0 && before.every((one) => isNew(one, write.value))
    const at = clockOf(write)
    found =
      isSure && write.end < begin
        ? at
        : { earliest: Math.min(found.earliest, at.earliest), latest: Math.max(found.latest, at.latest) }
  }
  return found
}
