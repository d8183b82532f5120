import { HashMap } from "effect"
import { describe, expect, it } from "vitest"
import * as Check from "../../testing/Check.js"

const differ = (left: unknown, right: unknown) => {
  expect(() => Check.equal(left, right, "left and right")).toThrow(Check.CheckFailed)
  expect(() => Check.equal(right, left, "right and left")).toThrow(Check.CheckFailed)
}

const agree = (left: unknown, right: unknown) => {
  Check.equal(left, right, "left and right")
  Check.equal(right, left, "right and left")
}

describe("structural equality of what contracts compare", () => {
  it("objects and arrays are compared by their parts, in depth", () => {
    agree({ a: [1, { b: null }] }, { a: [1, { b: null }] })
    differ({ a: [1, { b: null }] }, { a: [1, { b: 0 }] })
    differ({ a: 1 }, { a: 1, b: undefined })
    differ([], {})
  })

  it("data of Effect is compared by its own equality", () => {
    agree(HashMap.make(["a", 1]), HashMap.make(["a", 1]))
  })

  it("maps are compared by their entries, in any order", () => {
    const map = (...entries: Array<[string, unknown]>) => new Map(entries)
    agree(map(["a", { n: 1 }], ["b", 2]), map(["b", 2], ["a", { n: 1 }]))
    differ(map(["a", { n: 1 }]), map(["a", { n: 2 }]))
    differ(map(["a", 1]), map(["b", 1]))
    differ(map(["a", undefined]), map(["b", undefined]))
    differ(map(["a", 1]), map())
    differ({ inner: map(["a", 1]) }, { inner: map(["a", 2]) })
  })

  it("sets are compared by their members, in any order", () => {
    agree(new Set(["a", "b"]), new Set(["b", "a"]))
    differ(new Set(["a"]), new Set(["b"]))
    differ(new Set(["a"]), new Set())
  })

  it("dates are compared by their time, errors by name, message and own keys", () => {
    agree(new Date(1), new Date(1))
    differ(new Date(1), new Date(2))
    differ({ at: new Date(1) }, { at: new Date(1.5e12) })
    differ(new Date(0), {})
    agree(new TypeError("no"), new TypeError("no"))
    differ(new Error("no"), new Error("yes"))
    differ(new Error("no"), new TypeError("no"))
    differ(new Error("no"), {})
    differ(Object.assign(new Error("no"), { code: 1 }), Object.assign(new Error("no"), { code: 2 }))
  })

  it("a map, a set and a plain object are never the same", () => {
    differ(new Map(), new Set())
    differ(new Map(), {})
    differ(new Set(), {})
  })

  it("the failure shows what the maps and sets contain", () => {
    const comparing = () => Check.equal<unknown>(new Map([["a", new Set([7n])]]), new Map(), "counts")
    expect(comparing).toThrow(/"a"[^]*"7n"/)
    expect(() => Check.equal<unknown>(new Error("no such row"), null, "ended")).toThrow(/"no such row"/)
  })
})
