import type { Simulation } from "@place-access/domain/testing"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { comparisonOf } from "../../src/simulate/timeline/comparison.js"
import { pairsOf } from "../../src/simulate/timeline/difference.js"

type Entry = Simulation.Entry

const entry = (mark: string, i: number, t = i): Entry => ({ i, t, passed: t, proc: "world", kind: "mark", mark })
const run = (marks: ReadonlyArray<string>, lateMillis = 0): ReadonlyArray<Entry> =>
  marks.map((mark, i) => entry(mark, i, i + lateMillis))
const marksOf = (entries: ReadonlyArray<Entry | undefined>) =>
  entries.flatMap((one) => (one?.kind === "mark" ? [one.mark] : []))
const differing = (left: ReadonlyArray<string>, right: ReadonlyArray<string>) =>
  pairsOf(run(left), run(right)).filter((pair) => pair.left === undefined || pair.right === undefined).length

/**
 * The length of the longest common subsequence of `a` and `b`, by dynamic programming. Entries outside of the
 * subsequence differ, and no comparison can find fewer differences.
 */
const longest = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let row = Array.from({ length: b.length + 1 }, () => 0)
  for (const one of a) {
    const next = [0]
    for (let n = 0; n < b.length; n++) {
      next.push(one === b[n] ? row[n]! + 1 : Math.max(row[n + 1]!, next[n]!))
    }
    row = next
  }
  return row[b.length]!
}

const marks = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 30 })

describe("two runs side by side", () => {
  it("each side is whole and in order, and as few rows differ as can", () => {
    fc.assert(
      fc.property(marks, marks, (a, b) => {
        const pairs = pairsOf(run(a), run(b))
        expect(marksOf(pairs.map(({ left }) => left))).toEqual(a)
        expect(marksOf(pairs.map(({ right }) => right))).toEqual(b)
        const both = pairs.filter(({ left, right }) => left !== undefined && right !== undefined)
        expect(marksOf(both.map(({ left }) => left))).toEqual(marksOf(both.map(({ right }) => right)))
        expect(differing(a, b)).toBe(a.length + b.length - 2 * longest(a, b))
      }),
      { numRuns: 500 }
    )
  })

  it("a run that is a second late is the same run", () => {
    expect(pairsOf(run(["a", "b"]), run(["a", "b"], 1_000)).every(({ left, right }) => left && right)).toBe(true)
  })

  it("a run that drew other ids is the same run", () => {
    const id = (letter: string) => run([`evt_${letter.repeat(24)} was sent`])
    expect(pairsOf(id("a"), id("b"))).toHaveLength(1)
  })

  it("runs that have nothing in common end in good time: the rest counts as different", () => {
    const many = (name: string) => Array.from({ length: 4_000 }, (_, n) => `${name}${n}`)
    expect(differing(many("a"), many("b"))).toBe(8_000)
  })

  it("the page says where they part, folds what is equal, and takes nothing from a trace as markup", () => {
    const long = Array.from({ length: 40 }, (_, n) => `same ${n}`)
    const page = comparisonOf(
      { name: "a <b>", entries: run([...long, "<script>struck()</script>", ...long]) },
      { name: "b", entries: run([...long, "other", ...long]) }
    )
    expect(page).toContain("The runs part at entry 40, 1970-01-01 00:00:00.040. 2 of 82 rows differ.")
    expect(page.match(/… 37 equal entries/g)).toHaveLength(2)
    expect(page).toContain("a &lt;b&gt;: 81 entries")
    expect(page).toContain("mark: &lt;script&gt;struck()&lt;/script&gt;")
    expect(page).not.toContain("<script")
  })

  it("equal runs are said to be equal", () => {
    const same = { name: "same", entries: run(["a"]) }
    expect(comparisonOf(same, same)).toContain("The two runs have the same entries.")
  })
})
