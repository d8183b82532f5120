import { emptyOf } from "@place-access/adapters-pg/rows/Reader"
import { expect, it } from "vitest"

it("an empty row has the names that it was given, in their order, and any text may be a name", () => {
  expect(Object.entries(emptyOf(["b", "a", 'with "quotes"']))).toEqual([
    ["b", null],
    ["a", null],
    ['with "quotes"', null]
  ])
})
