import type { Circle } from "../../Operations.js"
import { type Ground, hasScope, isSameCircle, type MadeRule } from "./Ground.js"
import type { Register } from "./Register.js"

/** A moment that the trace knows to lie between two. */
export interface Between {
  readonly earliest: number
  readonly latest: number
}

/**
 * Since when what is captured may fire a rule, for an upload between two entries (decision M5): since the rule was made, and since
 * its place lies where it lies, is shared, and the rule's scope is there. Whatever of these came last.
 */
export const begun = ({ allowed, declared, places }: Ground, rule: MadeRule, begin: number, end: number): Between => {
  const { kind, made, pair, placeId } = rule
  const scope = `location.rules.${kind}`
  const isBack = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) =>
    !hasScope(before, scope) && hasScope(after, scope)
  const scopes = [pair.scopes, declared.get(pair.appId), allowed.get(pair.appId)]
  const all = [clockOf(made), ...scopes.map((register) => last(register, isBack, begin, end))]
  if (placeId !== null) {
    const isMoved = (before: Circle, after: Circle) => !isSameCircle(before, after)
    all.push(last(places.get(placeId)?.circles, isMoved, begin, end))
    all.push(last(pair.shares, (before, after) => !before.has(placeId) && after.has(placeId), begin, end))
  }
  return {
    earliest: Math.max(...all.map(({ earliest }) => earliest)),
    latest: Math.max(...all.map(({ latest }) => latest))
  }
}

const NEVER: Between = { earliest: -Infinity, latest: -Infinity }

/** When a register last became what it was not before; `isNew` says whether a value is news after another one. */
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

/** The clock may be set back meanwhile. */
const clockOf = ({ beganAt, endedAt }: { readonly beganAt: number; readonly endedAt: number }): Between => ({
  earliest: Math.min(beganAt, endedAt),
  latest: Math.max(beganAt, endedAt)
})
