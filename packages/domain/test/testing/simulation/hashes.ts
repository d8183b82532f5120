import { Simulation } from "@place-access/domain/testing"
import { build, type Format, type Platform } from "esbuild"
import { join } from "node:path"

const SEEDS = [5_000, 5_001, 5_002, 5_003, 5_004, 5_005]

/** The hash of each seed's run in this process. */
export const hashesHere = (): ReadonlyArray<string> => SEEDS.map((seed) => Simulation.randomSync({ seed }).traceHash)

/**
 * A program in one file that runs the same seeds and stores their hashes in `globalThis.hashes`. Tests run this program
 * in other versions of Node and in a browser.
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
