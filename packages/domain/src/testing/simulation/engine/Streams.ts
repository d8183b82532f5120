/** Random numbers from a seed, without the host: the same name and seed give the same numbers in every process. */
export interface Stream {
  /** A whole number from `min` to `max`, both included. */
  readonly int: (min: number, max: number) => number
  /** True in `p` of the cases; draws nothing for 0 and 1, so that a fault that is off leaves the stream alone. */
  readonly chance: (p: number) => boolean
  /** One of them; there must be one. */
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  /** The same things in any order. */
  readonly shuffle: <A>(items: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** What a run draws for. Each has a stream of its own: one fault more does not change who walks where. */
export type Purpose = "workload" | "faults" | "scheduling" | "ids" | "swarm" | "stories" | "plan"

const SALTS: Readonly<Record<Purpose, number>> = {
  workload: 0x243f6a88,
  faults: 0x85a308d3,
  scheduling: 0x13198a2e,
  ids: 0x03707344,
  swarm: 0xa4093822,
  stories: 0x082efa98,
  plan: 0x299f31d0
}

/** sfc32: small, fast and of no use against anybody who wants to guess. */
const generator = (seed: number, salt: number): (() => number) => {
  let [a, b, c, counter] = [salt | 0, seed | 0, Math.trunc(seed / 2 ** 32) | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first words still resemble the seed.
  for (let warmUp = 0; warmUp < 12; warmUp++) next()
  return next
}

/** The stream of this name: what one draws changes nothing for the others. */
export const make = (seed: number, purpose: Purpose): Stream => {
  // The generator reads whole numbers: 1.5 would be the run of 1.
  if (!Number.isSafeInteger(seed)) throw new TypeError("The seed must be a whole number")
  const next = generator(seed, SALTS[purpose])
  const int = (min: number, max: number): number => min + Math.floor((next() / 2 ** 32) * (max - min + 1))
  return {
    int,
    chance: (p) => p >= 1 || (p > 0 && next() / 2 ** 32 < p),
    pick: (from) => {
      const index = int(0, from.length - 1)
      if (index >= from.length || from.length === 0) throw new RangeError("There is nothing to pick from")
      return from[index] as (typeof from)[number]
    },
    shuffle: (items) => {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = int(0, last)
        const [a, b] = [shuffled[last], shuffled[other]]
        if (a !== undefined && b !== undefined) [shuffled[last], shuffled[other]] = [b, a]
      }
      return shuffled
    }
  }
}
