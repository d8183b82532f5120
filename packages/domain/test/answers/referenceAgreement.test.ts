import { CurrentPlace, PlaceAtMoment, Presence } from "@place-access/domain/answers"
import { Fix, Nearest } from "@place-access/domain/fixes"
import { type Geometry, Place, type Shape } from "@place-access/domain/places"
import { DeviceId, PlaceId, Timestamp, UserId } from "@place-access/domain/shared"
import { FastCheck } from "effect"
import { describe, expect, it } from "vitest"
import { travel } from "../support/geodesic.js"
import {
  type KnownFix,
  type KnownPlace,
  referenceCurrent,
  referenceLookup,
  referencePresence
} from "../support/referenceAnswers.js"
import { haveTraces, traces, TRACES_NEEDED } from "../support/traces.js"

const USER = UserId.make("usr_1")
const DEVICE = DeviceId.make("dev_1")
const time = Timestamp.make

const stored = (fixes: ReadonlyArray<KnownFix>): ReadonlyArray<Fix.StoredFix> =>
  fixes.map((fix) => ({
    userId: USER,
    deviceId: DEVICE,
    capturedAt: time(fix.capturedAt),
    lat: fix.lat,
    lon: fix.lon,
    accuracyM: Fix.accuracy(fix.accuracy),
    altitudeM: null,
    speedMps: null,
    courseDeg: null,
    receivedAt: time(fix.capturedAt)
  }))

const placeOf = ({ archivedAt, circles, id }: KnownPlace): Place.Place => {
  const last = circles[circles.length - 1]!
  const draft = { label: Place.Label.make(id), kind: "other", circle: last } as const
  return {
    ...Place.make(USER, PlaceId.make(id), draft, time(0)),
    geometryVersion: circles.length,
    archivedAt: archivedAt === null ? null : time(archivedAt)
  }
}

const shapesOf = ({ circles, id }: KnownPlace): ReadonlyArray<Shape.Shape> =>
  circles.map(({ since, ...circle }, index) => ({
    placeId: PlaceId.make(id),
    geometryVersion: index + 1,
    validFrom: index === 0 ? null : time(since),
    circle
  }))

/**
 * Computes the answers with the product's code, in the form of the reference implementation (`referenceAnswers.ts`), so
 * that a test can compare both results.
 */
const product = (places: ReadonlyArray<KnownPlace>, fixes: ReadonlyArray<KnownFix>) => {
  const all = stored(fixes)
  const newest = [...all].sort(Fix.newestFirst)
  const since = (now: number, maxAgeS: number) => time(now - maxAgeS * 1_000)
  return {
    current: (now: number, maxAgeS: number) => {
      const visible = places.filter(({ archivedAt }) => archivedAt === null).map(placeOf)
      const { asOf, place, state } = CurrentPlace.decide(visible, newest, since(now, maxAgeS))
      return { state, place: place?.id ?? null, asOf }
    },
    presence: (circle: Geometry.Circle, now: number, maxAgeS: number) =>
      Presence.decide(circle, newest, since(now, maxAgeS)),
    lookup: (at: number, toleranceS: number) => {
      const nearest = Nearest.of(time(at), all, toleranceS * 1_000)
      const decision = PlaceAtMoment.decide(places.map(placeOf), places.flatMap(shapesOf), nearest)
      return { ...decision, place: decision.place?.id ?? null }
    }
  }
}

const NOW = Date.UTC(2026, 0, 15, 12)
const CENTRE = { lat: 52.37, lon: 4.89 }

/**
 * Ages and time limits, in seconds: the values at which an answer changes, and the values just below and above. In the
 * same way, the radii and distances in this file put fixes just inside and just outside each circle.
 */
const SECONDS = [0, 1, 59, 60, 449, 450, 451, 899, 900, 901, 3_600, 86_399, 86_400, 86_401]
const radius = FastCheck.constantFrom(100, 150, 300, 1_000, 10_000)
const circle = FastCheck.record({
  azimuth: FastCheck.constantFrom(0, 90, 200),
  metres: FastCheck.constantFrom(0, 20, 149, 300),
  radiusM: radius
})
const age = FastCheck.record({
  seconds: FastCheck.constantFrom(...SECONDS),
  millis: FastCheck.constantFrom(-1, 0, 0, 1)
})
const ageMs = age.map(({ millis, seconds }) => seconds * 1_000 + millis)

const place = FastCheck.record({
  id: FastCheck.constantFrom("a", "b", "c", "d"),
  circles: FastCheck.array(FastCheck.record({ circle, age: ageMs }), { minLength: 1, maxLength: 3 }),
  archived: FastCheck.option(ageMs, { freq: 3 })
}).map(({ archived, circles, id }): KnownPlace => {
  const since = circles.map((one) => NOW - one.age).sort((a, b) => a - b)
  return {
    id,
    circles: circles.map((one, index) => ({
      // The distance is multiplied by a factor that depends on the direction, because circles in different directions
      // must not have equal distances. So two circles have either the same centre, or centres at clearly different
      // distances. A distance of 0 m always gives `CENTRE`: `travel` would round differently in each direction, and
      // chance would decide which centre is nearer.
      ...(one.circle.metres === 0
        ? CENTRE
        : travel(CENTRE, one.circle.azimuth, one.circle.metres * (1 + one.circle.azimuth / 1_000))),
      radiusM: one.circle.radiusM,
      since: index === 0 ? Number.NEGATIVE_INFINITY : (since[index] ?? 0)
    })),
    archivedAt: archived === null ? null : NOW - archived
  }
})

