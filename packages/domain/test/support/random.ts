/**
 * Mulberry32: a small pseudo-random generator that repeats its numbers for the same seed. It is fast enough for
 * hundreds of thousands of generated scenarios.
 */
export interface Random {
  /** From 0 up to, not including, 1. */
  readonly next: () => number
  /** From 0 up to, not including, `count`. */
  readonly below: (count: number) => number
  readonly pick: <A>(from: readonly [A, ...ReadonlyArray<A>]) => A
  /** True once in `times` on average. */
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
