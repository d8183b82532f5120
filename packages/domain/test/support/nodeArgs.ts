import { build } from "esbuild"
import { randomUUID } from "node:crypto"
import { mkdirSync, renameSync } from "node:fs"
import { basename, join } from "node:path"

const ROOT = join(import.meta.dirname, "../../../..")
/**
 * The folder of the compiled files. It is in the repository, so that these files find the same packages as the sources.
 */
const CACHE = join(ROOT, "node_modules/.cache/place-access")

/** Whether `npm test` has built the packages. */
export const IS_BUILT = process.env["BUILT"] === "1"

/** Arguments with which Node compiles every file while it loads the file, and takes our packages from their sources. */
export const FROM_SOURCE: ReadonlyArray<string> = ["--conditions=@place-access/source", "--import", "tsx"]

/** Bundles the file with the files that it imports by path. Node can run the resulting file directly. */
const compiled = async (path: string): Promise<string> => {
  const made = join(CACHE, `${basename(path, ".ts")}.mjs`)
  // Several tests may compile the same file at the same time, so the file gets its final name only when it is complete.
  const draft = `${made}.${randomUUID()}`
  mkdirSync(CACHE, { recursive: true })
  await build({
    entryPoints: [path],
    outfile: draft,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node"
  })
  renameSync(draft, made)
  return made
}

/**
 * The arguments with which another process of Node runs a TypeScript file that imports our packages. A single test
 * (without BUILT=1) runs the sources, which Node compiles while it loads them. With BUILT=1 the file runs with the
 * built packages, which load in a third of the processor time.
 */
export const nodeArgs = async (path: string): Promise<ReadonlyArray<string>> =>
  IS_BUILT ? [await compiled(path)] : [...FROM_SOURCE, path]
