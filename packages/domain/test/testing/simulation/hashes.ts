import { Simulation } from "@place-access/domain/testing"
import { build, type Format, type Platform } from "esbuild"
import { join } from "node:path"

const SEEDS = [5_000, 5_001, 5_002, 5_003, 5_004, 5_005]

/** The hash of each seed's run in this process. */
export const hashesHere = (): ReadonlyArray<string> => SEEDS.map((seed) => Simulation.randomSync({ seed }).traceHash)

/**
 * A program in one file that stores the hashes of the same seeds in `globalThis.hashes`. Another version of Node, or a
 * browser, runs it.
 */
export const bundleOfHashes = async (format: Format, platform: Platform): Promise<string> => {
  const contents = `
    import { Simulation } from "./testing/index.ts"
    globalThis.hashes = ${JSON.stringify(SEEDS)}.map((seed) => Simulation.randomSync({ seed }).traceHash)
    if (typeof window === "undefined") console.log(JSON.stringify(globalThis.hashes))`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../../.."), loader: "js" },
    bundle: true,
    write: false,
    keepNames: true,
    format,
    platform,
    conditions: ["@place-access/source"]
  })
  return outputFiles[0]?.text ?? ""
}
