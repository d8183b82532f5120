import { Context } from "effect"

/**
 * A context with one more service, that is not copied for it: a map of every port there is takes longer to copy than most that is done
 * with it. For what lasts as long as a request or a transaction.
 */
export const add = <A, I, S>(below: Context.Context<A>, tag: Context.Tag<I, S>, service: S): Context.Context<A | I> => {
  const map = new Layered(below.unsafeMap)
  map.set(tag.key, service)
  return Context.unsafeMake<A | I>(map)
}

/**
 * What is its own over what is below, looked through and not copied. To whoever copies it or goes through it, a map of everything. Nothing
 * is taken out of a context's map.
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
  /** As `entries`. */
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
