import { FastCheck } from "effect"
import { type Point, travel } from "./geodesic.js"
import { type Random, random } from "./random.js"
import type { Ground, Happening, Life, ReferenceCircle, ReferenceFix } from "./referenceRules.js"
import { CIRCLE, DAY, MINUTE, NOON, SECOND } from "./rules.js"

/**
 * Generates random scenarios, called lives. A life has the phones, the place and the rules of one person near one
 * circle. The generator prefers the boundary values of every rule of Spec §4.6, because a uniform generator needs
 * thousands of runs to reach exactly 120 seconds. So times lie a millisecond before a limit, at the limit, or after it.
 * Limits are the end of a cooldown, of a stay or of a window, and the age at which a fix is stale.
 */

/**
 * The distances end in half metres, because rounding must not decide whether a fix is inside a band. The points at
 * these distances lie in different directions from the centre. In one direction, the distance between two points could
 * be exactly the sum of the widths of their bands.
 */
const DISTANCES_M = [60.5, 98.5, 99.5, 100.5, 149.5, 150.5, 199.5, 200.5, 201.5, 229.5, 230.5, 1_000.5, 6_000.5]
const [NEAREST, ...FURTHER] = DISTANCES_M.map((metres, index) => travel(CIRCLE, 37 + 7.3 * index, metres))
const EDGES = [NEAREST ?? CIRCLE, ...FURTHER] as const
const PLAIN: readonly [Point, Point] = [travel(CIRCLE, 200, 0.5), travel(CIRCLE, 200, 700.5)]
const NOWHERE: Point = { lat: 0, lon: 0 }

const ACCURACIES = [0, -1, 49, 50, 51, 52, 80, 149, 150, 151, 900, Number.NaN, null] as const

/** The circles to which the user moves the place: a little aside, larger, far away, and back. */
const CIRCLES: readonly [ReferenceCircle, ...ReadonlyArray<ReferenceCircle>] = [
  CIRCLE,
  { ...travel(CIRCLE, 90, 120), radiusM: 150 },
  { ...CIRCLE, radiusM: 300 },
  { ...travel(CIRCLE, 200, 700), radiusM: 150 }
]

const NEAR = [-1, 0, 1] as const
/** The durations that rules measure. The generator often uses them as the time between two captures. */
const SPANS = [30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 6 * MINUTE, 15 * MINUTE] as const
const AGES = [0, SECOND, 10 * MINUTE, 15 * MINUTE, 15 * MINUTE, 60 * MINUTE, DAY, -5 * MINUTE] as const

const HIGHEST = 2 ** 32
const start = Math.random()

/**
 * The number (seed) of the first of the `count` random scenarios that a test runs. It differs in each run, and is fixed
 * in CI and with `PROPERTY_SEED=n`. A failing test names the number of its scenario, and `lifeOf` generates the
 * scenario again.
 */
export const firstLife = (count: number): number => {
  const { seed } = FastCheck.readConfigureGlobal()
  return seed === undefined ? Math.floor((start * (HIGHEST - count)) / count) * count : (seed - 1) * count
}

/** Generates the scenario of `seed`. One seed always gives the same scenario. */
export const lifeOf = (seed: number): Life => {
  const dice = random(seed)
  // The values of `settleS` come from a second generator. So each seed still gives the scenario that it gave before
  // rules had `settleS`.
  const waits = random(seed + 0.5)
  const rules = Array.from({ length: 1 + dice.below(3) }, () => ruleOf(dice)).map((rule) => ({
    ...rule,
    settleS: rule.type === "dwell" ? null : waits.pick([null, null, 0, 30, 120, 300])
  }))
  const edges = rules.flatMap(({ activeFrom, activeUntil }) => [activeFrom, activeUntil].filter((at) => at !== null))
  const phone: Phone = { clock: NOON, receipt: NOON, captures: [], isHome: dice.oneIn(2) }
  const happenings: Array<Happening> = []
  const waiting = rules.map((_, rule) => rule)
  const create = (changes: Array<Change>) => {
    const rule = waiting.shift()
    if (rule !== undefined) changes.push({ _tag: "Created", rule })
  }
  const first: Array<Change> = []
  create(first)
  while (waiting.length > 0 && !dice.oneIn(4)) create(first)
  happenings.push(...timed(dice, first, phone, [NOON]))

  const hasTablet = dice.oneIn(2)
  const uploads: Array<Upload> = []
  for (let count = 1 + dice.below(6); count > 0; count--) {
    const changes: Array<Change> = []
    if (dice.oneIn(3)) create(changes)
    if (dice.oneIn(4)) changes.push(...changeOf(dice, rules.length))
    const packed = uploadOf(dice, phone, edges)
    const { captured, wanted } = packed
    // A change comes between two uploads: right after the earlier upload, or near the capture time of a reading in the
    // later upload.
    const isAround = dice.oneIn(2)
    const moments = isAround ? captured.map(({ capturedAt }) => capturedAt + dice.pick(NEAR)) : [phone.receipt]
    const changed = timed(
      dice,
      changes,
      phone,
      moments.map((at) => Math.min(at, wanted))
    )
    happenings.push(...changed)
    const upload = arriving(dice, phone, packed)
    const [earlier] = uploads
    // Readings of a tablet that its owner left somewhere. They arrive just before or after the phone's upload.
    const beside = hasTablet && !dice.oneIn(4) ? [tabletOf(dice, phone)] : []
    happenings.push(...(dice.oneIn(2) ? [...beside, upload] : [upload, ...beside]))
    uploads.unshift(upload)
    // One of the last two uploads may be sent once more: immediately or up to 10 minutes later, from either device.
    if (dice.oneIn(4)) happenings.push(repeated(dice, phone, dice.oneIn(2) ? upload : (earlier ?? upload)))
  }
  return { circle: CIRCLE, rules, happenings }
}

