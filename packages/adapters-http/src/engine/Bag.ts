import { GlobalValue } from "effect"

/**
 * Objects that are under way, in no order. A `Set` would do, but V8 replaces the table of a set every few changes, and
 * an old table mentions the next one and what was in it: once one table is old, every object that was ever in the set
 * stays in memory until the next large collection of garbage.
 */
export class Bag<A extends object> implements Iterable<A> {
  private readonly items: Array<A> = []
  /** The property of an item that says where in `items` it is. */
  private readonly place = Symbol("place in a bag")

  get size(): number {
    return this.items.length
  }

  has(item: A): boolean {
    return this.at(item) !== undefined
  }

  add(item: A): void {
    if (this.has(item)) return
    this.put(item, this.items.length)
    this.items.push(item)
  }

  delete(item: A): void {
    const at = this.at(item)
    if (at === undefined) return
    this.put(item, undefined)
    const last = this.items.pop()
    if (last === undefined || last === item) return
    this.items[at] = last
    this.put(last, at)
  }

  /** Items may be added and deleted meanwhile. */
  [Symbol.iterator](): Iterator<A> {
    return [...this.items][Symbol.iterator]()
  }

  private at(item: A): number | undefined {
    return (item as Placed)[this.place]
  }

  private put(item: A, at: number | undefined): void {
    ;(item as Placed)[this.place] = at
  }
}

type Placed = { [place: symbol]: number | undefined }

/** Keeps the fibers of requests in a bag: `effect` has a set of all fibers that were started outside of another. */
export const ofRootFibers = (): void => {
  const scope = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({}) as { roots?: unknown })
  if (!(scope.roots instanceof Set)) return
  const roots = new Bag<object>()
  for (const fiber of scope.roots as ReadonlySet<object>) roots.add(fiber)
  scope.roots = roots
}
