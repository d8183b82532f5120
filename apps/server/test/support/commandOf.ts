import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "../../../..")

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
}

/**
 * The arguments that `npm run NAME` gives to Node, with the built file last. With these arguments, benchmarks start the
 * programs as people do. `root` is the folder of another clone of the repository.
 */
export const commandOf = (
  name: "start" | "worker" | "listen" | "demo" | "simulate",
  root: string = ROOT
): ReadonlyArray<string> => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
  const [node, ...args] = (scripts[name] ?? "").split(" ")
  const path = args.pop() ?? ""
  if (node !== "node") throw new Error(`npm run ${name} does not begin with node`)
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing: npm run build`)
  return [...args, join(root, path)]
}

/**
 * The arguments of `commandOf` for a program that a test starts. With these arguments, V8 optimizes a JavaScript
 * function after about four times as much work as by default, and never optimizes the WebAssembly of the embedded
 * database. A test runs a program for a few seconds, and the optimizing compilers would take a fifth of that time.
 */
export const shortCommandOf = (...named: Parameters<typeof commandOf>): ReadonlyArray<string> => [
  "--interrupt-budget=600000",
  "--liftoff-only",
  ...commandOf(...named)
]
