import { ConfigProvider, Effect, Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { failureOf, parse, worldAddress } from "../../src/virtual/orders.js"
import { ClockFields, orderOf, SnapshotFields } from "../../src/virtual/routes.js"
import * as Span from "../../src/virtual/Span.js"

const HOUR = 3_600_000

describe("a span of time", () => {
  it.each([
    ["90s", 90_000],
    ["250ms", 250],
    ["23h35m", 23 * HOUR + 35 * 60_000],
    ["2w 1d", 15 * 24 * HOUR],
    ["0s", 0],
    ["731d", 731 * 24 * HOUR],
    ["1209599000ms", 14 * 24 * HOUR - 1_000],
    ["63158400000ms", 731 * 24 * HOUR]
  ])("%s is %i ms", (text, millis) => {
    expect(Span.parse(text)).toEqual(Option.some(millis))
  })

  it.each(["", "14", "d", "-1d", "1.5h", "14 days", "1d x", "x1d", "732d", "63158400001ms", "99999999999d"])(
    "%s is none",
    (text) => {
      expect(Span.parse(text)).toEqual(Option.none())
    }
  )
})

describe("a moment", () => {
  it.each([
    ["2026-03-01T12:00Z", Date.UTC(2026, 2, 1, 12)],
    ["2026-03-01T12:00:30.5Z", Date.UTC(2026, 2, 1, 12, 0, 30, 500)],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)]
  ])("%s is one", (text, moment) => {
    expect(Span.parseMoment(text)).toEqual(Option.some(moment))
  })

  it.each(["2026-02-30T09:00:00Z", "2026-02-29T09:00Z", "2026-01-05T24:00:00Z", "2026-13-01T00:00Z", "2026-01-05"])(
    "%s is none, because there is no such time",
    (text) => {
      expect(Span.parseMoment(text)).toEqual(Option.none())
    }
  )
})

describe("an order to the clock", () => {
  const now = Date.UTC(2026, 0, 5, 9)
  const moved = (to: string) => Effect.runSync(Effect.either(orderOf({ to }, now)))

  it("moves it at most two years", () => {
    expect(moved("2028-01-06T09:00:00Z")).toEqual(Either.right({ _tag: "To", moment: now + 731 * 24 * HOUR }))
    expect(Either.isLeft(moved("2028-01-06T09:00:00.001Z"))).toBe(true)
    expect(Either.isLeft(moved("2126-01-05T09:00:00Z"))).toBe(true)
  })

  it("never moves it beyond the year 8999, because the service cannot store times after the year 9999 [virtual-time-1]", () => {
    const late = Date.UTC(8999, 11, 31)
    const order = (fields: Parameters<typeof orderOf>[0]) => Effect.runSync(Effect.either(orderOf(fields, late)))
    expect(order({ advance: "23h" })).toEqual(Either.right({ _tag: "Advance", millis: 23 * HOUR }))
    expect(order({ to: "8999-12-31T23:59:59Z" })).toMatchObject({ _tag: "Right" })
    for (const fields of [{ advance: "24h" }, { to: "9000-01-01T00:00:00Z" }]) {
      expect(order(fields)).toMatchObject({ left: { message: expect.stringContaining("year 9000") } })
    }
  })
})

describe("the fields of a request to /dev/clock and /dev/snapshot", () => {
  it.each([
    ["clock", { advance: "1h", extra: 1 }, "the body may have only the fields advance, to, rate, return_to"],
    ["snapshot", { save: "a", Restore: "b" }, "the body may have only the fields save, restore"],
    ["clock", ["1h"], "the body may have only the fields advance, to, rate, return_to"],
    ["clock", { advance: 1 }, "advance and to must be texts, and rate a number"],
    ["snapshot", { save: 1 }, "save and restore must be texts"]
  ])("an unknown field is refused, so that a misspelt one is noticed: %s %j", (route, given, message) => {
    const decoded = route === "clock" ? Effect.asVoid(ClockFields.decode(given)) : SnapshotFields.decode(given)
    expect(Effect.runSync(Effect.flip(Effect.asVoid(decoded)))).toMatchObject({ error: "validation_failed", message })
  })

  it("known fields are read", () => {
    const [form, json] = [{ rate: "60", return_to: "/" }, { advance: "1h 5m" }]
    expect(Effect.runSync(ClockFields.decode(form))).toEqual({ rate: 60, return_to: "/" })
    expect(Effect.runSync(ClockFields.decode(json))).toEqual(json)
  })
})

describe("npm run clock", () => {
  it.each([
    [[], { path: "/dev/clock", body: null, json: false }],
    [["advance", "14d"], { path: "/dev/clock", body: { advance: "14d" }, json: false }],
    [["rate", "0.5", "--json"], { path: "/dev/clock", body: { rate: 0.5 }, json: true }],
    [["save", "start"], { path: "/dev/snapshot", body: { save: "start" }, json: false }],
    [["--help"], "help"]
  ])("%j is an order", (argv, expected) => {
    expect(parse(argv)).toEqual(Either.right(expected))
  })

  it("a rate says which numbers it may be", () => {
    for (const rate of ["fast", "-1"]) {
      expect(parse(["rate", rate])).toEqual(Either.left("rate takes a number from 0 to 3600."))
    }
  })

  it.each([[["advance"]], [["advance", "1d", "2d"]], [["rate", "fast"]], [["jump", "1d"]]])("%j is refused", (argv) => {
    expect(Either.isLeft(parse(argv))).toBe(true)
  })
})

describe("the address of the test world", () => {
  it.each([
    [{}, "http://localhost:8080"],
    [{ PORT: "9000" }, "http://localhost:9000"],
    [{ PORT: "9000", BASE_URL: "http://world.example" }, "http://world.example"],
    [{ PORT: "", BASE_URL: "" }, "http://localhost:8080"],
    [{ PORT: "9000", BASE_URL: " " }, "http://localhost:9000"]
  ])("an empty BASE_URL or PORT counts as absent: %o", (environment, address) => {
    const provider = ConfigProvider.fromMap(new Map(Object.entries(environment)))
    expect(Effect.runSync(Effect.withConfigProvider(worldAddress, provider))).toBe(address)
  })

  it("a wrong PORT is refused by its name", () => {
    const provider = ConfigProvider.fromMap(new Map([["PORT", "many"]]))
    expect(Effect.runSync(Effect.flip(Effect.withConfigProvider(worldAddress, provider))).message).toContain("PORT")
  })
})

it.each([["boo"], ["boo", "1h"], ["boo", "1", "h"]])(
  "a wrong command gets the list of commands: %s %s %s",
  (...argv) => {
    expect(parse(argv)).toEqual(Either.left("The commands are advance, to, rate, save and restore."))
  }
)

it.each([
  [[], "The clock was not read"],
  [["advance", "1h"], "The clock was not moved"],
  [["save", "a"], "The snapshot was not saved"],
  [["restore", "a"], "The snapshot was not restored"]
])("when the server refuses %j, the command says what was not done", (argv, failure) => {
  const command = Either.getOrThrow(parse(argv))
  expect(command !== "help" && failureOf(command)).toBe(failure)
})
