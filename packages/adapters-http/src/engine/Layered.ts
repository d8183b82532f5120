/**
 * A map that looks up a missing key in another map, `below`. A request's services are such a map over the server's
 * services. Effect's `Context` copies its whole map to add one service, and the server has a hundred services.
 *
 * A program sees one map with the entries of both maps, also when it copies or iterates over the map. For a key in both
 * maps, the program sees only the entry of this map, and not the entry of `below`. Nothing is ever removed from the map
 * of a context, so `delete` is not supported.
 */
export class Layered extends Map<string, unknown> {
  below: ReadonlyMap<string, unknown>

  constructor(below: ReadonlyMap<string, unknown>) {
    super()
    this.below = below
  }
  override get(key: string): unknown {
    return super.has(key) ? super.get(key) : this.below.get(key)
  }
  override has(key: string): boolean {
    return super.has(key) || this.below.has(key)
  }
  override get size(): number {
    let size = this.below.size
    for (const key of super.keys()) if (!this.below.has(key)) size++
    return size
  }
  override *entries(): MapIterator<[string, unknown]> {
    for (const entry of this.below) if (!super.has(entry[0])) yield entry
    yield* super.entries()
  }
  override [Symbol.iterator](): MapIterator<[string, unknown]> {
    return this.entries()
  }
  override *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key
  }
  override *values(): MapIterator<unknown> {
    for (const [, value] of this.entries()) yield value
  }
  override forEach(f: (value: unknown, key: string, map: Map<string, unknown>) => void): void {
    for (const [key, value] of this.entries()) f(value, key, this)
  }
}