interface Phone {
  /** The time of the last capture. */
  clock: number
  /** The time of the last upload or change. */
  receipt: number
  readonly captures: Array<number>
  /** Whether the phone's last position was in the middle of the circle. */
  isHome: boolean
}

type Upload = Extract<Happening, { readonly _tag: "Upload" }>

type Untimed<H> = H extends { readonly at: number } ? Omit<H, "at"> : never
/** A change between uploads, without its time. */
type Change = Untimed<Happening>

/** Gives each change a time. No two changes have the same millisecond, and the changes keep their order. */
const timed = (
  dice: Random,
  changes: ReadonlyArray<Change>,
  phone: Phone,
  moments: ReadonlyArray<number>
): ReadonlyArray<Happening> => {
  const [first = phone.receipt, ...others] = moments
  return changes.map((change) => {
    phone.receipt = Math.max(phone.receipt + 1, dice.pick([first, ...others]))
    return { ...change, at: phone.receipt }
  })
}

const ruleOf = (dice: Random) => {
  const edge = () => NOON + dice.pick([0, MINUTE, 2 * MINUTE, 5 * MINUTE, 20 * MINUTE]) + dice.pick(NEAR)
  const type = dice.pick(["enter", "exit", "dwell"] as const)
  return {
    about: dice.pick(["place", "place", "zone"] as const),
    type,
    dwellMinutes: type === "dwell" ? dice.pick([5, 5, 6, 15, 720]) : null,
    activeFrom: dice.oneIn(4) ? edge() : null,
    activeUntil: dice.oneIn(4) ? edge() + 5 * MINUTE : null
  }
}

const changeOf = (dice: Random, rules: number): ReadonlyArray<Change> => {
  const what: Ground = dice.pick(["place", "place scope", "zone scope"])
  switch (dice.below(6)) {
    case 0:
    case 1:
    case 2:
      return [{ _tag: "Moved", circle: dice.pick(CIRCLES) }]
    case 3:
      return [{ _tag: "Withdrawn", what }]
    case 4:
      return dice.oneIn(2)
        ? [{ _tag: "GivenBack", what }]
        : [
            { _tag: "Withdrawn", what },
            { _tag: "GivenBack", what }
          ]
    default:
      return dice.oneIn(3) ? [{ _tag: "Removed", rule: dice.below(rules) }] : []
  }
}

/** Readings that a phone has captured, and the time at which it wants to send them. */
interface PackedUpload {
  readonly captured: ReadonlyArray<Omit<ReferenceFix, "receivedAt">>
  readonly wanted: number
}

const uploadOf = (dice: Random, phone: Phone, edges: ReadonlyArray<number>): PackedUpload => {
  const captured = Array.from({ length: 1 + dice.below(5) }, () => {
    phone.clock = captureOf(dice, phone, edges)
    phone.captures.push(phone.clock)
    return { capturedAt: phone.clock, ...whereOf(dice, phone), accuracy: accuracyOf(dice) }
  })
  // The upload should arrive when one of its fixes is about as old as one of `AGES`. If a rule has a window, about one
  // upload in six should instead arrive about a day after the beginning or the end of the window.
  const [first, ...rest] = captured.map(({ capturedAt }) => capturedAt)
  const wanted =
    edges.length > 0 && dice.oneIn(6)
      ? dice.pick([edges[0] ?? 0, ...edges]) + DAY + dice.pick(NEAR)
      : dice.pick([first ?? phone.clock, ...rest]) + dice.pick(AGES) + dice.pick(NEAR)
  return { captured, wanted }
}

