import { describe, expect, it } from "@effect/vitest"
import { Movement } from "@place-access/domain/devices"
import { Geometry } from "@place-access/domain/places"
import { FastCheck } from "effect"
import { travel } from "../support/geodesic.js"
import { at, MINUTE, NOON, time } from "../support/rules.js"

const seen = (minute: number, metres: number, accuracyM: number | null = 10): Movement.MovementFix => ({
  ...at(metres),
  accuracyM,
  capturedAt: time(NOON + minute * MINUTE)
})

const after = (...sightings: ReadonlyArray<Movement.MovementFix>): Movement.Movement | null =>
  sightings.reduce<Movement.Movement | null>(Movement.step, null)

/** The movement of a device that has sent a single reading. */
const having = (minute: number, metres: number): Movement.Movement => Movement.step(null, seen(minute, metres))

const movedMinute = (movement: Movement.Movement | null): number | null =>
  movement === null || movement.movedAt === null ? null : (movement.movedAt - NOON) / MINUTE

describe("where a device rests, and when it last moved [M14, devices-5]", () => {
  it("a first reading is no move, and neither is one within both bands of the spot", () => {
    expect(movedMinute(after(seen(0, 0)))).toBe(null)
    expect(movedMinute(after(seen(0, 0), seen(1, 99.5)))).toBe(null)
    expect(movedMinute(after(seen(0, 0), seen(1, 100.5)))).toBe(1)
    expect(movedMinute(after(seen(0, 0, null), seen(1, 129.5, 80)))).toBe(null)
    expect(movedMinute(after(seen(0, 0, null), seen(1, 130.5, 80)))).toBe(1)
  })

  it("a slow walk is a move once it is apart from where it began", () => {
    expect(movedMinute(after(...[0, 40, 80, 120].map((metres, minute) => seen(minute, metres))))).toBe(3)
  })

  it("a jump and back is taken back with the next reading; a device that stays there for two has moved", () => {
    expect(after(seen(0, 0), seen(1, 500), seen(2, 5))).toEqual({
      ...after(seen(0, 0)),
      last: { ...at(5), bandM: 50 },
      heardAt: NOON + 2 * MINUTE
    })
    expect(movedMinute(after(seen(0, 0), seen(1, 500), seen(2, 505), seen(3, 5)))).toBe(3)
    // This device moves on and does not come back. So no move is undone, and the last move counts.
    expect(movedMinute(after(seen(0, 0), seen(1, 500), seen(2, 1_000), seen(3, 1_500)))).toBe(3)
  })

  it("only a short jump is taken back: a phone that sends one reading at the office and the next one at home was there", () => {
    expect(movedMinute(after(seen(0, 0), seen(1, 500), seen(16, 5)))).toBe(null)
    expect(movedMinute(after(seen(0, 0), seen(1, 500), seen(16.01, 5)))).toBe(16.01)
    expect(movedMinute(after(seen(0, 9_000), seen(60, 0), seen(780, 9_000), seen(1_380, 0)))).toBe(1_380)
  })

  it("keeps its newest position beside its spot, and a reading that is not newer does not change it", () => {
    const drifting = after(seen(0, 400), seen(1, 95), seen(2, 185))
    expect(drifting).toMatchObject({ spot: at(95), last: at(185) })
    expect(after(seen(0, 400), seen(1, 95), seen(2, 185), seen(1.5, 100))?.last).toEqual({ ...at(185), bandM: 50 })
    expect(after(seen(0, 0), seen(1, 500), seen(2, 30))).toMatchObject({ spot: at(0), last: at(30) })
  })

  it("the most accurate position of a rest is its spot: an imprecise one would let the device drift", () => {
    expect(movedMinute(after(seen(0, 0, 400), seen(1, 300, 60), seen(2, 420)))).toBe(2)
    expect(after(seen(0, 0, 400), seen(1, 300, 60), seen(2, 320, 200))?.spot).toEqual({ ...at(300), bandM: 60 })
  })

  it("a deleted stretch takes the positions and leaves the times; the next reading is no move [retention-choice-4]", () => {
    const stretch = (from: number, until: number) => ({
      from: time(NOON + from * MINUTE),
      until: time(NOON + until * MINUTE)
    })
    const moved = after(seen(0, 0), seen(20, 500), seen(30, 520))
    if (moved === null) throw new Error("a movement")
    const deleted = { ...moved, spot: Movement.DELETED, last: Movement.DELETED }
    expect(Movement.without(stretch(25, 31), moved)).toEqual(deleted)
    expect(Movement.without(stretch(25, 30), moved)).toEqual({ ...moved, spot: moved.last })
    expect(Movement.without(stretch(31, 40), moved)).toEqual(moved)
    expect(Movement.without(stretch(0, 20), moved)).toEqual(moved)
    const far = Movement.step(deleted, seen(40, 9_000))
    expect(far).toMatchObject({ spot: at(9_000), last: at(9_000), movedAt: moved.movedAt, before: null })

    const jumped = after(seen(0, 0), seen(20, 500))
    if (jumped === null) throw new Error("a movement")
    expect(Movement.without(stretch(0, 20), jumped)).toEqual({ ...jumped, before: null })
    expect(Movement.without(stretch(-10, 0), having(5, 0))).toEqual({ ...having(5, 0), spot: having(5, 0).last })
  })

  it("a reading with an absurd accuracy is near everything, and no deleted position [M14, retention-choice-4]", () => {
    const vague = after(seen(0, 0), seen(20, 500), seen(30, 520, 1e8))
    if (vague === null) throw new Error("a movement")
    expect(Movement.isKnown(vague.last)).toBe(true)
    expect(Movement.isAway(vague.last, { ...seen(31, 0), lat: -52, lon: -175 })).toBe(false)
    expect(movedMinute(vague)).toBe(20)
  })

  it("a reading that is not newer changes nothing, whatever order an upload arrives in", () => {
    const now = after(seen(0, 0), seen(10, 500), seen(11, 500))
    expect(now === null ? now : Movement.step(now, seen(5, 9_000))).toBe(now)
    expect(now === null ? now : Movement.step(now, seen(11, 9_000))).toBe(now)
  })

  it("positions that are not apart never lie on two sides of one circle [M14]", () => {
    const metres = FastCheck.double({ min: 0, max: 400, noNaN: true })
    const degrees = FastCheck.double({ min: 0, max: 360, noNaN: true })
    const accuracy = FastCheck.oneof(FastCheck.constantFrom(null, 50, 51), FastCheck.double({ min: 1, max: 300 }))
    FastCheck.assert(
      FastCheck.property(
        FastCheck.record({ way: degrees, far: metres, other: degrees, otherFar: metres }),
        FastCheck.double({ min: 100, max: 300, noNaN: true }),
        accuracy,
        accuracy,
        ({ far, other, otherFar, way }, radiusM, first, second) => {
          const circle = { ...at(0), radiusM }
          const one = { ...travel(circle, way, far), accuracyM: first, capturedAt: time(NOON) }
          const two = { ...travel(circle, other, otherFar), accuracyM: second, capturedAt: time(NOON) }
          const sides = [one, two].map((fix) => Geometry.sideOf(circle, fix, fix.accuracyM))
          const differ = sides.includes("inside") && sides.includes("outside")
          const { spot } = Movement.step(null, one)
          expect(!differ || Movement.isAway(spot, two)).toBe(true)
        }
      ),
      { numRuns: 2_000 }
    )
  })
})
