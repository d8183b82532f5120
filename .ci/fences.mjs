// Checks who imports whom (.dependency-cruiser.cjs), and that no module escaped the check: a cruiser that cannot parse
// or reach a file skips it without a word, and a fence that sees nothing reports nothing.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { cruise, format } from "dependency-cruiser"
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config"

/** Raise this as the code grows; it only ever guards against a run that sees next to nothing. */
const MODULES_MIN = 450

const rules = createRequire(import.meta.url)("../.dependency-cruiser.cjs")
const { output } = await cruise(
  ["packages", "apps"],
  { ...rules.options, ruleSet: { forbidden: rules.forbidden }, validate: true },
  rules.options.enhancedResolveOptions,
  { tsConfig: extractTSConfig(rules.options.tsConfig.fileName) }
)

const report = await format(output, { outputType: "err-long" })
console.log(report.output.trim())

const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /^(packages|apps)\/[^/]+\/src\/.*\.ts$/.test(path) && existsSync(path))
const cruised = new Set(output.modules.map((module) => module.source))
const problems = sources.filter((path) => !cruised.has(path)).map((path) => `not cruised: ${path}`)
if (sources.length < MODULES_MIN) {
  problems.push(`only ${sources.length} source modules, expected at least ${MODULES_MIN}: is this a git checkout?`)
}
if (
  cruised.has("packages/domain/src/index.ts") &&
  ![...cruised].some((path) => path.startsWith("node_modules/effect/"))
) {
  problems.push(
    "no import of `effect` was seen: imports of packages are being skipped, so the fences are blind to them"
  )
}
for (const problem of problems) console.log(problem)
console.log(`${sources.length} source modules, ${cruised.size} cruised with what they import`)
process.exit(report.exitCode !== 0 || problems.length > 0 ? 1 : 0)
