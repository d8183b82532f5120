import { geodesicM, type Point } from "./geodesic.js"
import { ReferenceCarried } from "./referenceCarried.js"

/**
 * A second implementation of Spec §4.6, simple and slow, written only from the text and decisions L3 to L8. It works on
 * whole lists, without a state machine and without code of the product. If the product gives the same result as this
 * implementation, the result is probably right.
 */

/** A fix of a phone. Times are in milliseconds, the accuracy in metres. An accuracy of null, 0 or less is unknown. */
export interface ReferenceFix extends Point {
  readonly capturedAt: number
  /**
   * The time at which the upload with this fix arrived. Consecutive fixes with the same time of receipt are one upload.
   */
  readonly receivedAt: number
  readonly accuracy: number | null
}

export interface ReferenceCircle extends Point {
  readonly radiusM: number
}

export interface ReferenceRule {
  readonly type: "enter" | "exit" | "dwell"
  readonly dwellMinutes?: number | null
  /**
   * How long, in seconds, the rule waits after a crossing before the rule fires. During this time a reading can
   * contradict the crossing (decision rules-13).
   */
  readonly settleS?: number | null
  /** The beginning of the rule's window, inclusive. */
  readonly activeFrom?: number | null
  /** The end of the rule's window, exclusive. */
  readonly activeUntil?: number | null
}

/**
 * The events of a user's phones, place and connection, in the order of their times (`at`). Two events may have the same
 * time.
 */
export type Happening =
  | { readonly _tag: "Upload"; readonly device: number; readonly fixes: ReadonlyArray<ReferenceFix> }
  | { readonly _tag: "Created"; readonly rule: number; readonly at: number }
  | { readonly _tag: "Removed"; readonly rule: number; readonly at: number }
  /** The user moved the place. */
  | { readonly _tag: "Moved"; readonly circle: ReferenceCircle; readonly at: number }
  /** The user stops sharing the place, or the app loses the scope for place rules or the scope for zone rules. */
  | { readonly _tag: "Withdrawn"; readonly what: Ground; readonly at: number }
  | { readonly _tag: "GivenBack"; readonly what: Ground; readonly at: number }

/**
 * What a rule needs besides fixes: a place rule needs its place and the scope for place rules, a zone rule the scope
 * for zone rules.
 */
export type Ground = "place" | "place scope" | "zone scope"

