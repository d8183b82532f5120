import type { Presence } from "@place-access/domain/answers"
import type { Fix } from "@place-access/domain/fixes"
import { ZoneQuestions } from "@place-access/domain/limits"
import { Geometry } from "@place-access/domain/places"
import { DeviceId, Timestamp, UserId } from "@place-access/domain/shared"

/**
 * Searches for a person who stays at one point of a town of 12 × 12 km, with questions about circles during one day. A
 * search knows the budget, and keeps a grid of the cells where the person may still be. It may begin anywhere, it may
 * wait, and at the end it guesses.
 */

/** A point, in kilometres east and north of the town's south-west corner. */
interface Spot {
  readonly x: number
  readonly y: number
}

interface Disc extends Spot {
  readonly r: number
}

type Answer = "inside" | "outside" | "unknown"

export type Decision = (
  before: ZoneQuestions.ZoneQuestions,
  circle: Geometry.Circle,
  now: Timestamp.Timestamp
) => ZoneQuestions.ZoneQuestionOutcome

/** The answer of the service to a question about the circle, when the person's only reading is `reading`. */
export type Answering = (circle: Geometry.Circle, reading: Fix.StoredFix) => Presence.Presence

/** The service as a search sees it. */
export interface Service {
  readonly decide: Decision
  readonly answer: Answering
  /** The accuracy of the person's readings in metres. The search knows this accuracy. */
  readonly accuracyM: number
}

const TOWN_KM = 12
const CELL_KM = 0.1
const CELLS = TOWN_KM / CELL_KM
const CORNER = { lat: 52.3, lon: 4.8 }
const KM_LAT = 1 / 111.25
const KM_LON = 1 / 68.1
/** Half the diagonal of a cell, in km: the largest distance of a point in the cell from the cell's middle. */
const SLACK_KM = CELL_KM * Math.SQRT1_2
const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))

/** A phone's reading, without its position and accuracy. */
const READING = {
  userId: UserId.make("usr_1"),
  deviceId: DeviceId.make("dev_1"),
  capturedAt: START,
  receivedAt: START,
  altitudeM: null,
  speedMps: null,
  courseDeg: null
}

const pointOf = ({ x, y }: Spot): Geometry.Point => ({ lat: CORNER.lat + y * KM_LAT, lon: CORNER.lon + x * KM_LON })
const circleOf = (disc: Disc): Geometry.Circle => ({ ...pointOf(disc), radiusM: Math.round(disc.r * 1_000) })
const kmBetween = (one: Spot, other: Spot): number => Geometry.distanceM(pointOf(one), pointOf(other)) / 1_000

const MIDDLES: ReadonlyArray<Spot> = Array.from({ length: CELLS * CELLS }, (_, index) => ({
  x: ((index % CELLS) + 0.5) * CELL_KM,
  y: (Math.floor(index / CELLS) + 0.5) * CELL_KM
}))

/**
 * Makes a function that computes its result only once for each list of cells. Two people who got the same answers so
 * far share one list. So the first question of a strategy, for example, is computed once and not for each person.
 */
const once = <Terms extends ReadonlyArray<unknown>, A>(
  compute: (cells: ReadonlyArray<Spot>, ...terms: Terms) => A
): ((cells: ReadonlyArray<Spot>, ...terms: Terms) => A) => {
  const computed = new WeakMap<ReadonlyArray<Spot>, Map<string, A>>()
  return (cells, ...terms) => {
    const ofCells = computed.get(cells) ?? new Map<string, A>()
    computed.set(cells, ofCells)
    const key = terms.join(" ")
    const found = ofCells.get(key) ?? compute(cells, ...terms)
    ofCells.set(key, found)
    return found
  }
}

/**
 * Makes a variant of `decide` that computes its result only once for the same questions, circle and time. Repeated
 * calls return the same object, so all searches with the same questions so far share the later results.
 */
const decidedOnce = (decide: Decision): Decision => {
  const decided = new WeakMap<ZoneQuestions.ZoneQuestions, Map<string, ZoneQuestions.ZoneQuestionOutcome>>()
  return (before, circle, now) => {
    const ofBefore = decided.get(before) ?? new Map<string, ZoneQuestions.ZoneQuestionOutcome>()
    decided.set(before, ofBefore)
    const key = [circle.lat, circle.lon, circle.radiusM, now].join(" ")
    const outcome = ofBefore.get(key) ?? decide(before, circle, now)
    ofBefore.set(key, outcome)
    return outcome
  }
}

/** One search for one person, and what the search has found out. */
class Search {
  questions = 0
  /** The cells where the person may still be. */
  possible: ReadonlyArray<Spot>
  private asked: ZoneQuestions.ZoneQuestions
  private now = START

