import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../../../..")

/** A package as npm would publish it, made of what is built. */
export interface Packed {
  /** Every file in it, by its path in the package. */
  readonly files: ReadonlyArray<string>
  /**
   * What publint and Are The Types Wrong have to say against it, for whoever resolves by `exports`. `entrypoints`: those whose types are
   * looked at; left out: all of them.
   */
  readonly faults: (entrypoints?: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** An empty folder, where this package, and no other, is installed. */
  readonly install: () => Promise<string>
  /** The same by npm, in an empty project, with what the guide says to install beside it; from the registry that npm is set up for. */
  readonly installByNpm: (beside: ReadonlyArray<string>) => Promise<string>
  /** Removes everything that was made for it. */
  readonly remove: () => Promise<void>
}

/**
 * What does not count: resolution as it was before `exports`, and that a CommonJS file which asks for a module gets an ES module,
 * which Node.js permits from 20.19 on.
 */
const isExpected = ({ kind, resolutionKind }: { readonly kind: string; readonly resolutionKind?: string }): boolean =>
  resolutionKind === "node10" || kind === "CJSResolvesToESM"

/** Packs `packages/<name>`. */
export const pack = async (name: string): Promise<Packed> => {
  const scratch = await mkdtemp(join(tmpdir(), "packed-"))
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch]
  const { stdout } = await run("npm", args, { cwd: join(ROOT, "packages", name), maxBuffer: 2 ** 26 })
  const [made] = JSON.parse(stdout) as ReadonlyArray<{
    readonly name: string
    readonly filename: string
    readonly files: ReadonlyArray<{ readonly path: string }>
  }>
  if (made === undefined) throw new Error(`npm packed nothing of ${name}`)
  const path = join(scratch, made.filename)
  return {
    files: made.files.map((file) => file.path),
    faults: async (entrypoints) => {
      const tarball = await readFile(path)
      const { messages } = await publint({ pack: { tarball: Uint8Array.from(tarball).buffer }, strict: true })
      const types = await checkPackage(
        createPackageFromTarballData(tarball),
        entrypoints === undefined ? {} : { entrypoints: [...entrypoints] }
      )
      const problems = types.types === false ? [{ kind: "no types" }] : types.problems.filter((one) => !isExpected(one))
      return [...messages, ...problems].map((one) => JSON.stringify(one))
    },
    install: async () => {
      const folder = await mkdtemp(join(scratch, "consumer-"))
      const target = join(folder, "node_modules", made.name)
      await mkdir(target, { recursive: true })
      await run("tar", ["-xzf", path, "-C", target, "--strip-components=1"])
      return folder
    },
    installByNpm: async (beside) => {
      const folder = await mkdtemp(join(scratch, "project-"))
      await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
      const quietly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
      await run("npm", ["install", ...quietly, path, ...beside], { cwd: folder })
      return folder
    },
    remove: () => rm(scratch, { recursive: true, force: true })
  }
}