export interface Life {
  /** The first circle of the place. It is also the circle of all zone rules, and zones never move. */
  readonly circle: ReferenceCircle
  readonly rules: ReadonlyArray<ReferenceRule & { readonly about: "place" | "zone" }>
  readonly happenings: ReadonlyArray<Happening>
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** The result of a rule at the end of a random scenario. */
export interface Outcome {
  /** The capture times of the firings, oldest first. */
  readonly firings: ReadonlyArray<number>
  /**
   * The capture time of the newest decisive fix that the rule evaluated, and the side of the circle on which this fix
   * was. Both are null if there was no such fix since the place moved, or since the rule lacked something that it needs
   * (`Ground`).
   */
  readonly seenAt: number | null
  readonly side: "inside" | "outside" | null
}

/**
 * The result of each rule of a scenario. With `takesLate`, a fix from the future is accepted when its time has come.
 * The stores also accept this fix. The plain functions of the product, which `replay.ts` calls, do not.
 */
export const outcomeOf = (life: Life, { takesLate = false } = {}): ReadonlyArray<Outcome> => {
  const fresh = freshFixes(life, takesLate)
  return life.rules.map((rule, index) => {
    const { era, seen } = sightingsOf(life, index, fresh)
    const last = seen.at(-1)
    return {
      firings: firings(seen, rule),
      seenAt: last?.at ?? null,
      side: last === undefined || last.era !== era ? null : last.isInside ? "inside" : "outside"
    }
  })
}

/** The firings of one rule that exists from the beginning, for one phone. The fixes are in the order of arrival. */
export const referenceFirings = (
  fixes: ReadonlyArray<ReferenceFix>,
  circle: ReferenceCircle,
  rule: ReferenceRule
): ReadonlyArray<number> => {
  const uploads: Array<Array<ReferenceFix>> = []
  for (const fix of fixes) {
    const upload = uploads.at(-1)
    if (upload !== undefined && upload[0]?.receivedAt === fix.receivedAt) upload.push(fix)
    else uploads.push([fix])
  }
  const happenings: Array<Happening> = [{ _tag: "Created", rule: 0, at: 0 }]
  for (const upload of uploads) happenings.push({ _tag: "Upload", device: 0, fixes: upload })
  return outcomeOf({ circle, rules: [{ ...rule, about: "zone" }], happenings })[0]?.firings ?? []
}

interface Sighting {
  readonly at: number
  readonly receivedAt: number
  /**
   * The time at which the rule was deleted, lost its place or scope, or forgot its state because its place moved. The
   * rule does not fire for a crossing whose wait (`settle_s`) ends after this time.
   */
  readonly lostAt: { at: number }
  readonly isInside: boolean
  /**
   * Whether the rule may fire for the sighting: the fix arrived at most 15 minutes after its capture (rule 4 of Spec
   * §4.6), and was captured after the rule had been made and had got its place and scope (decision M5).
   */
  readonly mayTell: boolean
  /**
   * The era of the sighting, a number. A new era begins when the place moves, or when the rule gets back something that
   * it needs (`Ground`). A rule never compares sightings of two eras (L8).
   */
  readonly era: number
}

/**
 * The fixes that rules evaluate at each upload, in the order of evaluation. They are the same for every rule. A fix is
 * evaluated if it is new, possible, and from a phone that its user carries. With `takesLate`, earlier fixes that are
 * possible only now are also evaluated.
 */
const freshFixes = (life: Life, takesLate: boolean): ReadonlyMap<Happening, ReadonlyArray<ReferenceFix>> => {
  const known = new Set<string>()
  const waiting = new Waiting()
  const carried = new ReferenceCarried()
  const ofUpload = new Map<Happening, ReadonlyArray<ReferenceFix>>()
  for (const happening of life.happenings) {
    if (happening._tag !== "Upload") continue
    const { device, fixes } = happening
    const own = fixes.filter((fix) => !isImpossible(fix) && !known.has(nameOf(device, fix)))
    const late = takesLate ? waiting.due(device, own) : []
    if (takesLate) waiting.add(device, fixes.filter(isAhead))
    const names = new Set<string>()
    const fresh = inOrderOfEvaluation([...own, ...late]).filter((fix) => {
      const name = nameOf(device, fix)
      known.add(name)
      return names.size !== names.add(name).size && !carried.isLeftBehind(device, fix)
    })
    ofUpload.set(happening, fresh)
  }
  return ofUpload
}

/** The sightings of one rule: decisive fixes since its creation, while the rule has what it needs (`Ground`). */
const sightingsOf = (
  life: Life,
  index: number,
  fresh: ReadonlyMap<Happening, ReadonlyArray<ReferenceFix>>
): { readonly seen: ReadonlyArray<Sighting>; readonly era: number } => {
  const rule = life.rules[index]
  if (rule === undefined) return { seen: [], era: 0 }
  const needs: ReadonlyArray<Ground> = rule.about === "place" ? ["place", "place scope"] : ["zone scope"]
  const missing = new Set<Ground>()
  const seen: Array<Sighting> = []
  let newest = -Infinity
  let circle = life.circle
  let era = 0
  let lost = { at: Infinity }
  let isThere = false
  // The time at which the rule was created, or at which it last forgot its state.
  let from = -Infinity
  for (const happening of life.happenings) {
    const erasBefore = era
    const lose = (at: number): void => {
      lost.at = Math.min(lost.at, at)
      lost = { at: Infinity }
    }
    if (happening._tag === "Created" && happening.rule === index) {
      isThere = true
      from = happening.at
    }
    if (happening._tag === "Removed" && happening.rule === index) {
      isThere = false
      lose(happening.at)
    }
    if (happening._tag === "Moved" && rule.about === "place" && !isSame(circle, happening.circle)) {
      circle = happening.circle
      era++
    }
    if (happening._tag === "Withdrawn" && needs.includes(happening.what)) {
      missing.add(happening.what)
      lose(happening.at)
    }
    if (happening._tag === "GivenBack" && missing.delete(happening.what)) era++
    if (happening._tag !== "Upload" && era !== erasBefore) {
      from = happening.at
      lose(happening.at)
    }
    if (happening._tag !== "Upload" || !isThere || missing.size > 0) continue
    for (const fix of fresh.get(happening) ?? []) {
      // A rule ignores a fix if it has already seen a fix that is equally new or newer.
      if (fix.capturedAt <= newest) continue
      const looked = lookAt(fix, circle, rule, era, from)
      if (looked === undefined) continue
      const sighting = { ...looked, lostAt: lost }
      seen.push(sighting)
      newest = sighting.at
    }
  }
  return { seen, era }
}

const isSame = (one: ReferenceCircle, other: ReferenceCircle): boolean =>
  one.lat === other.lat && one.lon === other.lon && one.radiusM === other.radiusM

/** Sorts fixes by capture time. Of fixes with the same time, the most accurate one comes first (L4). */
export const inOrderOfEvaluation = <A extends Omit<ReferenceFix, "receivedAt">>(
  upload: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const worth = (fix: A): number => knownAccuracy(fix) ?? Number.POSITIVE_INFINITY
  const better = (a: A, b: A): boolean =>
    a.capturedAt !== b.capturedAt
      ? a.capturedAt < b.capturedAt
      : worth(a) !== worth(b)
        ? worth(a) < worth(b)
        : a.lat !== b.lat
          ? a.lat < b.lat
          : a.lon < b.lon
  return [...upload].sort((a, b) => (better(a, b) ? -1 : better(b, a) ? 1 : 0))
}

const knownAccuracy = ({ accuracy }: Pick<ReferenceFix, "accuracy">): number | null =>
  accuracy !== null && Number.isFinite(accuracy) && accuracy > 0 ? accuracy : null

/** Whether a fix is refused (L3): from the future, from before 2010, or at 0°, 0°. */
const isImpossible = (fix: ReferenceFix): boolean => isAhead(fix) || isFromNowhere(fix)

const isFromNowhere = ({ capturedAt, lat, lon }: ReferenceFix): boolean =>
  capturedAt < Date.UTC(2010) || (lat === 0 && lon === 0)

const isAhead = ({ capturedAt, receivedAt }: ReferenceFix): boolean => capturedAt - receivedAt > 5 * MINUTE

/**
 * The fixes of each phone that were quarantined because they were from the future. A later upload accepts a fix of this
 * kind on three conditions (decision fixes-4). The upload brings something new that was captured at the fix's time or
 * later. The phone captured nothing between the arrival of the fix and the time of the fix; the same must hold for each
 * fix from the future that arrived at the same time or later. The fix was at most a day ahead, and arrived at most two
 * days ago. Fixes of one upload, or of uploads in the same millisecond (L4), do not contradict each other: if the
 * server's clock is behind, one upload may have fixes that seem 4 and 40 minutes ahead.
 */
class Waiting {
  readonly #ofDevice = new Map<number, Array<ReferenceFix>>()
  readonly #lastAt = new Map<number, number>()
  /**
   * Fixes from the future that are never accepted. A later upload had a fix that was captured after their arrival and
   * before their own capture time, so the clock of the phone was ahead.
   */
  readonly #contradicted = new Set<ReferenceFix>()

