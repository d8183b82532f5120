import type { Name } from "../../../Operations.js"
import { into } from "./into.js"
import type { Indexed, Op, OpOf } from "./Ops.js"
import type { Came } from "./Pending.js"

type Settle = (came: Came) => void

/**
 * The possible effects of operations that have not ended. When an operation ends, its effects are confirmed or undone.
 */
export class UnderWay {
  private readonly settles = new Map<number, Array<Settle>>()
  private readonly trace: Indexed

  constructor(trace: Indexed) {
    this.trace = trace
  }

  add(op: Op, settle: Settle): void {
    into(this.settles, op.from, settle)
  }

  /**
   * Ends an operation and hides its possible effects. The caller next judges the answer of the operation, and the
   * answer must fit the state without the operation's own effects. Then the caller calls the returned function, which
   * records whether the effects happened (`done`), may have happened (`maybe`) or did not happen (`nothing`).
   */
  end(op: Op): Settle {
    const all = this.settles.get(op.from) ?? []
    this.settles.delete(op.from)
    for (const settle of all) settle("nothing")
    return (came) => {
      for (const settle of all) settle(came)
    }
  }

  /** The other operations with this name that have not ended and have possible effects. */
  others<N extends Name>(name: N, op: OpOf<N>): ReadonlyArray<OpOf<N>> {
    return [...this.settles.keys()].flatMap((from) => {
      const other = this.trace.ops.get(from)
      return other === undefined || other.name !== name || other.from === op.from ? [] : [other as OpOf<N>]
    })
  }
}
