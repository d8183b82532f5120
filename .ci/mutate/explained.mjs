// Faults that no test can see, because they change no behaviour. explained.json lists them, each with the reason.
import { readFileSync } from "node:fs"

const all = JSON.parse(readFileSync(new URL("explained.json", import.meta.url), "utf8"))

/**
 * Divides the tried faults that no test saw into explained and unexplained ones. `stale` has the explanations that
 * match no unseen fault of the tried files. `stale` is empty when only a sample of the faults was tried, because an
 * explanation may be for a fault outside the sample.
 */
export const explain = (results, isWhole) => {
  const unseen = results.filter(({ test }) => typeof test !== "string")
  const isOf = (mutant) => (one) => one.path === mutant.path && one.from === mutant.from && one.to === mutant.to
  const explained = unseen.filter((mutant) => all.some(isOf(mutant)))
  const paths = new Set(results.map(({ path }) => path))
  return {
    explained,
    unexplained: unseen.filter((mutant) => !explained.includes(mutant)),
    stale: isWhole ? all.filter((one) => paths.has(one.path) && !unseen.some((mutant) => isOf(mutant)(one))) : []
  }
}
