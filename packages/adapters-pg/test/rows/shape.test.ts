import { objectOf, structReader } from "@place-access/adapters-pg/rows/Shape"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const UNREAD = Symbol("unread")

describe("objects made by code of their own", () => {
  it("have the keys that they were given, in their order, whatever text a key is", () => {
    const keys = ["b", "a", 'with "quotes"', "`${1}`", "\u2028", "__proto__", "constructor"]
    const object = objectOf(keys)(keys.map((_, index) => index))
    expect(Object.entries(object)).toEqual(keys.map((key, index) => [key, index]))
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
  })

  it("take the last value of a key that is there twice, as the driver does", () => {
    expect(objectOf(["a", "b", "a"])([1, 2, 3])).toEqual({ a: 3, b: 2 })
  })

  it("may have no keys", () => {
    expect(objectOf([])([])).toEqual({})
  })
})

describe("structs read by code of their own", () => {
  const key = fc.oneof(fc.constantFrom("a", "b", 'x"y', "\\"), fc.string()).filter((key) => !(key in {}))
  const properties = fc.uniqueArray(fc.record({ name: key, isOptional: fc.boolean(), refuses: fc.boolean() }), {
    selector: ({ name }) => name,
    maxLength: 6
  })
  const given = fc.array(fc.tuple(key, fc.option(fc.integer(), { nil: undefined })), { maxLength: 8 })

  it("hold what is read of each key, leave out optional ones that are not there, and are unread when one is missing or refused", () => {
    fc.assert(
      fc.property(properties, given, (properties, given) => {
        const value: Record<string, unknown> = {}
        for (const [name, one] of given)
          Object.defineProperty(value, name, { value: one, enumerable: true, writable: true, configurable: true })
        const read = structReader(
          properties.map(({ refuses, ...rest }) => ({
            ...rest,
            read: (one) => (refuses && one === undefined ? UNREAD : [one])
          })),
          UNREAD
        )
        const isUnread = properties.some(({ isOptional, name, refuses }) =>
          Object.hasOwn(value, name) ? refuses && value[name] === undefined : !isOptional
        )
        const there = properties.filter(({ name }) => Object.hasOwn(value, name))
        const expected = Object.fromEntries(there.map(({ name }) => [name, [value[name]]]))
        expect(read(value)).toEqual(isUnread ? UNREAD : expected)
      })
    )
  })
})
