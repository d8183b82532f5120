import { Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/virtual/orders.js"
import * as Span from "../../src/virtual/Span.js"

const HOUR = 3_600_000

describe("a span of time", () => {
  it.each([
    ["90s", 90_000],
    ["250ms", 250],
    ["23h35m", 23 * HOUR + 35 * 60_000],
    ["2w 1d", 15 * 24 * HOUR],
    ["0s", 0],
    ["731d", 731 * 24 * HOUR]
  ])("%s is %i ms", (text, millis) => {
    expect(Span.parse(text)).toEqual(Option.some(millis))
  })

  it.each(["", "14", "d", "-1d", "1.5h", "14 days", "1d x", "x1d", "732d", "99999999999d"])("%s is none", (text) => {
    expect(Span.parse(text)).toEqual(Option.none())
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

  it.each([[["advance"]], [["advance", "1d", "2d"]], [["rate", "fast"]], [["jump", "1d"]]])("%j is refused", (argv) => {
    expect(Either.isLeft(parse(argv))).toBe(true)
  })
})
