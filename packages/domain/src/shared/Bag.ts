/**
 * A set of objects, in no order. It exists because a `Set` keeps removed objects in memory: V8 replaces the hash table
 * of a set every few changes, and a replaced table still references its items and the next table. Once one such table
 * is in the old generation, the items of all later tables stay in memory until the next major garbage collection.
 */
export class Bag<A extends object> implements Iterable<A> {
  private readonly items: Array<A> = []
  /** The property in which an item keeps its index in `items`. */
  private readonly place = Symbol()

  /** How many items are in the bag. */
  get size(): number {
    return this.items.length
  }

  /** Whether the item is in the bag. */
  has(item: A): boolean {
    return this.at(item) !== undefined
  }

  /** Adds an item. Nothing changes when the bag has the item already. */
  add(item: A): void {
    if (this.has(item)) return
    this.put(item, this.items.length)
    this.items.push(item)
  }

  /** Removes an item. Nothing changes when the bag does not have the item. */
  delete(item: A): void {
    const at = this.at(item)
    if (at === undefined) return
    this.put(item, undefined)
    const last = this.items.pop()
    if (last === undefined || last === item) return
    this.items[at] = last
    this.put(last, at)
  }

  /** The items as they are now: adding and deleting items does not change an iteration that has begun. */
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
