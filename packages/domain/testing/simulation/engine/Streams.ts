import { sfc32 } from "../../sfc32.js"

/**
 * Random numbers from a seed, without the host's generator. The same seed and purpose give the same numbers in every
 * process.
 */
export interface Stream {
  /** A whole number from `min` to `max`, both included. */
  readonly int: (min: number, max: number) => number
  /**
   * True with probability `p`. When `p` is 0 or 1, no number is drawn, so a fault that is off does not change later
   * draws.
   */
  readonly chance: (p: number) => boolean
  /** One element of `from`, which must not be empty. */
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  /** The same items in random order. */
  readonly shuffle: <A>(items: ReadonlyArray<A>) => ReadonlyArray<A>
}

/**
 * What random numbers are drawn for. Each purpose has its own stream of random numbers, so that an additional fault,
 * for example, does not change where people walk.
 */
export type Purpose =
  | "workload"
  | "faults"
  | "scheduling"
  | "ids"
  | "swarm"
  | "stories"
  | "accounts"
  | "steering"
  | "later faults"
  | "later swarm"
  | "waiting"
  | "listeners"
  | "imports"
  | "limits"
  | "guided"
  | "plan"

const SALTS: Readonly<Record<Purpose, number>> = {
  workload: 0x243f6a88,
  faults: 0x85a308d3,
  scheduling: 0x13198a2e,
  ids: 0x03707344,
  swarm: 0xa4093822,
  stories: 0x082efa98,
  accounts: 0xec4e6c89,
  steering: 0xc97c50dd,
  "later faults": 0xc0ac29b7,
  "later swarm": 0x3f84d5b5,
  waiting: 0x2f6e2b87,
  listeners: 0x452821e6,
  imports: 0x38d01377,
  limits: 0,
  guided: 0x1f83d9ab,
  plan: 0x299f31d0
}

/** The stream of this seed and purpose. Draws from one stream do not change the draws from another stream. */
export const make = (seed: number, purpose: Purpose): Stream => {
  // The generator ignores fractions. Without this check, the seed 1.5 would give the same run as the seed 1.
  if (!Number.isSafeInteger(seed)) throw new TypeError("The seed must be a whole number")
  const next = sfc32(seed, SALTS[purpose])
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
