import { describe, expect, it } from "@effect/vitest"
import { firstLife, lifeOf, smallest } from "../support/lives.js"
import { type Life, type Outcome, outcomeOf } from "../support/referenceRules.js"
import { replayLife } from "../support/replay.js"

const LIVES = 100_000
/**
 * The number of scenarios (`lives.ts`) in one test. It is small, because the test runner can send its messages only
 * between two tests.
 */
const AT_ONCE = 5_000

const isSame = (one: Outcome, other: Outcome | undefined): boolean =>
  one.seenAt === other?.seenAt &&
  one.side === other.side &&
  one.firings.length === other.firings.length &&
  one.firings.every((at, index) => at === other.firings[index])

/**
 * The number of firings in a scenario; undefined when the product and the reference implementation disagree about its
 * firings or about the rules' final states.
 */
const agreed = (life: Life): number | undefined => {
  const [product, reference] = [replayLife(life), outcomeOf(life)]
  return product.every((one, rule) => isSame(one, reference[rule]))
    ? product.reduce((sum, { firings }) => sum + firings.length, 0)
    : undefined
}

describe("rule evaluation against a second writing of Spec §4.6", () => {
  const first = firstLife(LIVES)
  const parts = Array.from({ length: LIVES / AT_ONCE }, (_, part) => first + part * AT_ONCE)

  it.each(parts)(
    "every rule fires at the same moments and ends in the same state over 100,000 lives, from %i on [rules-11]",
    (from) => {
      const faults: Array<unknown> = []
      let fired = 0
      for (let seed = from + 1; seed <= from + AT_ONCE && faults.length === 0; seed++) {
        const firings = agreed(lifeOf(seed))
        if (firings === undefined) faults.push(explained(seed))
        fired += firings ?? 0
      }
      expect(faults).toEqual([])
      expect(fired).toBeGreaterThan(AT_ONCE / 3)
    }
  )
})

/** The smallest scenario in which the product and the reference implementation still disagree, with both results. */
const explained = (seed: number) => {
  const life = smallest(lifeOf(seed), (one) => agreed(one) === undefined)
  return { seed, life, product: replayLife(life), reference: outcomeOf(life) }
}
