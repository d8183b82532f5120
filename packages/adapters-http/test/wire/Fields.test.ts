import { Either, JSONSchema, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { entries, optional, QueryAt, request } from "@place-access/adapters-http/wire/Fields"
import * as Issues from "@place-access/adapters-http/wire/Issues"
import { withPlus } from "@place-access/adapters-http/wire/Query"

const Entry = Schema.Unknown.annotations({ identifier: "Entry", jsonSchema: { type: "object" } })
const Upload = request({ locations: entries(Entry), visits: optional(entries(Entry)) })

describe("a list whose entries the handler checks", () => {
  it("is passed on as it was sent, without a copy", () => {
    const [locations, visits] = [[1, null, "text"], [{}]]
    const decoded = Schema.decodeUnknownSync(Upload)({ locations, visits })
    expect(decoded.locations).toBe(locations)
    expect(decoded.visits).toBe(visits)
  })

  it("is refused when it is no array", () => {
    for (const sent of [undefined, null, "text", { length: 0 }, 1]) {
      const decoded = Schema.decodeUnknownEither(Upload)({ locations: sent, visits: {} })
      const problems = Either.isLeft(decoded) ? ParseResult.ArrayFormatter.formatErrorSync(decoded.left) : []
      expect(Issues.messages(problems)).toEqual(["locations must be an array", "visits must be an array or null"])
    }
  })

  it("is documented with the schema of its entries", () => {
    const list = { type: "array", items: { $ref: "#/$defs/Entry" } }
    expect(JSONSchema.make(Upload)).toMatchObject({
      $defs: { Entry: { type: "object" } },
      properties: { locations: list },
      required: ["locations"]
    })
  })
})

describe("a time in a query whose plus became a blank", () => {
  it("gets the plus back", () => {
    for (const zone of ["02", "0200", "02:00"]) {
      expect(withPlus(`2026-01-31T09:30:00.123456789 ${zone}`)).toBe(`2026-01-31T09:30:00.123456789+${zone}`)
    }
    expect(Schema.decodeSync(QueryAt)("2026-01-31T09:30 02:00")).toBe(Date.UTC(2026, 0, 31, 7, 30))
  })

  it("is not searched for a blank when it is longer than any time: the search takes quadratic time", () => {
    const text = `2026-01-31T09:30:00.${"0".repeat(99)} 02:00`
    expect(withPlus(text)).toBe(text)
  })
})
