import type { Name } from "../../Operations.js"
import { into } from "./into.js"
import type { Indexed, Op, OpOf } from "./Ops.js"
import type { Came } from "./Pending.js"

type Settle = (came: Came) => void

/** What operations under way may do, to be taken back or confirmed at their end. */
export class UnderWay {
  private readonly settles = new Map<number, Array<Settle>>()
  private readonly trace: Indexed

  constructor(trace: Indexed) {
    this.trace = trace
  }

  add(op: Op, settle: Settle): void {
    into(this.settles, op.from, settle)
  }

  /** It is under way no more: what it may do is taken back, for no operation stands in its own way, until the answer confirms it. */
  end(op: Op): Settle {
    const all = this.settles.get(op.from) ?? []
    this.settles.delete(op.from)
    for (const settle of all) settle("nothing")
    return (came) => {
      for (const settle of all) settle(came)
    }
  }

  /** Others of the name right now. */
  others<N extends Name>(name: N, op: OpOf<N>): ReadonlyArray<OpOf<N>> {
    return [...this.settles.keys()].flatMap((from) => {
      const other = this.trace.ops.get(from)
      return other === undefined || other.name !== name || other.from === op.from ? [] : [other as OpOf<N>]
    })
  }
}
