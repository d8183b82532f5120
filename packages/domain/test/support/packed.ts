import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../../../..")

/** A package as npm would publish it, made from the build. */
export interface Packed {
  /** The paths of all files in the package. */
  readonly files: ReadonlyArray<string>
  /**
   * The faults that two tools, publint and "Are The Types Wrong", find in the package for a consumer that resolves
   * packages by `exports`. `entrypoints` are the entry points whose types are checked. Default: all.
   */
  readonly faults: (entrypoints?: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** Makes a folder in which only this package is installed. */
  readonly install: () => Promise<string>
  /**
   * Installs the package with npm in an empty project, together with the packages `beside`, which the guide says to
   * install with the package. npm uses the registry for which it is configured.
   */
  readonly installByNpm: (beside: ReadonlyArray<string>) => Promise<string>
  /**
   * The versions, by package name, that npm would install in an empty project with this package and `beside`. npm
   * downloads only what the registry says about the packages, and not the packages.
   */
  readonly resolveByNpm: (beside: ReadonlyArray<string>) => Promise<ReadonlyMap<string, string>>
  /** The path of the tarball. With it the package can be installed beside another package. */
  readonly tarball: string
  /** Removes all folders that the methods of this object made. */
  readonly remove: () => Promise<void>
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

/**
 * Whether a finding is no fault. Two kinds of findings are no faults: those about resolution without `exports`, and the
 * finding that a CommonJS file would `require` an ES module, which Node.js permits from 20.19 on.
 */
const isExpected = ({ kind, resolutionKind }: { readonly kind: string; readonly resolutionKind?: string }): boolean =>
  resolutionKind === "node10" || kind === "CJSResolvesToESM"

const QUIETLY = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]

/** Packs the package `packages/<name>` as `npm run pack:all` does. */
export const pack = async (name: string): Promise<Packed> => {
  const scratch = await mkdtemp(join(tmpdir(), "packed-"))
  const { stdout } = await run(process.execPath, [join(ROOT, ".ci/pack.mjs"), scratch, name], { maxBuffer: 2 ** 26 })
  const [made] = JSON.parse(stdout) as ReadonlyArray<{
    readonly name: string
    readonly filename: string
    readonly files: ReadonlyArray<{ readonly path: string }>
  }>
  if (made === undefined) throw new Error(`npm packed nothing of ${name}`)
  const path = join(scratch, made.filename)
  const project = async (): Promise<string> => {
    const folder = await mkdtemp(join(scratch, "project-"))
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
    return folder
  }
  return {
    tarball: path,
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
      const folder = await project()
      await run("npm", ["install", ...QUIETLY, path, ...beside], { cwd: folder })
      return folder
    },
    resolveByNpm: async (beside) => {
      const folder = await project()
      await run("npm", ["install", "--package-lock-only", ...QUIETLY, path, ...beside], { cwd: folder })
      const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as Lock
      return new Map(
        Object.entries(lock.packages).map(([at, { version = "" }]) => [at.replace(/^node_modules\//, ""), version])
      )
    },
    remove: () => rm(scratch, { recursive: true, force: true, maxRetries: 5 })
  }
}
