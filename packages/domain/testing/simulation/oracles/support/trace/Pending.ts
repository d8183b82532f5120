import type { Span } from "./Ops.js"

export type Came = "done" | "maybe" | "nothing"

/**
 * The range of trace entries in which a write took effect, after its operation has ended. A write that did not happen
 * gets a range that no read overlaps.
 */
const settled = (from: number, to: number, came: Came) =>
  came === "nothing" ? { from: Infinity, to: -Infinity, certain: false } : { from, to, certain: came === "done" }

/** One write of a value, at some entry between `from` and `to`. */
export interface Written<A> {
  readonly from: number
  readonly to: number
  /** Whether the write certainly happened. If false, the write perhaps happened. */
  readonly certain: boolean
  readonly value: A
}

/**
 * A value that operations may write and read at the same time. A read returns every value that may have been current at
 * some instant of the read: all values whose write began before the read ended, except those that were certainly
 * replaced before the read began.
 */
export class Register<A> {
  private readonly writes: Array<Written<A>> = []

  /**
   * Records that an operation may write the value from now on. `settle` later records whether the write happened, may
   * have happened or did not happen.
   */
  begin(span: Pick<Span, "from">, value: A): number {
    return this.writes.push({ from: span.from, to: Infinity, certain: false, value }) - 1
  }

  settle(handle: number, { from, to }: Pick<Span, "from" | "to">, came: Came): void {
    const write = this.writes[handle]
    if (write !== undefined) this.writes[handle] = { ...write, ...settled(from, to, came) }
  }

  candidates(from: number, to: number): ReadonlyArray<Written<A>> {
    let replaced = -Infinity
    for (const write of this.writes) if (write.certain && write.to < from) replaced = Math.max(replaced, write.from)
    return this.writes.filter((write) => write.from <= to && write.to >= replaced)
  }

  read(from: number, to: number): ReadonlyArray<A> {
    return this.candidates(from, to).map(({ value }) => value)
  }
}

/** An event that cannot be undone, such as the end of a connection, with every operation that may have caused it. */
export class Finality {
  private readonly all: Array<Omit<Written<string>, "value"> & { why: string }> = []

  begin(span: Pick<Span, "from">, why: string): number {
    return this.all.push({ from: span.from, to: Infinity, certain: false, why }) - 1
  }

  settle(handle: number, { from, to }: Pick<Span, "from" | "to">, came: Came): void {
    const one = this.all[handle]
    if (one !== undefined) this.all[handle] = { ...one, ...settled(from, to, came) }
  }

  /**
   * Why the event (such as the end of a connection) happened, if it certainly happened before the entry `from`;
   * otherwise undefined.
   */
  before(from: number): string | undefined {
    return this.all.find((one) => one.certain && one.to < from)?.why
  }

  /** Whether an operation may have caused the event (such as the end of a connection) by the entry `to`. */
  maybeBy(to: number): boolean {
    return this.all.some((one) => one.from <= to)
  }
}
