import { Carried, Movement } from "@place-access/domain/devices"
import { DeviceId } from "@place-access/domain/shared"
import { Geometry } from "@place-access/domain/places"
import { RuleEvaluation } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { at, DAY, HOUR, MINUTE, NOON, question, time } from "../support/rules.js"

const [phone, tablet, watch] = ["dev_phone", "dev_tablet", "dev_watch"].map((id) => DeviceId.make(id)) as [
  DeviceId,
  DeviceId,
  DeviceId
]

const seen = (after: number, metres: number, accuracyM: number | null = 10): Movement.MovementFix => ({
  ...at(metres),
  accuracyM,
  capturedAt: time(NOON + after)
})

const one = (id: DeviceId, over: Partial<Carried.Companion> = {}): Carried.Companion => ({
  id,
  staysAtHome: false,
  lastSeenAt: time(NOON),
  movement: null,
  ...over
})

/** A device that has sent these readings. */
const having = (id: DeviceId, ...sightings: ReadonlyArray<Movement.MovementFix>): Carried.Companion =>
  one(id, { movement: sightings.reduce<Movement.Movement | null>(Movement.step, null) })

const HOME = 0
const AWAY = 2_000

const atHome = having(tablet, seen(-DAY, HOME))
const leaving = having(phone, seen(-HOUR, HOME), seen(-2 * MINUTE, 1_000), seen(-MINUTE, AWAY))

const isLeftBehind = (id: DeviceId, devices: ReadonlyArray<Carried.Companion>, sighting = seen(0, HOME)): boolean =>
  Carried.judge(id, devices, [sighting]).leftBehind.size > 0

interface SentReading {
  readonly id: DeviceId
  readonly sighting: Movement.MovementFix
}

/** The number of times that rules about a circle of 100 m around home fire. */
const firings = (devices: ReadonlyArray<Carried.Companion>, sent: ReadonlyArray<SentReading>): number => {
  const circle = { ...at(HOME), radiusM: 100 }
  let now = devices
  let states = [RuleEvaluation.unseeded("1"), RuleEvaluation.unseeded("1")]
  let fired = 0
  for (const { id, sighting } of sent) {
    const { carried, movement } = Carried.judge(id, now, [sighting])
    now = now.map((device) => (device.id === id ? { ...device, movement } : device))
    if (carried.length === 0) continue
    states = (["enter", "exit"] as const).map((type, index) => {
      const before = states[index] ?? RuleEvaluation.unseeded("1")
      const { outcome, state } = RuleEvaluation.step(question({ type, circle }), before, sighting, sighting.capturedAt)
      if (outcome === "fired") fired++
      return state
    })
  }
  return fired
}

describe("a device that stays at home [M14, devices-4]", () => {
  it("is left behind while another one is carried that has sent something [devices-4]", () => {
    expect(isLeftBehind(tablet, [one(phone), one(tablet, { staysAtHome: true })])).toBe(true)
    expect(isLeftBehind(phone, [one(phone), one(tablet, { staysAtHome: true })])).toBe(false)
    expect(isLeftBehind(tablet, [one(phone), one(tablet)])).toBe(false)
  })

  it("is believed when it is the only one, when all stay, and beside a phone that sent nothing yet", () => {
    const stays = one(tablet, { staysAtHome: true })
    expect(isLeftBehind(tablet, [stays])).toBe(false)
    expect(isLeftBehind(tablet, [{ ...leaving, staysAtHome: true }, stays])).toBe(false)
    expect(isLeftBehind(tablet, [one(phone, { lastSeenAt: null }), stays])).toBe(false)
    expect(isLeftBehind(tablet, [])).toBe(false)
  })

  it("does not compete with those that are carried, however it moves", () => {
    const driven = { ...having(tablet, seen(-DAY, HOME), seen(-MINUTE, 9_000), seen(0, 9_001)), staysAtHome: true }
    expect(isLeftBehind(phone, [leaving, driven], seen(MINUTE, AWAY))).toBe(false)
  })
})

