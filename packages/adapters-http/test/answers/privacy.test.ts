import { FastCheck } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hidden, type Spot, SPOTS, type Step, witnessed } from "../support/twoWorlds.js"
import { startWorld, type World } from "../support/World.js"

const tag = <Tag extends string>(value: Tag): FastCheck.Arbitrary<Tag> => FastCheck.constant(value)

/**
 * Positions and sizes of places. Some places overlap, contain or touch each other or the shared places. Some readings
 * are exactly on the edge of a place, where a wrong comparison would show.
 */
const spot = FastCheck.constantFrom(...(Object.keys(SPOTS) as ReadonlyArray<Spot>))
const radiusM = FastCheck.constantFrom(100, 150, 300, 1_000, 10_000)
const label = FastCheck.constantFrom("Home", "A", "Zoo", "Clinic, second floor, ask for Dr. Jansen")
const age = FastCheck.constantFrom(0, 1, 59, 300, 899, 901, 1_800, 7_200, 80_000)
const place = FastCheck.nat({ max: 3 })

const made: FastCheck.Arbitrary<Hidden> = FastCheck.record({ _tag: tag("Made"), spot, radiusM, label })
const hidden: FastCheck.Arbitrary<Hidden> = FastCheck.oneof(
  { weight: 3, arbitrary: made },
  FastCheck.record({ _tag: tag("Moved"), place, spot, radiusM }),
  FastCheck.record({ _tag: tag("Renamed"), place, label }),
  FastCheck.record({ _tag: tag("Archived"), place }),
  FastCheck.record({ _tag: tag("SharedWithAnother"), place }),
  // The service treats two visits of a phone with the same arrival as one visit. The 7 seconds keep a hidden visit from
  // arriving at the same moment as a visit that is in both of the compared worlds.
  FastCheck.record({ _tag: tag("Stayed"), from: age.map((seconds) => seconds + 7), to: FastCheck.option(age) })
)

const seen = FastCheck.record({
  _tag: tag("Seen"),
  spot,
  ages: FastCheck.uniqueArray(age, { minLength: 1, maxLength: 3 }),
  accuracyM: FastCheck.constantFrom(10, 60, 400)
})
const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  { weight: 4, arbitrary: seen },
  {
    weight: 2,
    arbitrary: FastCheck.record({
      _tag: tag("Passed"),
      minutes: FastCheck.constantFrom(1, 6, 14, 61, 1_500)
    })
  },
  FastCheck.record({
    _tag: tag("Stayed"),
    spot: FastCheck.constantFrom("home" as const, "work" as const),
    from: age,
    to: FastCheck.option(age)
  }),
  FastCheck.record({
    _tag: tag("Shared"),
    home: FastCheck.boolean(),
    work: FastCheck.boolean(),
    earlier: FastCheck.boolean()
  }),
  // The shared place never moves to `nowhere`, the spot of the visits that the app must not see. After such a move, the
  // app would be allowed to see them.
  FastCheck.record({ _tag: tag("Moved"), spot: spot.filter((to) => to !== "nowhere") }),
  FastCheck.constant({ _tag: "Asked" } as const)
)

const life = FastCheck.array(
  FastCheck.record({
    step,
    ours: FastCheck.array(hidden, { maxLength: 2 }),
    theirs: FastCheck.array(hidden, { maxLength: 1 })
  }),
  { minLength: 4, maxLength: 12 }
)

/**
 * A clinic near the edge of home, of which the app may not learn. In `A_DAY` the person comes home, is at work for an
 * hour, near the clinic, and at home again. The test compares two worlds. Only in one of them, the clinic is a place of
 * the person, and the phone reports a visit elsewhere.
 */
const CLINIC = { _tag: "Made", spot: "homeEdge", radiusM: 100, label: "Clinic" } as const
const at = (spot: Spot, ages: ReadonlyArray<number>) => ({ _tag: "Seen", spot, ages, accuracyM: 10 }) as const
const A_DAY = [
  { step: at("nowhere", [1_800]), ours: [], theirs: [] },
  { step: at("home", [900, 300, 0]), ours: [], theirs: [] },
  { step: { _tag: "Passed", minutes: 61 } as const, ours: [], theirs: [] },
  { step: at("work", [3_000, 900, 0]), ours: [{ _tag: "Archived", place: 0 } as const, CLINIC], theirs: [] },
  { step: { _tag: "Stayed", spot: "work", from: 3_000, to: 0 } as const, ours: [], theirs: [] },
  { step: at("homeEdge", [0]), ours: [{ _tag: "Stayed", from: 900, to: 600 } as const], theirs: [] },
  { step: { _tag: "Passed", minutes: 14 } as const, ours: [], theirs: [] },
  { step: at("home", [600, 0]), ours: [], theirs: [] }
]

let worlds: ReadonlyArray<World> = []
beforeAll(async () => {
  worlds = [await startWorld(), await startWorld()]
})
afterAll(() => Promise.all(worlds.map((world) => world.close())))

describe("privacy is the product", () => {
  it("two worlds that differ only in places that are not shared answer alike: status, bytes, header names and sizes, pages, events [§1.2, answers-1]", async () => {
    const met: Array<string> = []
    let run = 0
    const property = FastCheck.asyncProperty(life, made, FastCheck.boolean(), async (steps, first, sendsVisits) => {
      // A phone reports an arrival only after it has left its last place. So in a run in which a visit has no
      // departure, neither of the two compared worlds reports hidden visits elsewhere.
      const isOpen = steps.some(({ step }) => step._tag === "Stayed" && step.to === null)
      const possible = (all: ReadonlyArray<Hidden>) => all.filter(({ _tag }) => !isOpen || _tag !== "Stayed")
      const lives = [
        steps.map(({ ours, step }, index) => ({ step, hidden: possible(index === 0 ? [first, ...ours] : ours) })),
        steps.map(({ step, theirs }) => ({ step, hidden: possible(theirs) }))
      ]
      run += 1
      const [ours = [], theirs = []] = await Promise.all(
        worlds.map((world, index) => witnessed(world, run, lives[index] ?? [], sendsVisits))
      )
      met.push(...ours)
      const noticed = ours.map((one, index) => [one, theirs[index]]).filter(([one, other]) => one !== other)
      // The test throws an error whose message contains the difference: when an assertion inside a property fails, only
      // the message of the error is shown.
      if (noticed.length > 0) throw new Error(noticed[0]?.join("\n"))
      expect(theirs).toHaveLength(ours.length)
    })
    await FastCheck.assert(property, {
      numRuns: 10,
      examples: [
        [A_DAY, CLINIC, false],
        [A_DAY, CLINIC, true]
      ]
    })
    // The app must have learned each of the following texts in some run. If it had learned nothing, two equal worlds
    // would prove nothing.
    for (const text of ["at_place", "departure", "evt_", "fired", '\\"matched\\":true'])
      expect(met.join()).toContain(text)
  })
})