const fix = FastCheck.record({
  ageMs,
  azimuth: FastCheck.constantFrom(0, 90, 200),
  // The distances are half a metre from each value at which an answer changes, because the product and Karney's
  // geodesic algorithm, with which the test computes the expected answer, may differ by millimetres.
  metres: FastCheck.constantFrom(0, 49.5, 50.5, 99.5, 100.5, 199.5, 200.5, 249.5, 949.5, 1_050.5, 9_949.5, 10_050.5),
  accuracy: FastCheck.constantFrom(null, 0, -1, 5, 50, 51, 100, 5_000)
}).map((one): KnownFix => ({
  ...travel(CENTRE, one.azimuth, one.metres),
  capturedAt: NOW - one.ageMs,
  accuracy: one.accuracy
}))

describe("answers against a second writing of Spec §4.5 and decision L9 [L9]", () => {
  it("agree on generated places, moves, archives and fixes, at the edges of every limit [§4.5-current-place, §4.5-lookup-nearest]", () => {
    const met = new Set<string>()
    const property = FastCheck.property(
      FastCheck.uniqueArray(place, { maxLength: 4, selector: ({ id }) => id }),
      FastCheck.array(fix, { maxLength: 12 }),
      FastCheck.constantFrom(1, 60, 900, 86_400),
      ageMs,
      (places, fixes, seconds, agoMs) => {
        const answers = product(places, fixes)
        const current = answers.current(NOW, seconds)
        expect(current).toEqual(referenceCurrent(places, fixes, NOW, seconds))
        const lookup = answers.lookup(NOW - agoMs, seconds)
        expect(lookup).toEqual(referenceLookup(places, fixes, NOW - agoMs, seconds))
        met.add(current.state).add(lookup.asOf === null ? "none near" : lookup.place === null ? "nowhere" : "matched")
        for (const { circles } of places) {
          const circle = circles[circles.length - 1]!
          const presence = answers.presence(circle, NOW, seconds)
          expect(presence).toEqual(referencePresence(circle, fixes, NOW, seconds))
          met.add(presence.state)
        }
      }
    )
    FastCheck.assert(property, { numRuns: 1_000 })
    expect([...met].sort()).toEqual([
      "at_place",
      "elsewhere",
      "matched",
      "no",
      "none near",
      "nowhere",
      "unknown",
      "yes"
    ])
  })

  describe.skipIf(!haveTraces)(`on logs of real phones${TRACES_NEEDED}`, () => {
    it.each(haveTraces ? traces().map((trace) => [trace.name, trace] as const) : [])("%s", (_, { fixes }) => {
      const possible = fixes.filter(
        (fix) => Fix.judge({ ...fix, capturedAt: time(fix.capturedAt) }, time(fix.receivedAt))._tag === "Fix"
      )
      // The centres are positions of the phone, so the phone enters and leaves these places.
      const places = [0, 0.3, 0.6, 0.9].flatMap((part, index): ReadonlyArray<KnownPlace> => {
        const at = possible[Math.floor(part * possible.length)]
        if (at === undefined) return []
        const radiusM = [150, 100, 1_000, 5_000][index] ?? 150
        return [{ id: `p${index}`, circles: [{ ...at, radiusM, since: Number.NEGATIVE_INFINITY }], archivedAt: null }]
      })
      const answers = product(places, possible)
      for (let index = 0; index < possible.length; index += 12) {
        const at = possible[index]?.capturedAt ?? 0
        for (const [offset, tolerance] of [
          [0, 0],
          [450_000, 900],
          [-1_799_000, 900],
          [40_000_000, 86_400]
        ] as const) {
          expect(answers.lookup(at + offset, tolerance)).toEqual(
            referenceLookup(places, possible, at + offset, tolerance)
          )
        }
      }
      // Compares the answers about the present at twenty times, evenly spread over the log. At each time, only the
      // fixes that were received by then are known.
      const received = [...possible].sort((a, b) => a.receivedAt - b.receivedAt)
      for (let step = 1; step <= 20; step++) {
        const known = received.slice(0, Math.ceil((received.length * step) / 20))
        const now = known.at(-1)?.receivedAt ?? 0
        const then = product(places, known)
        for (const maxAgeS of [60, 900, 86_400]) {
          expect(then.current(now, maxAgeS)).toEqual(referenceCurrent(places, known, now, maxAgeS))
          for (const { circles } of places) {
            const circle = circles[0]!
            expect(then.presence(circle, now, maxAgeS)).toEqual(referencePresence(circle, known, now, maxAgeS))
          }
        }
      }
    })
  })
})
