import type { Circle } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import type { AnsweredCall } from "./Answers.js"
import { metresToCentre, sidesOf } from "./distance.js"
import { archived, ground, sharing } from "./Ground.js"
import { isLeftBehind } from "./LeftBehind.js"
import { isKnown, phonesOf, type Seen } from "./Phones.js"
import type { Request } from "../../Operations.js"
import { SECOND } from "./Spec.js"

/**
 * Every answer that a question about now may have had (Spec §4.5, decision L9), over all that phones may have sent. The newest fix that
 * is decisive answers; where the trace leaves open whether a fix was there, what it would say and what the next would say are both possible.
 */

/** A state, the moment it is of, and the place: joined, such as `yes 1767225600000`. */
type Answer = string

/** What one fix says: the answers that are possible by it, and whether the next fix may be asked instead. */
interface Says {
  readonly states: ReadonlyArray<string>
  readonly isSilent: boolean
}

type Asked = Pick<AnsweredCall<Request>, "did" | "pair">

export const answerOf = (state: unknown, asOf: number | undefined, placeId?: string): Answer =>
  [state, asOf ?? null, ...(placeId === undefined ? [] : [placeId])].join(" ")

/** Of one circle. */
export const presences = (run: Run, asked: Asked, circles: ReadonlyArray<Circle>, maxAgeS: number) =>
  new Set(
    circles.flatMap((circle) => [
      ...possible(run, asked, maxAgeS, (fix) => {
        const { boundary, inside, outside } = sidesOf(circle, fix)
        return { states: [...(inside ? ["yes"] : []), ...(outside ? ["no"] : [])], isSilent: boundary }
      })
    ])
  )

/** Of all places that the app may know of. */
export const whereabouts = (run: Run, asked: Asked, maxAgeS: number): ReadonlySet<Answer> => {
  const { begin, end } = asked.did
  const mine = [...ground(run).places.values()]
    .filter(({ userId }) => userId === asked.pair.userId)
    .map((place): Around => {
      const shared = sharing(asked.pair, place.placeId, begin, end)
      const gone = archived(place, begin, end)
      const isVisible = shared === "no" || gone === "yes" ? "no" : shared === "yes" && gone === "no" ? "yes" : "maybe"
      return { placeId: place.placeId, isVisible, circles: place.circles.possible(begin, end) }
    })
    .filter(({ isVisible }) => isVisible !== "no")
  return possible(run, asked, maxAgeS, (fix) => whereIs(mine, fix))
}

interface Around {
  readonly placeId: string
  readonly isVisible: "yes" | "maybe" | "no"
  readonly circles: ReadonlyArray<Circle>
}

const whereIs = (places: ReadonlyArray<Around>, fix: Seen): Says => {
  const sides = places.map((place) => {
    const all = place.circles.map((circle) => sidesOf(circle, fix))
    const isSure = place.isVisible === "yes" && all.length > 0
    return {
      place,
      mayBeIn: all.some(({ inside }) => inside),
      mayBeOpen: all.some(({ boundary }) => boundary),
      isIn: isSure && all.every(({ boundary, inside, outside }) => inside && !boundary && !outside),
      mustNotBeOut: isSure && all.every(({ outside }) => !outside)
    }
  })
  const surely = sides.filter(({ isIn }) => isIn)
  const at = sides
    .filter(
      ({ mayBeIn, place }) =>
        mayBeIn && !surely.some((other) => other.place !== place && isBetter(other.place, place, fix))
    )
    .map(({ place }) => `at_place:${place.placeId}`)
  const isElsewhere = !sides.some(({ mustNotBeOut }) => mustNotBeOut)
  return {
    states: [...at, ...(isElsewhere ? ["elsewhere"] : [])],
    isSilent: surely.length === 0 && sides.some(({ mayBeOpen }) => mayBeOpen)
  }
}

/** The smaller circle, then the nearer centre, whichever circles the two have. */
const isBetter = (one: Around, other: Around, fix: Seen): boolean =>
  one.circles.every((a) =>
    other.circles.every((b) =>
      a.radiusM === b.radiusM ? metresToCentre(a, fix) < metresToCentre(b, fix) - 0.5 : a.radiusM < b.radiusM
    )
  )

const possible = (run: Run, { did, pair }: Asked, maxAgeS: number, says: (fix: Seen) => Says): ReadonlySet<Answer> => {
  const { later, seen } = phonesOf(run, pair.userId)
  const [first, last] = [Math.min(did.beganAt, did.endedAt), Math.max(did.beganAt, did.endedAt)]
  const found = new Set<Answer>()
  for (const fix of newestFirst(later.length === 0 ? seen : [...seen, ...later])) {
    const isThere = fix.uploads.some(({ begin }) => begin < did.end)
    const age = { least: first - fix.capturedAt, most: last - fix.capturedAt }
    const left = isLeftBehind(run, pair.userId, fix)
    if (!isThere || age.least > maxAgeS * SECOND || left === "yes") continue
    const { isSilent, states } = says(fix)
    for (const state of states) {
      const [name, placeId] = state.split(":")
      found.add(answerOf(name, fix.capturedAt, placeId))
    }
    // Two readings of one phone, time and place that differ in accuracy are one fix, and nobody knows which was first.
    const isOne = seen.filter(({ key }) => key === fix.key).length === 1
    const isSure = left === "no" && isOne && isKnown(fix, did.begin) && age.most <= maxAgeS * SECOND
    if (isSure && !isSilent) return found
  }
  return found.add(answerOf("unknown", undefined))
}

const ordered = new WeakMap<ReadonlyArray<Seen>, ReadonlyArray<Seen>>()

const newestFirst = (seen: ReadonlyArray<Seen>): ReadonlyArray<Seen> => {
  const found = ordered.get(seen)
  if (found !== undefined) return found
  const made = [...seen].sort(
    (a, b) => b.capturedAt - a.capturedAt || worthOf(a) - worthOf(b) || a.lat - b.lat || a.lon - b.lon
  )
  ordered.set(seen, made)
  return made
}

/** Of one instant the more accurate fix comes first; an accuracy that is missing or no number is the worst. */
export const worthOf = ({ accuracyM }: Pick<Seen, "accuracyM">): number =>
  accuracyM !== null && Number.isFinite(accuracyM) && accuracyM > 0 ? accuracyM : Number.MAX_VALUE
