// Checks that the domain's programs are written in the same way: when a room's index.ts exports a function from a file
// with a camelCase name, this function must be made with `program("itsName", function* …)`. .oxlintrc.json forbids the
// other ways to make a span.
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"

/**
 * Programs that run until they are interrupted. They have no span, because the span would never end and would contain
 * all other spans.
 */
const ENDLESS = new Set([
  "runWorker",
  "runMail",
  "runImports",
  "runExports",
  "runSettling",
  "runHousekeeping",
  "listen"
])

/** The least number of programs. Raise it as the code grows; it only guards against a run that finds almost nothing. */
const PROGRAMS_MIN = 270

/** The files of the rooms, without the index.ts at the top of `src`. */
const SOURCES = readdirSync("packages/domain/src", { recursive: true })
  .filter((name) => name.includes("/") && name.endsWith(".ts"))
  .map((name) => join("packages/domain/src", name))

const problems = []
let programs = 0

const parse = (path) => ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)

/** The first argument of `program("…", …)`; undefined for anything else. */
const nameGiven = (node) =>
  node !== undefined && ts.isCallExpression(node) && node.expression.getText() === "program"
    ? node.arguments[0]?.text
    : undefined

const variablesOf = (file) =>
  file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => [...declarationList.declarations])

const isCamelCase = (path) => /\/[a-z][A-Za-z0-9]*\.ts$/.test(path) && !path.endsWith("/index.ts")

for (const path of SOURCES) {
  for (const { initializer, name } of variablesOf(parse(path))) {
    const given = nameGiven(initializer)
    if (given === undefined) continue
    programs++
    if (given !== name.getText()) problems.push(`${path}: ${name.getText()} is called "${given}" in its span`)
  }
}

for (const index of SOURCES.filter((name) => name.endsWith("/index.ts"))) {
  for (const statement of parse(index).statements.filter(ts.isExportDeclaration)) {
    const path = join(dirname(index), statement.moduleSpecifier.text.replace(/\.js$/, ".ts"))
    if (statement.isTypeOnly || !isCamelCase(path)) continue
    const variables = new Map(variablesOf(parse(path)).map((one) => [one.name.getText(), one.initializer]))
    for (const { isTypeOnly, name, propertyName } of statement.exportClause.elements) {
      const inside = (propertyName ?? name).text
      if (isTypeOnly || !variables.has(inside) || ENDLESS.has(inside)) continue
      if (nameGiven(variables.get(inside)) === undefined) {
        problems.push(`${path}: ${inside} is not made by \`program("${inside}", function* …)\``)
      }
    }
  }
}

if (programs < PROGRAMS_MIN) problems.push(`only ${programs} programs, expected at least ${PROGRAMS_MIN}`)
for (const problem of problems) console.log(problem)
console.log(`${programs} programs looked at`)
process.exit(problems.length > 0 ? 1 : 0)