  private readonly person: Spot
  private readonly service: Service
  private readonly bandKm: number
  /** Whether the service answers questions about readings of this accuracy at all. */
  private readonly isAnswered: boolean

  constructor(person: Spot, service: Service, possible: ReadonlyArray<Spot>, asked: ZoneQuestions.ZoneQuestions) {
    this.possible = possible
    this.asked = asked
    this.person = person
    this.service = service
    this.bandKm = Geometry.bandM(service.accuracyM) / 1_000
    const farAway = service.answer(circleOf({ x: -50, y: 0, r: 0.1 }), readingAt({ x: 0, y: 0 }, service))
    this.isAnswered = farAway.state !== "unknown"
  }

  /**
   * The distance from the centre of a circle of radius `r`, in km, within which the answer is not "outside". The answer
   * "unknown" means that the person is in the band around the circle.
   */
  reach(r: number): number {
    return r + this.bandKm
  }

  /** Whether the budgets allow the question at some time of the day. */
  mayAsk(disc: Disc): boolean {
    return this.waitFor(disc) !== undefined
  }

  /**
   * Asks about the circle. If the budget requires a wait, waits before the question. Undefined if the budget refuses
   * the question for the rest of the day.
   */
  ask(disc: Disc): Answer | undefined {
    const at = this.waitFor(disc)
    if (at === undefined) return undefined
    const asking = this.service.decide(this.asked, circleOf(disc), at)
    if (asking._tag === "Refused") return undefined
    this.asked = asking.questions
    this.now = at
    this.questions++
    const answer = ANSWERS[this.service.answer(circleOf(disc), readingAt(this.person, this.service)).state]
    if (this.isAnswered) this.possible = remaining(this.possible, disc.x, disc.y, disc.r, answer, this.bandKm)
    return answer
  }

  errorKm(): number {
    return kmBetween(guess(this.possible), this.person)
  }

  private waitFor(disc: Disc): Timestamp.Timestamp | undefined {
    const asking = this.service.decide(this.asked, circleOf(disc), this.now)
    if (asking._tag === "Allowed") return this.now
    const at = Timestamp.plus(this.now, asking.retryAfterMillis)
    return at - START <= Timestamp.DAY ? at : undefined
  }
}

const ANSWERS = { yes: "inside", no: "outside", unknown: "unknown" } as const

const readingAt = (spot: Spot, { accuracyM }: Pick<Service, "accuracyM">): Fix.StoredFix => ({
  ...READING,
  ...pointOf(spot),
  accuracyM
})

const remaining = once((cells, x: number, y: number, r: number, answer: Answer, bandKm: number) =>
  cells.filter((spot) => isPossible({ x, y, r }, spot, answer, bandKm))
)

/** The point with the largest number of possible cells within 1 km. */
const guess = once((possible): Spot => {
  let [best, found] = [-1, { x: TOWN_KM / 2, y: TOWN_KM / 2 }]
  const before = rowsOf(possible)
  const candidates = possible.length > 400 ? lattice(0.2) : [middleOf(possible), ...possible]
  for (const candidate of candidates) {
    const mass = massOf(before, { ...candidate, r: 1 })
    if (mass > best) [best, found] = [mass, candidate]
  }
  return found
})

const isPossible = ({ r, ...centre }: Disc, { x, y }: Spot, answer: Answer, bandKm: number): boolean => {
  const fromEdge = Math.sqrt((x - centre.x) ** 2 + (y - centre.y) ** 2) - r
  if (answer === "inside") return fromEdge < SLACK_KM - bandKm
  if (answer === "outside") return fromEdge > bandKm - SLACK_KM
  return Math.abs(fromEdge) <= bandKm + SLACK_KM
}

const within = (spots: ReadonlyArray<Spot>, { r, x, y }: Disc): number => {
  let count = 0
  for (const spot of spots) if ((spot.x - x) ** 2 + (spot.y - y) ** 2 < r * r) count++
  return count
}

const lattice = (step: number): ReadonlyArray<Spot> => {
  const count = Math.floor(TOWN_KM / step)
  const found = lattices.get(count)
  if (found !== undefined) return found
  const made = Array.from({ length: count * count }, (_, index) => ({
    x: ((index % count) + 0.5) * step,
    y: (Math.floor(index / count) + 0.5) * step
  }))
  lattices.set(count, made)
  return made
}
const lattices = new Map<number, ReadonlyArray<Spot>>()

