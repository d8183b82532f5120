// Checks that
// - modules import only what they may (.dependency-cruiser.cjs);
// - no two rooms import each other, and no room has too many files (rooms.mjs);
// - no HTTP handler calls a store;
// - the cruiser read every module: it silently skips a file that it cannot parse or reach, and would then report no
//   problem.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cruise, format } from "dependency-cruiser"
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config"
import { problemsOfRooms } from "./rooms.mjs"

/** The least number of modules. Raise it as the code grows; it only guards against a run that finds almost nothing. */
const MODULES_MIN = 1_500

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
  .filter((path) => /^(packages|apps)\/[^/]+\/(src|testing)\/.*\.ts$/.test(path) && existsSync(path))
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
problems.push(...problemsOfRooms(output.modules, sources))

// A handler calls programs of the domain, and no store: decisions belong in the domain. Only the edge, which writes the
// access log, and `HttpLive`, which wires the server, import a store. Types of stores may be imported.
const STORE_USERS = /^packages\/adapters-http\/src\/(edge\/|HttpLive\.ts$)/
for (const path of sources.filter((one) => one.startsWith("packages/adapters-http/src/") && !STORE_USERS.test(one))) {
  for (const [, names = ""] of readFileSync(path, "utf8").matchAll(
    /^import \{([^}]*)\} from "@place-access\/domain/gm
  )) {
    for (const name of names
      .split(",")
      .map((one) => one.trim())
      .filter((one) => /^\w+Store$/.test(one))) {
      problems.push(`${path} imports ${name}: call a program of the domain`)
    }
  }
}
for (const problem of problems) console.log(problem)
console.log(`${sources.length} source modules, ${cruised.size} cruised with what they import`)
process.exit(report.exitCode !== 0 || problems.length > 0 ? 1 : 0)
