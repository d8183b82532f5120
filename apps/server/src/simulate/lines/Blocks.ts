/** A range of a file, and how often it ran (`count`), as V8 reports it. The offsets are in characters. */
interface CountedRange {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/**
 * What V8 reports about a function since the last report. The first range is the function, the others are its blocks.
 */
export interface CountedFunction {
  readonly ranges: ReadonlyArray<CountedRange>
}

/** A block of code that a report named, and whether it has run. */
interface KnownBlock {
  readonly startOffset: number
  readonly endOffset: number
  hasRun: boolean
}

/**
 * The blocks of one file, over many runs: functions, and branches in functions. When a function ran and one of its
 * branches did not, V8 reports the branch, with the count 0. So a branch becomes known by the first report that
 * contains it. The branch has run when a later report about the function does not contain the branch.
 */
export class Blocks {
  private readonly functions = new Map<number, Map<string, KnownBlock>>()

  /** Adds the reports, and returns the offsets of the blocks that ran for the first time. */
  add(reports: ReadonlyArray<CountedFunction>): ReadonlyArray<number> {
    return reports.flatMap(({ ranges: [whole, ...inner] }) => (whole === undefined ? [] : this.addOne(whole, inner)))
  }

  /** The offsets of the blocks that never ran. For a function that never ran, its branches are not listed. */
  get missing(): ReadonlyArray<number> {
    return [...this.functions.values()].flatMap((blocks) =>
      [...blocks.values()].flatMap(({ hasRun, startOffset }) => (hasRun ? [] : [startOffset]))
    )
  }

  private addOne(whole: CountedRange, inner: ReadonlyArray<CountedRange>): ReadonlyArray<number> {
    const blocks = this.functions.get(whole.startOffset) ?? new Map<string, KnownBlock>()
    this.functions.set(whole.startOffset, blocks)
    const leftOut = inner.filter(({ count }) => count === 0)
    for (const one of whole.count === 0 ? [whole] : [whole, ...leftOut]) {
      const key = `${one.startOffset}-${one.endOffset}`
      if (!blocks.has(key)) {
        blocks.set(key, { startOffset: one.startOffset, endOffset: one.endOffset, hasRun: false })
      }
    }
    if (whole.count === 0) return []
    const fresh: Array<number> = []
    for (const block of blocks.values()) {
      const isOut = leftOut.some(
        ({ endOffset, startOffset }) => startOffset <= block.startOffset && block.endOffset <= endOffset
      )
      if (block.hasRun || isOut) continue
      block.hasRun = true
      fresh.push(block.startOffset)
    }
    return fresh
  }
}