describe("of several devices the one that moved last [M14]", () => {
  it("is believed, and one that rests elsewhere is left behind [M14]", () => {
    expect(isLeftBehind(tablet, [leaving, atHome])).toBe(true)
    expect(isLeftBehind(phone, [leaving, atHome], seen(0, AWAY))).toBe(false)
  })

  it("stays so when the owner deletes an hour of history: no rule fires for the tablet [M14, retention-choice-4]", () => {
    const stretch = { from: time(NOON - 30 * MINUTE), until: time(NOON + 1) }
    const erased = (devices: ReadonlyArray<Carried.Companion>) =>
      devices.map((device) =>
        device.movement === null ? device : { ...device, movement: Movement.without(stretch, device.movement) }
      )
    const resting = having(phone, seen(-3 * HOUR, HOME), seen(-2 * HOUR, AWAY), seen(0, AWAY))
    const home = having(tablet, seen(-3 * HOUR, HOME), seen(0, HOME))
    const sent = Array.from({ length: 90 }, (_, index) => ({
      id: index % 3 === 2 ? phone : tablet,
      sighting: seen((index + 1) * MINUTE, index % 3 === 2 ? AWAY : HOME)
    }))
    expect(firings(erased([resting, home]), sent)).toBe(0)
    // The tablet last moved some days ago, and sent nothing in the deleted stretch. So the deletion must leave its
    // movement as it is, and only the tablet counts as left behind.
    const silent = having(tablet, seen(-2 * DAY, AWAY), seen(-2 * DAY + HOUR, HOME), seen(-HOUR, HOME))
    expect(isLeftBehind(phone, erased([resting, silent]), seen(MINUTE, AWAY))).toBe(false)
    expect(isLeftBehind(tablet, erased([resting, silent]), seen(MINUTE, HOME))).toBe(true)
  })

  it("nobody is left behind before any device moved: nothing tells which one is carried", () => {
    const still = having(phone, seen(-HOUR, AWAY))
    expect(isLeftBehind(tablet, [still, atHome])).toBe(false)
    expect(isLeftBehind(phone, [still, atHome], seen(0, AWAY))).toBe(false)
  })

  it("a device beside it is believed as well: a reading near one is near the other", () => {
    const back = having(
      phone,
      seen(-HOUR, HOME),
      ...[-30, -20].map((minute) => seen(minute * MINUTE, AWAY)),
      seen(-MINUTE, 90)
    )
    expect(isLeftBehind(tablet, [back, atHome])).toBe(false)
    expect(isLeftBehind(tablet, [back, atHome], seen(0, -11))).toBe(true)
  })

  it("a device that leaves its spot is believed with that very reading, and the one before is left behind", () => {
    expect(isLeftBehind(tablet, [leaving, atHome], seen(0, 500))).toBe(false)
    const taken = having(tablet, seen(-DAY, HOME), seen(0, 500), seen(MINUTE, 600))
    expect(isLeftBehind(phone, [leaving, taken], seen(2 * MINUTE, AWAY))).toBe(true)
  })

  it("a jump of a device at rest is believed as long as it lasts, and no longer", () => {
    const { carried, movement } = Carried.judge(
      tablet,
      [leaving, atHome],
      [seen(0, HOME), seen(MINUTE, 500), seen(2 * MINUTE, HOME)]
    )
    expect(carried.map(({ capturedAt }) => capturedAt - NOON)).toEqual([MINUTE])
    expect(movement?.movedAt).toBe(null)
  })

  it("has no say about what comes more than 24 hours after its own last reading [devices-6]", () => {
    expect(isLeftBehind(tablet, [leaving, atHome], seen(DAY - MINUTE, HOME))).toBe(true)
    expect(isLeftBehind(tablet, [leaving, atHome], seen(DAY - MINUTE + 1, HOME))).toBe(false)
  })

  it("is the second last when the last is silent", () => {
    const worn = having(watch, seen(-3 * HOUR, HOME), seen(-2 * HOUR, 5_000), seen(DAY - HOUR, 5_000))
    expect(isLeftBehind(tablet, [leaving, worn, atHome], seen(DAY, HOME))).toBe(true)
    expect(isLeftBehind(tablet, [leaving, worn, atHome], seen(DAY, 5_000))).toBe(false)
  })

  it("of two that moved at one instant a device beside either is believed", () => {
    const worn = having(watch, seen(-3 * HOUR, HOME), seen(-MINUTE, 5_000))
    for (const devices of [
      [leaving, worn, atHome],
      [worn, leaving, atHome]
    ]) {
      expect(isLeftBehind(phone, devices, seen(0, AWAY))).toBe(false)
      expect(isLeftBehind(watch, devices, seen(0, 5_000))).toBe(false)
      expect(isLeftBehind(tablet, devices, seen(0, AWAY))).toBe(false)
      expect(isLeftBehind(tablet, devices, seen(0, HOME))).toBe(true)
    }
  })

  it("says nothing of a late reading of a device that had moved within the hour, whose track would be lost [devices-6]", () => {
    // The watch was at the shop, and the phone has come home since. The watch's readings from the shop arrive only now,
    // after the phone's readings from home.
    const home = having(phone, seen(-3 * HOUR, 9_000), seen(-MINUTE, HOME))
    const shop = (rested: number) => having(watch, seen(-5 * HOUR, 9_000), seen(-2 * MINUTE - rested, AWAY))
    expect(isLeftBehind(watch, [home, shop(HOUR - 1)], seen(-2 * MINUTE, AWAY))).toBe(false)
    expect(isLeftBehind(watch, [home, shop(HOUR)], seen(-2 * MINUTE, AWAY))).toBe(true)
    // The watch captured this reading after the phone's last move, so it is not a reading that only arrives late. The
    // phone moved last, so the watch counts as left behind.
    expect(isLeftBehind(watch, [home, shop(0)], seen(0, AWAY))).toBe(true)
  })

  it("is decided reading by reading within an upload, and follows the device whether it is believed or not", () => {
    const { carried, leftBehind, movement } = Carried.judge(
      tablet,
      [leaving, atHome],
      [seen(0, HOME), seen(MINUTE, 40), seen(2 * MINUTE, 400), seen(3 * MINUTE, 410)]
    )
    expect(carried.map(({ capturedAt }) => (capturedAt - NOON) / MINUTE)).toEqual([2, 3])
    expect([...leftBehind].map(({ capturedAt }) => (capturedAt - NOON) / MINUTE)).toEqual([0, 1])
    expect(movement).toMatchObject({ movedAt: NOON + 2 * MINUTE, heardAt: NOON + 3 * MINUTE, before: null })
  })

  it("a day at the office of which the phone sent one reading counts: the tablet that came along is left behind there", () => {
    const [OFFICE, sent] = [9_000, (minute: number, metres: number) => seen(minute * MINUTE, metres)]
    const came = having(tablet, sent(0, 5_000), sent(66, HOME), sent(786, OFFICE))
    const phoneBefore = having(phone, sent(0, 5_000), sent(60, HOME), sent(780, OFFICE))
    const back = [sent(1_380, HOME), sent(1_440, HOME), sent(1_680, HOME)]
    expect(Carried.judge(phone, [phoneBefore, came], back).carried).toEqual(back)
    const phoneNow = { ...phoneBefore, movement: Carried.judge(phone, [phoneBefore, came], back).movement }
    expect(isLeftBehind(tablet, [phoneNow, came], sent(1_700, OFFICE))).toBe(true)
  })

  it("is where its newest reading is, and not only where it began to rest: a phone across the circle ends the tablet's say [devices-6]", () => {
    // A movement from 95 m to 185 m is too small to count as a move of the phone. Yet the phone is now outside the
    // circle of 100 m around home. The tablet is inside, so the tablet's readings must not count: otherwise readings of
    // phone and tablet in turn would fire exit and enter rules again and again.
    const drifted = having(phone, seen(-2 * HOUR, 400), seen(-HOUR, 95), seen(-MINUTE, 185))
    expect(isLeftBehind(tablet, [drifted, atHome])).toBe(true)
    expect(isLeftBehind(tablet, [having(phone, seen(-2 * HOUR, 400), seen(-HOUR, 95)), atHome])).toBe(false)
    const sent = Array.from({ length: 40 }, (_, index) => ({
      id: index % 2 === 0 ? tablet : phone,
      sighting: index % 2 === 0 ? seen(index * 3 * MINUTE, HOME) : seen(index * 3 * MINUTE, 185)
    }))
    expect(firings([drifted, atHome], sent)).toBe(0)
  })

  it("is where it began to rest as well: an imprecise reading of it gives the tablet no say [devices-6]", () => {
    const vague = having(phone, seen(-2 * HOUR, HOME), seen(-HOUR, AWAY), seen(-MINUTE, AWAY, 3_000))
    expect(isLeftBehind(tablet, [vague, atHome])).toBe(true)
  })

  it("nothing of another device is believed that lies across a circle from its newest reading [M14]", () => {
    const metres = FastCheck.oneof(
      { weight: 6, arbitrary: FastCheck.constantFrom(0, 40, 95, 99, 140, 185, 195, 400) },
      { weight: 1, arbitrary: FastCheck.double({ min: 0, max: 500, noNaN: true }) }
    )
    const accuracyM = FastCheck.oneof(
      { weight: 6, arbitrary: FastCheck.constantFrom(null, 10, 50) },
      { weight: 1, arbitrary: FastCheck.constantFrom(51, 120, 400) }
    )
    const sent = FastCheck.record({
      id: FastCheck.constantFrom(phone, tablet),
      after: FastCheck.constantFrom(1, 5, 15, 16, 90),
      metres,
      accuracyM
    })
    let believed = 0
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(sent, { minLength: 4, maxLength: 30 }),
        FastCheck.oneof(FastCheck.constantFrom(100, 130), FastCheck.double({ min: 100, max: 300, noNaN: true })),
        (all, radiusM) => {
          const circle = { ...at(0), radiusM }
          const newest = new Map<DeviceId, Movement.MovementFix>()
          let devices: ReadonlyArray<Carried.Companion> = [one(phone), one(tablet)]
          let minute = 0
          for (const { accuracyM, after, id, metres } of all) {
            minute += after
            const sighting = seen(minute * MINUTE, metres, accuracyM)
            const { leftBehind, movement } = Carried.judge(id, devices, [sighting])
            newest.set(id, sighting)
            devices = devices.map((device) => (device.id === id ? { ...device, movement } : device))
            const other = devices.find((device) => device.id !== id)
            const otherMoved = other?.movement?.movedAt ?? null
            const last = newest.get(other?.id ?? id)
            if (leftBehind.size > 0 || last === undefined || otherMoved === null) continue
            if ((movement?.movedAt ?? Number.NEGATIVE_INFINITY) >= otherMoved) continue
            believed++
            const sides = [sighting, last].map((each) => Geometry.sideOf(circle, each, each.accuracyM))
            expect(sides.includes("inside") && sides.includes("outside")).toBe(false)
          }
        }
      ),
      { numRuns: 1_000 }
    )
    expect(believed).toBeGreaterThan(500)
  })

  it("what is past the owner's choice of history decides nothing", () => {
    expect(Carried.remembered([leaving], null)).toEqual([leaving])
    expect(Carried.remembered([leaving], time(NOON - MINUTE - 1))).toEqual([leaving])
    expect(Carried.remembered([leaving], time(NOON - MINUTE))).toEqual([{ ...leaving, movement: null }])
  })
})
