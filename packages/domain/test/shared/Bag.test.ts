import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { Bag } from "@place-access/domain/shared"

describe("a bag", () => {
  it("has what a set has after the same changes", () => {
    const change = fc.tuple(fc.constantFrom("add", "delete"), fc.nat(6))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const items = Array.from({ length: 7 }, (_, n) => ({ n }))
        const [bag, set] = [new Bag<{ n: number }>(), new Set<{ n: number }>()]
        for (const [what, n] of changes) {
          const item = items[n] as { n: number }
          bag[what as "add" | "delete"](item)
          set[what as "add" | "delete"](item)
          expect(bag.size).toBe(set.size)
          expect(items.map((one) => bag.has(one))).toEqual(items.map((one) => set.has(one)))
        }
        expect([...bag].map((one) => one.n).sort()).toEqual([...set].map((one) => one.n).sort())
      })
    )
  })

  it("shows every item that it had at first, also when items are deleted meanwhile", () => {
    const bag = new Bag<{ n: number }>()
    for (let n = 0; n < 5; n++) bag.add({ n })
    const seen: Array<number> = []
    for (const item of bag) {
      seen.push(item.n)
      bag.delete(item)
    }
    expect([seen, bag.size]).toEqual([[0, 1, 2, 3, 4], 0])
  })
})
