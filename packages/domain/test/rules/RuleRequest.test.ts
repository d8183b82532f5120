import { RuleRequest } from "@place-access/domain/rules"
import { type Invalid, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { NOON, time } from "../support/rules.js"

const iso = (millis: number): string => Timestamp.toIso(time(millis))

const check = (request: RuleRequest.PlaceRuleRequest) =>
  RuleRequest.checkPlace({ placeId: "plc_1", type: "enter", ...request }, time(NOON))

/** The names of the fields that have an invalid value in the request. */
const wrong = (request: RuleRequest.PlaceRuleRequest): ReadonlyArray<string> => {
  const checked = check(request)
  return Either.isLeft(checked) ? checked.left.problems.map((problem) => problem.field) : []
}

describe("a request for a place rule [§2.6, §4.6]", () => {
  it("with nothing optional: null means the same as left out", () => {
    const nothing = {
      dwellMinutes: null,
      settleS: null,
      silenceS: null,
      webhookUrl: null,
      activeFrom: null,
      activeUntil: null,
      maxEventAgeS: null
    }
    const expected = Either.right({
      placeId: "plc_1",
      terms: {
        type: "enter",
        dwellMinutes: null,
        settleS: null,
        silenceS: null,
        webhookUrl: null,
        window: { from: null, until: null },
        maxEventAgeS: null
      }
    })
    expect(check({})).toEqual(expected)
    expect(check(nothing)).toEqual(expected)
  })

  it("takes every optional field", () => {
    const request = {
      type: "dwell",
      dwellMinutes: 5,
      webhookUrl: "https://hooks.example.com/",
      activeFrom: iso(NOON - 1),
      activeUntil: iso(NOON + 1),
      maxEventAgeS: 30
    }
    expect(Either.getOrThrow(check(request)).terms).toEqual({
      type: "dwell",
      dwellMinutes: 5,
      settleS: null,
      silenceS: null,
      webhookUrl: "https://hooks.example.com/",
      window: { from: NOON - 1, until: NOON + 1 },
      maxEventAgeS: 30
    })
  })

  it("every problem at once: wrong types, wrong values, and a window that ends before it starts", () => {
    expect(
      wrong({
        placeId: 5,
        type: "arrive",
        dwellMinutes: "5",
        webhookUrl: {},
        activeFrom: "tomorrow",
        activeUntil: iso(NOON - 1),
        maxEventAgeS: 29.5
      })
    ).toEqual(["type", "dwell_minutes", "webhook_url", "active_from", "max_event_age_s", "active_until", "place_id"])
  })

  it("settle_s: a whole number from 0 to 300, read for arrivals and departures only [rules-13]", () => {
    const settled = (settleS: unknown, type = "exit") =>
      check({ placeId: "plc_1", type, dwellMinutes: 5, settleS }).pipe(Either.map(({ terms }) => terms.settleS))
    for (const seconds of [0, 1, 300]) expect(settled(seconds)).toEqual(Either.right(seconds))
    expect(settled(300, "dwell")).toEqual(Either.right(null))
    for (const settleS of [-1, 301, 1.5, "60", true])
      expect(wrong({ placeId: "p", type: "enter", settleS })).toEqual(["settle_s"])
  })

  it("max_event_age_s is greater than settle_s: an older event would never be sent [rules-13]", () => {
    const request = (maxEventAgeS: number) => ({ placeId: "p", type: "enter", settleS: 120, maxEventAgeS })
    expect(wrong(request(120))).toEqual(["max_event_age_s"])
    expect(Either.isRight(check({ ...request(121), placeId: "plc_1" }))).toBe(true)
  })

  it("silence_s: a whole number from 300 to 1,800, read for dwells only; less than max_event_age_s [rules-14]", () => {
    const request = (silenceS: unknown, type = "dwell") => ({ placeId: "plc_1", type, dwellMinutes: 5, silenceS })
    const silent = (silenceS: unknown, type?: string) =>
      check(request(silenceS, type)).pipe(Either.map(({ terms }) => terms.silenceS))
    for (const seconds of [300, 600, 1_800]) expect(silent(seconds)).toEqual(Either.right(seconds))
    expect(silent(undefined)).toEqual(Either.right(null))
    for (const type of ["enter", "exit"]) expect(silent(1, type)).toEqual(Either.right(null))
    for (const silenceS of [0, 299, 1_801, 300.5, "600", true]) expect(wrong(request(silenceS))).toEqual(["silence_s"])
    expect(wrong({ ...request(600), maxEventAgeS: 600 })).toEqual(["max_event_age_s"])
    expect(Either.isRight(check({ ...request(600), maxEventAgeS: 601 }))).toBe(true)
  })

  it("messages never repeat what was sent", () => {
    const canary = "canary"
    const checked = RuleRequest.checkPlace(
      { placeId: [canary], type: canary, dwellMinutes: canary, activeFrom: canary, activeUntil: canary },
      time(NOON)
    )
    expect(JSON.stringify(checked)).not.toContain(canary)
  })

  it.each([
    ["dwell", 5, []],
    ["dwell", 720, []],
    ["dwell", 4, ["dwell_minutes"]],
    ["dwell", 721, ["dwell_minutes"]],
    ["dwell", 5.5, ["dwell_minutes"]],
    ["dwell", Number.NaN, ["dwell_minutes"]],
    ["dwell", null, ["dwell_minutes"]],
    ["dwell", undefined, ["dwell_minutes"]]
  ])("dwell minutes are required for dwell rules: %s with %s [§8-dwell, M11]", (type, dwellMinutes, fields) => {
    expect(wrong({ type, dwellMinutes })).toEqual(fields)
  })

  it.each([
    ["enter", 5],
    ["exit", 720],
    ["enter", 4],
    ["exit", "soon"],
    ["exit", null],
    ["enter", undefined]
  ])("dwell minutes of another rule are ignored, and the rule has none: %s with %s [rules-4]", (type, dwellMinutes) => {
    const checked = check({ type, dwellMinutes })
    expect(Either.getOrThrow(checked).terms).toMatchObject({ type, dwellMinutes: null })
  })

  it.each([
    [29, ["max_event_age_s"]],
    [30, []],
    [3_600, []],
    [3_601, ["max_event_age_s"]],
    [30.5, ["max_event_age_s"]]
  ])("max_event_age_s is a whole number from 30 to 3600: %d [§8-event-age]", (maxEventAgeS, fields) => {
    expect(wrong({ maxEventAgeS })).toEqual(fields)
  })

  it.each([
    ["closed already", { activeUntil: iso(NOON - 1) }, ["active_until"]],
    ["closing now", { activeUntil: iso(NOON) }, ["active_until"]],
    ["closing next", { activeUntil: iso(NOON + 1) }, []],
    ["ending before it starts", { activeFrom: iso(NOON + 2), activeUntil: iso(NOON + 1) }, ["active_until"]],
    ["ending as it starts", { activeFrom: iso(NOON + 1), activeUntil: iso(NOON + 1) }, ["active_until"]],
    ["of one millisecond", { activeFrom: iso(NOON + 1), activeUntil: iso(NOON + 2) }, []],
    ["open already", { activeFrom: iso(NOON - 9) }, []]
  ])("a window %s [§4.6.6-window, rules-3]", (_, request, fields) => {
    expect(wrong(request)).toEqual(fields)
  })

  it.each(["2026-01-15", "2026-01-15T12:00:00", "1768478400000", 1_768_478_400_000, "2026-02-30T00:00:00Z"])(
    "a time must be ISO 8601 with a zone: %s is not",
    (activeUntil) => {
      expect(wrong({ activeUntil })).toEqual(["active_until"])
    }
  )
})

describe("a request for a zone rule [§4.6, §8]", () => {
  const zone = { type: "enter", lat: 52.37, lon: 4.89, radiusM: 100, label: "Quay" }
  const wrongZone = (request: RuleRequest.ZoneRuleRequest): ReadonlyArray<string> => {
    const checked = RuleRequest.checkZone({ ...zone, ...request }, time(NOON))
    return Either.isLeft(checked) ? checked.left.problems.map((problem) => problem.field) : []
  }

  it("every problem at once, those of any rule and those of the zone", () => {
    const nothing = { type: null, lat: null, lon: null, radiusM: null, label: null, activeUntil: iso(NOON) }
    expect(wrongZone(nothing)).toEqual(["type", "active_until", "lat", "lon", "radius_m", "label"])
  })

  it.each([undefined, null])("a required field that is %s is missing [rules-1]", (none) => {
    const place = RuleRequest.checkPlace({ type: none, placeId: none }, time(NOON))
    const zone = RuleRequest.checkZone({ type: none, lat: none, lon: none, radiusM: none, label: none }, time(NOON))
    const required = { place: ["type", "place_id"], zone: ["type", "lat", "lon", "radius_m", "label"] }
    for (const [checked, fields] of [[place, required.place] as const, [zone, required.zone] as const]) {
      const { problems } = Either.getOrThrow(Either.flip<unknown, Invalid>(checked))
      expect(problems.map(({ field, message }) => [field, message])).toEqual(fields.map((one) => [one, "is missing"]))
    }
  })

  it.each([
    ["lat", { lat: -90 }, { lat: 90 }, { lat: -90.000_001 }, { lat: 90.000_001 }],
    ["lon", { lon: -180 }, { lon: 180 }, { lon: -180.000_001 }, { lon: 180.000_001 }],
    ["radius_m", { radiusM: 100 }, { radiusM: 10_000 }, { radiusM: 99.999 }, { radiusM: 10_000.001 }],
    ["label", { label: "é" }, { label: "🏡".repeat(80) }, { label: " " }, { label: "🏡".repeat(81) }]
  ] as const)(
    "%s: both ends of its range are in it, and nothing beyond [§8-radius]",
    (field, least, most, less, more) => {
      expect([wrongZone(least), wrongZone(most)]).toEqual([[], []])
      expect([wrongZone(less), wrongZone(more)]).toEqual([[field], [field]])
    }
  )

  it.each([
    ["lat", { lat: "52" }],
    ["lat", { lat: Number.NaN }],
    ["lon", { lon: Number.POSITIVE_INFINITY }],
    ["radius_m", { radiusM: [100] }],
    ["label", { label: 5 }],
    ["label", { label: "\u202Eyauq" }]
  ])("%s: what is no such value is refused [§8-radius]", (field, request) => {
    expect(wrongZone(request)).toEqual([field])
  })

  it("settle_s and its bound by max_event_age_s hold for zones, too [rules-13]", () => {
    expect([wrongZone({ settleS: 300 }), wrongZone({ settleS: 301 })]).toEqual([[], ["settle_s"]])
    expect(wrongZone({ settleS: 120, maxEventAgeS: 121 })).toEqual([])
    expect(wrongZone({ settleS: 120, maxEventAgeS: 120 })).toEqual(["max_event_age_s"])
  })

  it("messages never repeat what was sent", () => {
    const canary = "canary"
    const checked = RuleRequest.checkZone(
      { type: canary, lat: canary, lon: [canary], radiusM: { canary }, label: canary.repeat(20) },
      time(NOON)
    )
    expect(JSON.stringify(checked)).not.toContain(canary)
  })
})
