import { describe, expect, it } from "vitest"
import { Blocks } from "../../src/simulate/lines/Blocks.js"

/**
 * V8's coverage report of a function whose text has the offsets 0 to 100. `hasRun`: whether the function ran.
 * `leftOut`: the offsets of its branches that did not run.
 */
const report = (hasRun: boolean, ...leftOut: ReadonlyArray<readonly [number, number]>) => ({
  ranges: [
    { startOffset: 0, endOffset: 100, count: hasRun ? 1 : 0 },
    ...leftOut.map(([startOffset, endOffset]) => ({ startOffset, endOffset, count: 0 }))
  ]
})

describe("blocks of code over many runs", () => {
  it("a function is new when it runs first, and a branch when the function runs and the branch is not left out", () => {
    const blocks = new Blocks()
    expect(blocks.add([report(false)])).toEqual([])
    expect(blocks.missing).toEqual([0])
    expect(blocks.add([report(true, [10, 20], [30, 40])])).toEqual([0])
    expect(blocks.missing).toEqual([10, 30])
    expect(blocks.add([report(true, [10, 20])])).toEqual([30])
    expect(blocks.add([report(true, [10, 20], [30, 40])])).toEqual([])
    expect(blocks.add([report(true)])).toEqual([10])
    expect(blocks.missing).toEqual([])
  })

  it("a branch inside of one that is left out did not run", () => {
    const blocks = new Blocks()
    blocks.add([report(true, [12, 15])])
    expect(blocks.add([report(true, [10, 20])])).toEqual([])
    expect(blocks.missing).toEqual([12, 10])
  })
})
