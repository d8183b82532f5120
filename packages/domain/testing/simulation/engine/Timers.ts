export interface Timer {
  /** The time at which the timer fires, in milliseconds on the engine's clock, which never goes back. */
  readonly at: number
  readonly order: number
  readonly fire: () => void
  /** True when no fiber waits for the timer, or when the process of the waiting fiber is dead. */
  readonly isDead: () => boolean
  /**
   * True for the timer of a polling loop. A loop sets another timer in each round, so there is always a timer of this
   * kind.
   */
  readonly isPeriodic: boolean
  /** True when the scenario or a simulated person waits for the timer; false when a program or a loop does. */
  readonly isOutside: boolean
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/**
 * A binary heap of timers. The earliest timer comes first; timers with equal times come in the order of insertion.
 */
export class Timers {
  private readonly heap: Array<Timer> = []
  private inserted = 0

  /** The earliest timer for which a living fiber waits; undefined when there is no such timer. */
  get first(): Timer | undefined {
    for (let next = this.heap[0]; next !== undefined; next = this.heap[0]) {
      if (!next.isDead()) return next
      this.removeFirst()
    }
    return undefined
  }

  /** All timers for which a living fiber waits. */
  get left(): ReadonlyArray<Timer> {
    return this.heap.filter((timer) => !timer.isDead())
  }

  add(timer: Omit<Timer, "order">): void {
    this.insert({ ...timer, order: this.inserted++ })
  }

  removeFirst(): void {
    const last = this.heap.pop()
    if (last === undefined || this.heap.length === 0) return
    let hole = 0
    for (;;) {
      const child = this.earlierChild(hole)
      const below = child === undefined ? undefined : this.heap[child]
      if (child === undefined || below === undefined || isBefore(last, below)) break
      this.heap[hole] = below
      hole = child
    }
    this.heap[hole] = last
  }

  private insert(timer: Timer): void {
    let hole = this.heap.push(timer) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = this.heap[parent]
      if (above === undefined || isBefore(above, timer)) break
      this.heap[hole] = above
      hole = parent
    }
    this.heap[hole] = timer
  }

  private earlierChild(parent: number): number | undefined {
    const [left, right] = [this.heap[2 * parent + 1], this.heap[2 * parent + 2]]
    if (left === undefined) return undefined
    return right !== undefined && isBefore(right, left) ? 2 * parent + 2 : 2 * parent + 1
  }
}
