import { Carried, Movement } from "@place-access/domain/devices"
import { Fix } from "@place-access/domain/fixes"
import { RuleEvaluation } from "@place-access/domain/rules"
import { DeviceId } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { reading } from "../support/replay.js"
import { MINUTE, question, time } from "../support/rules.js"
import { haveTraces, type Trace, traces, TRACES_NEEDED } from "../support/traces.js"

const DEVICES = [DeviceId.make("dev_phone"), DeviceId.make("dev_tablet")] as const

interface SentReading {
  readonly device: 0 | 1
  readonly fix: Fix.Fix
}

/**
 * The fixes of a log in the order of capture. Fixes before the first precise fix are left out. The position of the
 * first precise fix counts as home.
 */
const fixesOf = ({ fixes }: Trace): readonly [Fix.Fix, ...ReadonlyArray<Fix.Fix>] => {
  const judged = fixes.map((fix) => Fix.judge(reading(fix), time(Math.max(fix.capturedAt, fix.receivedAt))))
  const sorted = Fix.sortedAndDistinct(judged.flatMap((one) => (one._tag === "Fix" ? [one.fix] : [])))
  const [home, ...rest] = sorted.slice(sorted.findIndex(({ accuracyM }) => accuracyM !== null && accuracyM <= 50))
  if (home === undefined) throw new Error("A log without a precise reading")
  return [home, ...rest]
}

/**
 * Judges and evaluates each reading separately. Returns which rules about home fire and when, and for each device the
 * number of its readings that came while it was left behind.
 */
const fired = (home: Fix.Fix, sent: ReadonlyArray<SentReading>, isBelieved: (isLeftBehind: boolean) => boolean) => {
  const circle = { lat: home.lat, lon: home.lon, radiusM: 150 }
  let devices: ReadonlyArray<Carried.Companion> = DEVICES.map((id) => ({
    id,
    staysAtHome: false,
    lastSeenAt: time(home.capturedAt),
    movement: null
  }))
  let states = [RuleEvaluation.unseeded("1"), RuleEvaluation.unseeded("1")]
  const firings: Array<string> = []
  const leftBehind = [0, 0]
  for (const { device, fix } of sent) {
    const judged = Carried.judge(DEVICES[device], devices, [fix])
    devices = devices.map((one, index) => (index === device ? { ...one, movement: judged.movement } : one))
    leftBehind[device] = (leftBehind[device] ?? 0) + judged.leftBehind.size
    if (!isBelieved(judged.leftBehind.size > 0)) continue
    states = (["enter", "exit"] as const).map((type, index) => {
      const state = states[index] ?? RuleEvaluation.unseeded("1")
      const { outcome, state: after } = RuleEvaluation.step(question({ type, circle }), state, fix, fix.capturedAt)
      if (outcome === "fired") firings.push(`${type} ${fix.capturedAt}`)
      return after
    })
  }
  return { firings, leftBehind }
}

const decided = (isLeftBehind: boolean): boolean => !isLeftBehind
const always = (): boolean => true

describe.skipIf(!haveTraces)(`devices beside the logs of real phones (decision M14)${TRACES_NEEDED}`, () => {
  it.each(haveTraces ? traces().map((trace) => [trace.name, trace] as const) : [])(
    "%s: a tablet at home changes no firing, and neither does a second phone in the same pocket [M14]",
    (_, trace) => {
      const fixes = fixesOf(trace)
      const [home] = fixes
      const end = fixes.at(-1)?.capturedAt ?? home.capturedAt
      const phone = fixes.map((fix): SentReading => ({ device: 0, fix }))
      const alone = fired(home, phone, decided)
      expect(alone.leftBehind).toEqual([0, 0])

      const tablet: Array<SentReading> = []
      for (let at = home.capturedAt + 1; at < end; at += 2 * MINUTE)
        tablet.push({ device: 1, fix: { ...home, capturedAt: time(at), accuracyM: 20 } })
      const both = [...phone, ...tablet].sort((a, b) => a.fix.capturedAt - b.fix.capturedAt)
      const beside = fired(home, both, decided)
      expect(beside.firings).toEqual(alone.firings)
      expect(beside.leftBehind[0]).toBe(0)
      // For comparison: if the readings of both devices count, the rules about home fire all day, because the phone is
      // away and the tablet is at home. The shortest logs have too few fixes for many firings.
      const before = fired(home, both, always)
      expect(before.firings.length > 3 * alone.firings.length || fixes.length < 100).toBe(true)

      const pocket = fixes.map((fix, index): SentReading => ({ device: index % 2 === 0 ? 0 : 1, fix }))
      expect(fired(home, pocket, decided).firings).toEqual(fired(home, pocket, always).firings)
    }
  )

  it("few readings are jumps that are taken back: a device at rest does not become the one that moved last", () => {
    let [readings, moves, takenBack] = [0, 0, 0]
    let longest = 0
    for (const trace of traces()) {
      let movement: Movement.Movement | null = null
      for (const fix of fixesOf(trace)) {
        const before: Movement.Movement | null = movement
        movement = Movement.step(before, fix)
        readings++
        if (before === null || movement.movedAt === before.movedAt) continue
        if (movement.movedAt === fix.capturedAt) moves++
        else {
          takenBack++
          longest = Math.max(longest, fix.capturedAt - (before.movedAt ?? 0))
        }
      }
    }
    expect(readings).toBeGreaterThan(4_500)
    expect(moves / readings).toBeGreaterThan(0.25)
    expect(takenBack).toBeGreaterThan(5)
    expect(takenBack).toBeLessThan(readings / 100)
    // A jump is undone when the device comes back within `Movement.JUMP`. In these logs each undone jump lasted less
    // than a tenth of this limit. The limit is long because a phone may send only one reading of a whole trip.
    expect(longest).toBeLessThan(Movement.JUMP / 10)
  })
})
