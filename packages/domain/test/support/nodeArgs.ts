import { build } from "esbuild"
import { randomUUID } from "node:crypto"
import { mkdirSync, renameSync } from "node:fs"
import { basename, join } from "node:path"

const ROOT = join(import.meta.dirname, "../../../..")
/** The folder of compiled files. They can import what a file at the root of the repository can import. */
const CACHE = join(ROOT, "node_modules/.cache/place-access")

/** Whether `npm test` has built the packages. */
export const IS_BUILT = process.env["BUILT"] === "1"

/** Makes Node compile the sources of our packages, and every other file, while it loads them. */
export const FROM_SOURCE: ReadonlyArray<string> = ["--conditions=@place-access/source", "--import", "tsx"]

/** Puts the file, and those that it imports by path, into one file that Node runs as it is. */
const compiled = async (path: string): Promise<string> => {
  const made = join(CACHE, `${basename(path, ".ts")}.mjs`)
  // Several tests may do this at once, so the file appears only when it is complete.
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
 * The arguments with which Node runs a file of TypeScript that imports our packages, in a process of its own. A single
 * test (no BUILT=1) runs the sources, which Node compiles while it loads them. Loading what `npm test` has built takes
 * a third of that processor time.
 */
export const nodeArgs = async (path: string): Promise<ReadonlyArray<string>> =>
  IS_BUILT ? [await compiled(path)] : [...FROM_SOURCE, path]
