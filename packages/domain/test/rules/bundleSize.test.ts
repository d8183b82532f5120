import { describe, expect, it } from "@effect/vitest"
import { build } from "esbuild"
import { join } from "node:path"

const PACKAGE = join(import.meta.dirname, "../..")

/**
 * Bundles and minifies a program that uses one export of a room (a folder of the package), as the bundler of a web page
 * does.
 */
const bundle = async (room: string, used: string) => {
  const [namespace] = used.split(".")
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `import { ${namespace} } from "@place-access/domain/${room}"; globalThis.used = ${used}`,
      resolveDir: PACKAGE
    },
    bundle: true,
    minify: true,
    format: "esm",
    metafile: true,
    write: false,
    conditions: ["@place-access/source"],
    logLevel: "silent"
  })
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const fromEffect = parts.filter(([path, { bytesInOutput }]) => path.includes("node_modules") && bytesInOutput > 0)
  return { size: outputFiles[0]?.contents.length ?? 0, fromEffect }
}

describe("a bundle of one decision", () => {
  it.each([
    ["rules", "RuleEvaluation.step"],
    ["places", "Geometry.distanceM"]
  ])("%s: %s takes less than 5 kB and nothing of effect", async (room, used) => {
    const { fromEffect, size } = await bundle(room, used)
    expect(fromEffect).toEqual([])
    expect(size).toBeGreaterThan(500)
    expect(size).toBeLessThan(5_000)
  })

  it("a decision that needs a schema takes parts of effect, so the check above can fail", async () => {
    expect((await bundle("places", "Coordinates.Latitude")).fromEffect).not.toEqual([])
  })
})
