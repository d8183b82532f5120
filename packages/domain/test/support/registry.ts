import { execFileSync } from "node:child_process"
import { describe } from "vitest"

/** Whether the registry for which npm is configured answers. */
const answers = (): boolean => {
  try {
    execFileSync("npm", ["view", "effect", "version", "--loglevel=silent"], { stdio: "ignore", timeout: 120_000 })
    return true
  } catch {
    process.stderr.write("\nNo registry of packages answers: the tests that install from one are skipped.\n")
    return false
  }
}

/** A `describe` for tests that install npm packages. If no package registry answers, these tests are skipped. */
export const describeRegistry = describe.skipIf(!answers())
