import { Context, Effect, FiberRef } from "effect"

/**
 * A context of what stays the same from request to request with what is the request's own over it. A context's map is copied whole to
 * add something to it, and every port there is takes longer to copy than a request to route; this one is looked through instead.
 */
export const over = <A, B>(
  below: Context.Context<A>,
  own: Context.Context<B>,
  more: ReadonlyArray<readonly [key: string, service: unknown]>
): Context.Context<A | B> => {
  const all = new Layered(below.unsafeMap)
  for (const [key, service] of own.unsafeMap) all.set(key, service)
  for (const [key, service] of more) all.set(key, service)
  return Context.unsafeMake<A | B>(all)
}

/**
 * Goes on in another context. `Effect.mapInputContext` costs some twenty steps of the fibre, most of them to put the old context back:
 * here nobody does. Only for what a route runs, after which the router puts its own back.
 */
export const goOnIn =
  <A, B>(change: (context: Context.Context<B>) => Context.Context<A>) =>
  <X, E>(self: Effect.Effect<X, E, A>): Effect.Effect<X, E, B> =>
    Effect.zipRight(
      FiberRef.update(
        FiberRef.currentContext,
        (context) => change(context as Context.Context<B>) as Context.Context<never>
      ),
      self as Effect.Effect<X, E>
    )

/** To whoever copies it or goes through it, a map of everything. Nothing is taken out of a context's map. */
class Layered extends Map<string, unknown> {
  readonly #below: ReadonlyMap<string, unknown>
  /** Keys of ours that were not there before. Counted as they come: a context's hash is its size, and is asked for often. */
  #added = 0

  constructor(below: ReadonlyMap<string, unknown>) {
    super()
    this.#below = below
  }
  override get(key: string): unknown {
    return super.has(key) ? super.get(key) : this.#below.get(key)
  }
  override has(key: string): boolean {
    return super.has(key) || this.#below.has(key)
  }
  override set(key: string, service: unknown): this {
    if (!this.has(key)) this.#added++
    return super.set(key, service)
  }
  override get size(): number {
    return this.#below.size + this.#added
  }
  override *entries(): MapIterator<[string, unknown]> {
    for (const entry of this.#below) if (!super.has(entry[0])) yield entry
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
