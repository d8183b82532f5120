import type { Circle } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import type { AnsweredCall } from "../Answers.js"
import { metresToCentre, sidesOf } from "./distance.js"
import { archived, ground, sharing } from "../Ground.js"
import { isLeftBehind } from "./LeftBehind.js"
import { isKnown, mayBeStored, phonesOf, type SeenReading } from "./Phones.js"
import type { Request } from "../../../Operations.js"
import { SECOND } from "../../../Specification.js"

/**
 * Every answer that is possible for a question about the present (Spec §4.5, decision L9). The oracle computes the
 * answers from all readings that the phones may have sent. The newest decisive fix decides the answer. If the trace
 * does not show whether a fix was stored, the answer of the next older fix is also possible.
 */

/**
 * The state, its place if the state names a place, and the time of the deciding fix, in one text: `yes 1767225600000`.
 */
type Answer = string

/** The answers that one fix allows. `isSilent`: perhaps the fix is not decisive, so the next older fix may decide. */
interface FixAnswers {
  readonly states: ReadonlyArray<string>
  readonly isSilent: boolean
}

type PresenceQuestion = Pick<AnsweredCall<Request>, "did" | "pair">

export const answerOf = (state: unknown, asOf: number | undefined, placeId?: string): Answer =>
  [state, asOf ?? null, ...(placeId === undefined ? [] : [placeId])].join(" ")

/**
 * The possible answers to "is this person here?" about a place or zone that had one of the given circles. A fix whose
 * accuracy is worse than `worstM` metres decides nothing.
 */
export const presences = (
  run: Run,
  question: PresenceQuestion,
  circles: ReadonlyArray<Circle>,
  maxAgeS: number,
  worstM = Infinity
) =>
  new Set(
    circles.flatMap((circle) => [
      ...possible(run, question, maxAgeS, (fix) => {
        if (fix.accuracyM !== null && fix.accuracyM > worstM) return { states: [], isSilent: true }
        const { boundary, inside, outside } = sidesOf(circle, fix)
        return { states: [...(inside ? ["yes"] : []), ...(outside ? ["no"] : [])], isSilent: boundary }
      })
    ])
  )

/** The possible answers to "where is this person?" among all places that the app may see. */
export const whereabouts = (run: Run, question: PresenceQuestion, maxAgeS: number): ReadonlySet<Answer> => {
  const { begin, end } = question.did
  const mine = [...ground(run).places.values()]
    .filter(({ userId }) => userId === question.pair.userId)
    .map((place): Around => {
      const shared = sharing(question.pair, place.placeId, begin, end)
      const gone = archived(place, begin, end)
      const isVisible = shared === "no" || gone === "yes" ? "no" : shared === "yes" && gone === "no" ? "yes" : "maybe"
      return { placeId: place.placeId, isVisible, circles: place.circles.possible(begin, end) }
    })
    .filter(({ isVisible }) => isVisible !== "no")
  return possible(run, question, maxAgeS, (fix) => whereIs(mine, fix))
}

interface Around {
  readonly placeId: string
  readonly isVisible: "yes" | "maybe" | "no"
  readonly circles: ReadonlyArray<Circle>
}

const whereIs = (places: ReadonlyArray<Around>, fix: SeenReading): FixAnswers => {
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

/**
 * Whether the place `one` is a better answer than `other`: it has the smaller circle or, with equal radii, the nearer
 * centre. The result is true only if this holds for all circles that the two places may have.
 */
const isBetter = (one: Around, other: Around, fix: SeenReading): boolean =>
  one.circles.every((a) =>
    other.circles.every((b) =>
      a.radiusM === b.radiusM ? metresToCentre(a, fix) < metresToCentre(b, fix) - 0.5 : a.radiusM < b.radiusM
    )
  )

const possible = (
  run: Run,
  { did, pair }: PresenceQuestion,
  maxAgeS: number,
  says: (fix: SeenReading) => FixAnswers
): ReadonlySet<Answer> => {
  const { later, seen } = phonesOf(run, pair.userId)
  const [first, last] = [Math.min(did.beganAt, did.endedAt), Math.max(did.beganAt, did.endedAt)]
  const found = new Set<Answer>()
  for (const fix of newestFirst(later.length === 0 ? seen : [...seen, ...later])) {
    const isThere = mayBeStored(run, pair.userId, fix, did)
    const age = { least: first - fix.capturedAt, most: last - fix.capturedAt }
    const left = isLeftBehind(run, pair.userId, fix)
    if (!isThere || age.least > maxAgeS * SECOND || left === "yes") continue
    const { isSilent, states } = says(fix)
    for (const state of states) {
      const [name, placeId] = state.split(":")
      found.add(answerOf(name, fix.capturedAt, placeId))
    }
    // Two readings that differ only in accuracy are one fix. The service keeps one of the two readings, and the trace
    // may not show which reading the service kept.
    const isOne = seen.filter(({ key }) => key === fix.key).length === 1
    const isSure = left === "no" && isOne && isKnown(run, pair.userId, fix, did) && age.most <= maxAgeS * SECOND
    if (isSure && !isSilent) return found
  }
  return found.add(answerOf("unknown", undefined))
}

const ordered = new WeakMap<ReadonlyArray<SeenReading>, ReadonlyArray<SeenReading>>()

const newestFirst = (seen: ReadonlyArray<SeenReading>): ReadonlyArray<SeenReading> => {
  const found = ordered.get(seen)
  if (found !== undefined) return found
  const made = [...seen].sort(
    (a, b) => b.capturedAt - a.capturedAt || worthOf(a) - worthOf(b) || a.lat - b.lat || a.lon - b.lon
  )
  ordered.set(seen, made)
  return made
}

/**
 * The accuracy in metres, for sorting: of two fixes with the same time, the more accurate fix decides. A missing or
 * invalid accuracy counts as the worst.
 */
export const worthOf = ({ accuracyM }: Pick<SeenReading, "accuracyM">): number =>
  accuracyM !== null && Number.isFinite(accuracyM) && accuracyM > 0 ? accuracyM : Number.MAX_VALUE