const arriving = (dice: Random, phone: Phone, { captured, wanted }: PackedUpload): Upload => {
  phone.receipt = Math.max(phone.receipt, wanted)
  // After an upload that arrived more than 15 minutes late, most phones continue their captures at the time of the
  // upload's arrival.
  if (phone.receipt - phone.clock > 15 * MINUTE && !dice.oneIn(3)) phone.clock = phone.receipt
  return { _tag: "Upload", device: dice.oneIn(6) ? 1 : 0, fixes: captured.map(at(phone.receipt)) }
}

/**
 * An upload of a tablet, which mostly lies in the middle of the circle. The tablet's readings are about as old as those
 * of the phone. In a few uploads, somebody has taken the tablet along.
 */
const tabletOf = (dice: Random, phone: Phone): Upload => {
  const fixes = Array.from({ length: 1 + dice.below(3) }, () => {
    const captures =
      phone.captures.length === 0 ? phone.clock : (phone.captures[dice.below(phone.captures.length)] ?? NOON)
    const capturedAt = captures + dice.pick([0, SECOND, MINUTE, 60 * MINUTE, DAY]) + dice.pick(NEAR)
    const where = dice.oneIn(5) ? whereOf(dice, phone) : PLAIN[0]
    return { capturedAt, ...where, accuracy: accuracyOf(dice) }
  })
  return { _tag: "Upload", device: 1, fixes: fixes.map(at(phone.receipt)) }
}

const captureOf = (dice: Random, phone: Phone, edges: ReadonlyArray<number>): number => {
  const chance = dice.below(12)
  if (chance === 0) return phone.clock + dice.pick([0, 0, -1, -MINUTE, -2 * MINUTE, -10 * MINUTE])
  if (chance === 1 && edges.length > 0) return dice.pick([edges[0] ?? 0, ...edges]) + dice.pick(NEAR)
  const from = chance < 4 ? (phone.captures[dice.below(phone.captures.length)] ?? phone.clock) : phone.clock
  return chance === 11 ? phone.clock + 720 * MINUTE : from + dice.pick(SPANS) + dice.pick(NEAR)
}

/** Most fixes alternate between inside and outside. */
const whereOf = (dice: Random, phone: Phone): Point => {
  if (dice.oneIn(4)) return dice.oneIn(20) ? NOWHERE : dice.pick(EDGES)
  if (!dice.oneIn(3)) phone.isHome = !phone.isHome
  return phone.isHome ? PLAIN[0] : PLAIN[1]
}

const accuracyOf = (dice: Random): number | null => (dice.oneIn(4) ? dice.pick(ACCURACIES) : 10)

const repeated = (dice: Random, phone: Phone, { device, fixes }: Upload): Upload => {
  phone.receipt += dice.pick([0, 1, 10 * MINUTE])
  return { _tag: "Upload", device: dice.oneIn(4) ? 1 - device : device, fixes: fixes.map(at(phone.receipt)) }
}

const at =
  (receivedAt: number) =>
  (fix: Omit<ReferenceFix, "receivedAt">): ReferenceFix => ({ ...fix, receivedAt })

/** Finds a smaller scenario with the same fault: it removes events and fixes for as long as the fault remains. */
export const smallest = (life: Life, isFaulty: (life: Life) => boolean): Life => {
  const smaller = shrunk(life).find(isFaulty)
  return smaller === undefined ? life : smallest(smaller, isFaulty)
}

const without = <A>(items: ReadonlyArray<A>, index: number): ReadonlyArray<A> => items.filter((_, at) => at !== index)

const shrunk = (life: Life): ReadonlyArray<Life> => [
  ...life.happenings.map((_, index) => ({ ...life, happenings: without(life.happenings, index) })),
  ...life.happenings.flatMap((happening, index) =>
    happening._tag === "Upload" && happening.fixes.length > 1
      ? happening.fixes.map((_, fix) => ({
          ...life,
          happenings: life.happenings.with(index, { ...happening, fixes: without(happening.fixes, fix) })
        }))
      : []
  )
]
