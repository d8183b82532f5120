import { geodesicM, type Point } from "./geodesic.js"

/**
 * A second implementation of decisions M14 and devices-4 to devices-6, written only from their text. It works on whole
 * lists, and says which readings come from a device that its user left behind. No device of this model is marked as
 * staying at home.
 */

interface Reading extends Point {
  readonly capturedAt: number
  readonly accuracy: number | null
}

/** Consecutive readings of one device at one spot: the device rests there. */
interface Rest {
  /**
   * The reading that stands for the spot: the most accurate one at this spot, and of equally accurate readings the
   * first.
   */
  spot: Reading
  /** The time at which this `Rest` began. Null for the first `Rest` of a device, because its beginning is unknown. */
  readonly since: number | null
  readings: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

export class ReferenceCarried {
  readonly #rests = new Map<number, Array<Rest>>()
  /** The newest reading of each device. */
  readonly #newest = new Map<number, Reading>()

  /**
   * Whether the reading does not count, because the device was left behind. Also stores the reading, so the caller must
   * pass each reading of an upload exactly once, in order.
   */
  isLeftBehind(device: number, reading: Reading): boolean {
    this.#follow(device, reading)
    if (this.#rests.size < 2) return false
    const others = [...this.#rests.keys()].filter(
      (other) => other !== device && reading.capturedAt - (this.#newest.get(other)?.capturedAt ?? 0) <= DAY
    )
    const moved = [device, ...others].flatMap((one) => this.#last(one)?.since ?? [])
    const latest = Math.max(...moved)
    const own = this.#last(device)?.since ?? null
    const carried = others.filter((other) => this.#last(other)?.since === latest)
    if (carried.length === 0 || own === latest) return false
    const isBeside = (other: number) =>
      [this.#last(other)?.spot, this.#newest.get(other)].every((where) => where !== undefined && isNear(where, reading))
    if (carried.some(isBeside)) return false
    const isLateTrack = reading.capturedAt < latest && own !== null && reading.capturedAt - own < HOUR
    return !isLateTrack
  }

  #last(device: number): Rest | undefined {
    return this.#rests.get(device)?.at(-1)
  }

  #follow(device: number, reading: Reading): void {
    if (reading.capturedAt <= (this.#newest.get(device)?.capturedAt ?? Number.NEGATIVE_INFINITY)) return
    this.#newest.set(device, reading)
    const rests = this.#rests.get(device) ?? []
    this.#rests.set(device, rests)
    const [before, now] = [rests.at(-2), rests.at(-1)]
    if (now === undefined) {
      rests.push({ spot: reading, since: null, readings: 1 })
    } else if (isNear(now.spot, reading)) {
      now.readings++
      if (band(reading) < band(now.spot)) now.spot = reading
    } else if (
      before !== undefined &&
      now.readings === 1 &&
      reading.capturedAt - now.spot.capturedAt <= HOUR / 4 &&
      isNear(before.spot, reading)
    ) {
      // The device was at another spot for one reading only, and back at most 15 minutes later. So this was no move,
      // and the function removes the `Rest` at the other spot.
      rests.pop()
      before.readings++
    } else {
      rests.push({ spot: reading, since: reading.capturedAt, readings: 1 })
    }
  }
}

const band = ({ accuracy }: Reading): number => (accuracy !== null && accuracy > 50 ? accuracy : 50)

const isNear = (one: Reading, other: Reading): boolean => metres(one, other) <= band(one) + band(other)

/** The distance between two points. Distances are cached, because a scenario has only about twenty positions. */
const metres = (one: Point, other: Point): number => {
  if (one.lat === other.lat && one.lon === other.lon) return 0
  const ofOne = inside(inside(measured, one.lat), one.lon)
  const ofLatitude = inside(ofOne, other.lat)
  const known = ofLatitude.get(other.lon)
  if (known !== undefined) return known
  const metres = geodesicM(one, other)
  if (kept++ < 100_000) ofLatitude.set(other.lon, metres)
  return metres
}

/**
 * The map at `key` in `outer`, which is created when it is missing. The keys are numbers, because making a text of four
 * coordinates takes longer than the rest of this function.
 */
const inside = <A>(outer: Map<number, Map<number, A>>, key: number): Map<number, A> => {
  const found = outer.get(key) ?? new Map<number, A>()
  outer.set(key, found)
  return found
}
const measured = new Map<number, Map<number, Map<number, Map<number, number>>>>()
let kept = 0
