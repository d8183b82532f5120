/**
 * Mulberry32, a small generator of pseudo-random numbers. One seed always gives the same numbers. It is fast enough for
 * hundreds of thousands of generated scenarios.
 */
export interface Random {
  /** A number from 0 up to 1, not including 1. */
  readonly next: () => number
  /** A whole number from 0 up to `count`, not including `count`. */
  readonly below: (count: number) => number
  readonly pick: <A>(from: readonly [A, ...ReadonlyArray<A>]) => A
  /** True in one of `times` calls on average. */
  readonly oneIn: (times: number) => boolean
}

export const random = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number) => Math.floor(next() * count)
  return { next, below, pick: (from) => from[below(from.length)] ?? from[0], oneIn: (times) => below(times) === 0 }
}
