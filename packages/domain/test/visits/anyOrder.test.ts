import { Fix } from "@place-access/domain/fixes"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Random, random } from "../support/random.js"
import { reading } from "../support/replay.js"
import { time } from "../support/rules.js"
import { haveTraces, type Trace, traces, TRACES_NEEDED } from "../support/traces.js"
import { type Happening, shuffle, visitLifeOf } from "../support/visitLives.js"
import { replayVisits } from "../support/visitReplay.js"
import { VisitStores } from "../support/visits.js"

const LIVES = 60

describe("visits against a second writing of Spec §4.5 and decision L10", () => {
  it.effect("any chunking and order of the same uploads gives the same visits [§4.5.6, M14]", () =>
    Effect.gen(function* () {
      let visits = 0
      for (let seed = 1; seed <= LIVES; seed++) {
        for (const uploads of [seed, -seed]) {
          const life = visitLifeOf(seed, uploads)
          const { expected, told } = yield* replayVisits(life, `${seed}`, 1 + (seed % 7)).pipe(
            Effect.provide(VisitStores)
          )
          expect({ seed, uploads, told }).toEqual({ seed, uploads, told: expected })
          visits += told.length
        }
      }
      expect(visits).toBeGreaterThan(LIVES)
    })
  )

  it.effect.skipIf(!haveTraces)(`on the logs of real phones${TRACES_NEEDED}`, () =>
    Effect.gen(function* () {
      let visits = 0
      for (const [index, trace] of traces().entries()) {
        for (const pieces of [asStored, backwards, inDisorder]) {
          const { expected, told } = yield* replayVisits({ happenings: lifeWith(trace, pieces) }, `${index}`, 3).pipe(
            Effect.provide(VisitStores)
          )
          expect({ trace: trace.name, told }).toEqual({ trace: trace.name, told: expected })
          visits += told.length
        }
      }
      expect(visits).toBeGreaterThan(100)
    })
  )
})

type Fixes = Trace["fixes"]
type Pieces = (fixes: Fixes, dice: Random) => ReadonlyArray<Fixes>

const asStored: Pieces = (fixes) => chunks(fixes, () => 40)
const backwards: Pieces = (fixes) => chunks(fixes.toReversed(), () => 97)
const inDisorder: Pieces = (fixes, dice) => chunks(shuffle(dice, fixes), () => 1 + dice.below(60))

const chunks = (fixes: Fixes, size: () => number): ReadonlyArray<Fixes> => {
  const pieces: Array<Fixes> = []
  for (let index = 0; index < fixes.length;) {
    const piece = fixes.slice(index, index + size())
    pieces.push(piece)
    index += piece.length
  }
  return pieces
}

/**
 * A scenario with places where the phone was. One of the places is moved in the middle of the log. All uploads arrive
 * at the time of the last capture.
 */
const lifeWith = ({ fixes }: Trace, pieces: Pieces) => {
  const dice = random(fixes.length)
  const possible = fixes.filter((fix) => Fix.judge(reading(fix), time(fix.capturedAt))._tag === "Fix")
  const distinct = [...new Map(possible.map((fix) => [`${fix.capturedAt} ${fix.lat} ${fix.lon}`, fix])).values()]
  const times = distinct.map((fix) => fix.capturedAt).sort((a, b) => a - b)
  const [begin, middle, end] = [0, 0.5, 1].map((part) => times[Math.floor(part * (times.length - 1))] ?? 0)
  const happenings: Array<readonly [number, Happening]> = []
  const centres = distinct.filter((fix) => fix.accuracy > 0 && fix.accuracy <= 100)
  for (const part of [0, 0.25, 0.5, 0.75]) {
    const { lat = 0, lon = 0 } = centres[Math.floor(part * centres.length)] ?? {}
    for (const radiusM of [150, 1_000]) {
      happenings.push([
        begin ?? 0,
        { _tag: "Created", circle: { lat, lon, radiusM }, earlier: part < 0.5, isShared: true }
      ])
    }
  }
  const [, , aside] = centres
  const moved: readonly [number, Happening] = [
    middle ?? 0,
    { _tag: "Moved", place: 0, circle: { lat: aside?.lat ?? 0, lon: aside?.lon ?? 0, radiusM: 300 } }
  ]
  const uploads = pieces(distinct, dice).flatMap((piece): ReadonlyArray<readonly [number, Happening]> => [
    [end ?? 0, { _tag: "Upload", phone: 0, fixes: piece, reports: [] }],
    [end ?? 0, { _tag: "Derived", phone: 0, stepsMax: dice.below(4), fixesAStep: 1 + dice.below(100) }]
  ])
  const when = dice.below(uploads.length)
  return [...happenings, ...uploads.slice(0, when), moved, ...uploads.slice(when)]
}