const middleOf = (spots: ReadonlyArray<Spot>): Spot => {
  let [x, y] = [0, 0]
  for (const spot of spots) {
    x += spot.x
    y += spot.y
  }
  return { x: x / spots.length, y: y / spots.length }
}

/**
 * A circle of radius `r` that contains about `share` of the possible cells. Its centre lies in the direction `angle`
 * from the middle of the possible cells.
 */
const cut = once((spots, r: number, angle: number, share: number): Disc => {
  const middle = middleOf(spots)
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
  let [near, far] = [0, r + TOWN_KM * 1.5]
  for (let step = 0; step < 14; step++) {
    const half = (near + far) / 2
    const disc = { x: middle.x + dx * half, y: middle.y + dy * half, r }
    if (within(spots, disc) > share * spots.length) near = half
    else far = half
  }
  return { x: middle.x + dx * near, y: middle.y + dy * near, r }
})

/** The direction in which the possible cells lie furthest apart. */
const longAxis = once((spots): number => {
  const middle = middleOf(spots)
  let [xx, xy, yy] = [0, 0, 0]
  for (const { x, y } of spots) {
    xx += (x - middle.x) ** 2
    xy += (x - middle.x) * (y - middle.y)
    yy += (y - middle.y) ** 2
  }
  return Math.atan2(2 * xy, xx - yy) / 2
})

/** Of the circles of radius `r` around points of a lattice, the one with the most possible cells (`spots`). */
const fullest = once((spots, r: number): Disc => {
  const before = rowsOf(spots)
  let [best, disc] = [-1, { x: 0, y: 0, r }]
  for (const centre of lattice(Math.max(0.4, r / 2))) {
    const mass = massOf(before, { ...centre, r })
    if (mass > best) [best, disc] = [mass, { ...centre, r }]
  }
  return disc
})

/**
 * For each row of cells of the map, and for each column, the number of possible cells left of the column. With these
 * numbers, the possible cells in a circle are counted with one subtraction for each row.
 */
const rowsOf = (spots: ReadonlyArray<Spot>): Int32Array => {
  const before = new Int32Array(CELLS * (CELLS + 1))
  for (const { x, y } of spots) {
    const at = Math.floor(y / CELL_KM) * (CELLS + 1) + Math.floor(x / CELL_KM) + 1
    before[at] = 1
  }
  for (let row = 0; row < CELLS; row++)
    for (let column = 1; column <= CELLS; column++) {
      const at = row * (CELLS + 1) + column
      before[at] = (before[at] ?? 0) + (before[at - 1] ?? 0)
    }
  return before
}

const massOf = (before: Int32Array, { r, x, y }: Disc): number => {
  const column = (km: number) => Math.min(CELLS, Math.max(0, Math.round(km / CELL_KM)))
  let mass = 0
  for (let row = column(y - r); row < column(y + r); row++) {
    const half = Math.sqrt(Math.max(0, r * r - ((row + 0.5) * CELL_KM - y) ** 2))
    const begin = row * (CELLS + 1)
    mass += (before[begin + column(x + half)] ?? 0) - (before[begin + column(x - half)] ?? 0)
  }
  return mass
}

/**
 * Whether the search should stop: so few cells are possible that another question gains nothing, or more than 480
 * questions were asked.
 */
const isDone = (search: Search): boolean => search.possible.length < 30 || search.questions > 480

/**
 * Asks about circles whose boundary halves the possible cells, again and again, as often as the budget allows and at
 * most `most` times. Takes the first radius of `radiiKm` that the budget allows.
 */
const bisect = (search: Search, radiiKm: ReadonlyArray<number>, most = 480): void => {
  for (let count = 0; count < most && !isDone(search); count++) {
    const angle = longAxis(search.possible)
    const disc = radiiKm.map((r) => cut(search.possible, r, angle, 0.5)).find((one) => search.mayAsk(one))
    const before = search.possible.length
    // Ends when the budget allows no circle. Also ends when an answer ruled out no cell, because the next question
    // would be the same and would rule out no cell either.
    if (disc === undefined || search.ask(disc) === undefined || search.possible.length === before) return
  }
}

/**
 * Asks again and again about the circle of radius `r` that reaches the most possible cells, until an answer is not
 * "outside". Returns false if the budget ends first.
 */
const sweep = (search: Search, r: number): boolean => {
  while (!isDone(search)) {
    const answer = search.ask({ ...fullest(search.possible, search.reach(r)), r })
    if (answer === undefined) return false
    if (answer !== "outside") return true
  }
  return true
}

const STRAIGHT = [10, 3, 2.001]
const ANY = [10, 3, 1.3, 0.9, 0.5, 0.25, 0.1]

