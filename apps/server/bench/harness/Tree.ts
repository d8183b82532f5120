import { execFileSync, type ExecFileSyncOptions } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Another commit of this repository, with its programs built. */
export interface Tree {
  /** The name of the commit on the command line. */
  readonly name: string
  readonly folder: string
}

const ROOT = join(import.meta.dirname, "../../../..")

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()

/** The commit that is measured; "with changes" when the work tree differs from it. */
export const commit = (): string => {
  const id = git("rev-parse", "--short=8", "HEAD")
  return git("status", "--porcelain", "--untracked-files=no") === "" ? id : `${id} with changes`
}

/**
 * Checks out the commit in a temporary folder, installs its packages and builds its programs. The folder is removed
 * when this process ends. When there is no such commit, the error is a sentence for the person who started the
 * benchmark.
 */
export const checkedOut = (name: string): Tree => {
  let id: string
  try {
    id = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`)
  } catch (error) {
    throw new Error("--compare names no commit of this repository.", { cause: error })
  }
  const folder = join(mkdtempSync(join(tmpdir(), "place-access-compare-")), "tree")
  process.once("exit", () => {
    rmSync(join(folder, ".."), { recursive: true, force: true })
    git("worktree", "prune")
  })
  git("worktree", "add", "--detach", folder, id)
  const inFolder: ExecFileSyncOptions = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], inFolder)
  execFileSync(process.execPath, ["apps/server/bundle.mjs"], inFolder)
  return { name, folder }
}