  add(device: number, ahead: ReadonlyArray<ReferenceFix>): void {
    const there = this.#ofDevice.get(device) ?? []
    this.#ofDevice.set(device, there)
    for (const fix of ahead) {
      this.#lastAt.set(device, fix.receivedAt)
      if (!isFromNowhere(fix) && !there.some((other) => isSameFix(other, fix))) there.push(fix)
    }
  }

  /** The quarantined fixes that the upload `own` makes acceptable. They count as if they had arrived with `own`. */
  due(device: number, own: ReadonlyArray<ReferenceFix>): ReadonlyArray<ReferenceFix> {
    const there = this.#ofDevice.get(device) ?? []
    const isBetween = (fix: ReferenceFix) =>
      own.some(
        ({ capturedAt, receivedAt }) =>
          receivedAt > fix.receivedAt && capturedAt > fix.receivedAt && capturedAt < fix.capturedAt
      )
    for (const fix of there) if (isBetween(fix)) this.#contradicted.add(fix)
    const now = own[0]?.receivedAt
    const lastAt = this.#lastAt.get(device)
    if (now === undefined || lastAt === undefined || now - lastAt > 2 * DAY) return []
    const newest = Math.max(...own.map(({ capturedAt }) => capturedAt))
    const wrongUntil = Math.max(...Array.from(this.#contradicted, (fix) => (there.includes(fix) ? fix.receivedAt : 0)))
    const taken = there.filter(
      (fix) =>
        now - fix.receivedAt <= 2 * DAY &&
        fix.capturedAt <= newest &&
        fix.capturedAt - fix.receivedAt <= DAY &&
        fix.receivedAt > wrongUntil
    )
    this.#ofDevice.set(
      device,
      there.filter((fix) => !taken.includes(fix))
    )
    return taken.map((fix) => ({ ...fix, receivedAt: now }))
  }
}

const isSameFix = (one: ReferenceFix, other: ReferenceFix): boolean =>
  one.capturedAt === other.capturedAt &&
  one.lat === other.lat &&
  one.lon === other.lon &&
  Object.is(one.accuracy, other.accuracy)

/** L4: fixes of one phone with the same time and position are one fix, even if they differ in accuracy. */
const nameOf = (device: number, { capturedAt, lat, lon }: ReferenceFix): string =>
  `${device} ${capturedAt} ${Math.round(lat * 1e7)} ${Math.round(lon * 1e7)}`

/**
 * The sighting, inside or outside, that a fix gives. Undefined if the fix was captured outside the window of `rule`
 * (Spec §4.6.5), arrived more than a day after the window's end, or is too near the circle's boundary (Spec §4.6.2).
 */
const lookAt = (
  fix: ReferenceFix,
  circle: ReferenceCircle,
  rule: ReferenceRule,
  era: number,
  from: number
): Omit<Sighting, "lostAt"> | undefined => {
  if (rule.activeFrom != null && fix.capturedAt < rule.activeFrom) return undefined
  if (rule.activeUntil != null && fix.capturedAt >= rule.activeUntil) return undefined
  if (rule.activeUntil != null && fix.receivedAt > rule.activeUntil + DAY) return undefined
  const metres = metresFrom(circle, fix)
  if (Math.abs(metres - circle.radiusM) <= Math.max(50, knownAccuracy(fix) ?? 0)) return undefined
  const mayTell = fix.receivedAt - fix.capturedAt <= 15 * MINUTE && fix.capturedAt >= from
  return { at: fix.capturedAt, receivedAt: fix.receivedAt, isInside: metres < circle.radiusM, mayTell, era }
}

/**
 * The distance from the circle's centre, in metres. Distances are cached, because a scenario has only about twenty
 * positions.
 */
const metresFrom = (circle: ReferenceCircle, { lat, lon }: Point): number => {
  const ofCircle = measured.get(circle) ?? new Map<number, Map<number, number>>()
  const ofLatitude = ofCircle.get(lat) ?? new Map<number, number>()
  const metres = ofLatitude.get(lon) ?? geodesicM(circle, { lat, lon })
  measured.set(circle, ofCircle.set(lat, ofLatitude.set(lon, metres)))
  return metres
}
const measured = new WeakMap<ReferenceCircle, Map<number, Map<number, number>>>()

/**
 * The firings of the rule, from its crossings or dwells. Leaves out firings from fixes that arrived too late (Spec
 * §4.6.4), and firings less than two minutes after the firing before (Spec §4.6.3).
 */
const firings = (sightings: ReadonlyArray<Sighting>, rule: ReferenceRule): ReadonlyArray<number> => {
  const settle = (rule.settleS ?? 0) * SECOND
  if (rule.type !== "dwell" && settle > 0) return settledFirings(sightings, rule.type, settle)
  const moments =
    rule.type === "dwell" ? dwells(sightings, (rule.dwellMinutes ?? 0) * MINUTE) : crossings(sightings, rule.type)
  const fired: Array<number> = []
  for (const { at, mayTell } of moments) {
    const last = fired.at(-1)
    const coolsDown = last !== undefined && at < last + 2 * MINUTE
    if (mayTell && !coolsDown) fired.push(at)
  }
  return fired
}

/**
 * The firings of a rule with `settle_s` (decision rules-13). A sighting on the previous side undoes a crossing if this
 * sighting was captured at most `settle` after the crossing, and arrived less than `settle` after the crossing arrived.
 * Then neither sighting counts as a crossing. For a crossing that is not undone, the rule fires `settle` after the
 * crossing arrived, or with the first sighting that was captured more than `settle` after the crossing.
 */
const settledFirings = (
  sightings: ReadonlyArray<Sighting>,
  type: "enter" | "exit",
  settle: number
): ReadonlyArray<number> => {
  const fired: Array<number> = []
  for (let index = 1; index < sightings.length; index++) {
    const [before, crossing] = [sightings[index - 1], sightings[index]]
    if (before === undefined || crossing === undefined) break
    if (before.era !== crossing.era || before.isInside === crossing.isInside) continue
    const last = fired.at(-1)
    const isTold =
      crossing.isInside === (type === "enter") &&
      crossing.mayTell &&
      (last === undefined || crossing.at >= last + 2 * MINUTE)
    const dueAt = crossing.receivedAt + settle
    const after = sightings.slice(index + 1).filter(({ era }) => era === crossing.era)
    const next = after.findIndex(
      ({ at, isInside, receivedAt }) =>
        isInside !== crossing.isInside || at - crossing.at > settle || receivedAt >= dueAt
    )
    const found = after[next]
    const isUndone =
      found !== undefined &&
      found.isInside !== crossing.isInside &&
      found.at - crossing.at <= settle &&
      found.receivedAt < dueAt
    // A sighting that undid a crossing does not count as a crossing, so the search continues after this sighting.
    if (isUndone) index += next + 1
    else if (isTold && (found !== undefined || dueAt <= crossing.lostAt.at)) fired.push(crossing.at)
  }
  return fired
}

/** Spec §4.6.1: the first sighting of an era (`Sighting.era`) has no predecessor, so it is never a crossing. */
const crossings = (sightings: ReadonlyArray<Sighting>, type: "enter" | "exit"): ReadonlyArray<Sighting> =>
  sightings.filter((now, index) => {
    const before = sightings[index - 1]
    return before?.era === now.era && before.isInside !== now.isInside && now.isInside === (type === "enter")
  })

/**
 * The sightings at which a dwell rule fires: at most one for each unbroken stay. It is the first sighting for which the
 * rule may fire (`mayTell`) and which is at least `length` after the beginning of the stay (L7).
 */
const dwells = (sightings: ReadonlyArray<Sighting>, length: number): ReadonlyArray<Sighting> => {
  const stays: Array<Array<Sighting>> = [[]]
  for (const sighting of sightings) {
    if (stays.at(-1)?.at(-1)?.era !== sighting.era) stays.push([])
    if (sighting.isInside) stays.at(-1)?.push(sighting)
    else stays.push([])
  }
  return stays.flatMap((stay) => {
    const start = stay[0]?.at ?? 0
    const moment = stay.find((sighting) => sighting.mayTell && sighting.at - start >= length)
    return moment === undefined ? [] : [moment]
  })
}