export const strategies = {
  "circles of 100 m and their bands, then halves": (search: Search) => sweep(search, 0.1) && bisect(search, ANY),
  "halves with the largest circles": (search: Search) => bisect(search, STRAIGHT),
  "halves with whatever is allowed": (search: Search) => bisect(search, ANY),
  "circles of 1.3 km, then halves": (search: Search) => sweep(search, 1.3) && bisect(search, ANY),
  "circles of 900 m, then halves": (search: Search) => sweep(search, 0.9) && bisect(search, ANY),
  "circles of 500 m, then halves": (search: Search) => sweep(search, 0.5) && bisect(search, ANY),
  "circles of 2 km, then halves": (search: Search) => sweep(search, 2) && bisect(search, ANY),
  "one half, then circles of 1.3 km": (search: Search) => {
    bisect(search, STRAIGHT, 1)
    if (sweep(search, 1.3)) bisect(search, ANY)
  },
  "two halves, then circles of 1 km": (search: Search) => {
    bisect(search, STRAIGHT, 2)
    if (sweep(search, 1)) bisect(search, ANY)
  },
  "three halves, then circles of 600 m": (search: Search) => {
    bisect(search, STRAIGHT, 3)
    if (sweep(search, 0.6)) bisect(search, ANY)
  },
  "circles of 1 km over a part, then halves of the rest": (search: Search) => {
    for (let count = 0; count < 8; count++)
      if (search.ask({ ...fullest(search.possible, search.reach(1)), r: 1 }) !== "outside") break
    bisect(search, ANY)
  },
  "circles that shrink around the middle": (search: Search) => {
    for (let r = 6; r > 0.15 && !isDone(search); r *= 0.7)
      if (search.ask({ ...middleOf(search.possible), r }) === undefined) continue
  },
  "rings: one large circle less another": (search: Search) => {
    for (let count = 0; count < 40 && !isDone(search); count++) {
      const angle = longAxis(search.possible)
      const [one, other] = [cut(search.possible, 10, angle, 0.33), cut(search.possible, 10, angle, 0.66)]
      if (search.ask(one) === undefined || search.ask(other) === undefined) break
    }
    bisect(search, ANY)
  },
  "most information for what it costs": (search: Search) => {
    while (!isDone(search)) {
      const { possible } = search
      const angle = longAxis(possible)
      const options = [
        ...[10, 3].map((r) => cut(possible, r, angle, 0.5)),
        ...[1.3, 0.8, 0.1].map((r) => ({ ...fullest(possible, search.reach(r)), r }))
      ].filter((disc) => search.mayAsk(disc))
      const before = possible.length
      const [best] = options
        .map((disc) => [worth(possible, disc, search.reach(disc.r)), disc] as const)
        .sort((a, b) => b[0] - a[0])
      if (best === undefined || search.ask(best[1]) === undefined || search.possible.length === before) return
    }
  }
} as const

/**
 * How good a question is: the information that it is expected to give, in bits, divided by the area in square
 * kilometres that it takes from the budget.
 */
const worth = (possible: ReadonlyArray<Spot>, disc: Disc, reachKm: number): number => {
  const share = within(possible, disc.r > 2 ? disc : { ...disc, r: reachKm }) / possible.length
  if (share === 0 || share === 1) return 0
  const bits = -share * Math.log2(share) - (1 - share) * Math.log2(1 - share)
  return bits / (disc.r > 2 ? 12 : Math.PI * (disc.r + ZoneQuestions.MAX_BAND_M / 1_000) ** 2)
}

/** Points that are spread evenly over the town. So a test needs only a few dozen people. */
const spots = (count: number): ReadonlyArray<Spot> =>
  Array.from({ length: count }, (_, index) => ({
    x: ((0.5 + index * 0.7548776662466927) % 1) * TOWN_KM,
    y: ((0.5 + index * 0.5698402909980532) % 1) * TOWN_KM
  }))

/** The median of the errors, in km: half of the people are found to within this distance. */
export const medianErrorKm = (strategy: (search: Search) => unknown, service: Service, people: number): number => {
  // Each call makes its own copies of these two objects. `once` and `decidedOnce` keep their results as long as the
  // copies live, that is, until the call ends.
  const cells = [...MIDDLES]
  const none = { ...ZoneQuestions.none }
  const remembering = { ...service, decide: decidedOnce(service.decide) }
  const errors = spots(people).map((person) => {
    const search = new Search(person, remembering, cells, none)
    strategy(search)
    return search.errorKm()
  })
  return errors.sort((a, b) => a - b)[Math.floor((people - 1) / 2)] ?? 0
}
