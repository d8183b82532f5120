// Runs Effect's own diagnostics. They find code that the compiler accepts and that is wrong nevertheless, such as an
// Effect that nobody runs. The tsconfig.json nearest to a file says which findings are errors. It extends
// tsconfig.base.json for sources, and tsconfig.test.json for tests. This script puts the tests, which
// tsconfig.test.json lists, and the sources, which the projects of tsconfig.json list, into one program. That is
// faster: the tool's own command makes a new program for every fifty files.
import { createRequire } from "node:module"
import { dirname } from "node:path"
import ts from "typescript"

const NAME = "@effect/language-service"
const plugin = createRequire(import.meta.url)(NAME)

const read = (path) => {
  const fail = (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"))
  }
  return ts.getParsedCommandLineOfConfigFile(path, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail })
}

const { fileNames: tests, options } = read("tsconfig.test.json")
const sources = read("tsconfig.json").projectReferences.flatMap(
  (project) => read(ts.resolveProjectReferencePath(project)).fileNames
)
const fileNames = [...sources, ...tests]
const host = ts.createCompilerHost(options)
// The rules read no JSDoc, so the files are read without it, which is faster.
host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone
const program = ts.createProgram({ rootNames: fileNames, options, host })

// Only an error fails the run, so rules that are no errors are switched off. With all rules on, the run would spend
// half of its time on hints for editors. The plugin publishes the names of its rules in the schema of its options.
const { definitions } = createRequire(import.meta.url)(`${NAME}/schema.json`)
const RULES = Object.keys(definitions.effectLanguageServicePluginDiagnosticSeverityDefinition.properties)

/** The severity of every rule: `error` where the configuration says so, otherwise `off`. */
const errorsOf = (severities) => {
  const unknown = Object.keys(severities).filter((name) => !RULES.includes(name))
  if (unknown.length > 0) throw new Error(`${NAME} has no rules of the names ${unknown.join(", ")}`)
  return Object.fromEntries(RULES.map((name) => [name, severities[name] === "error" ? "error" : "off"]))
}

/**
 * Makes a language service, such as editors use, from Effect's plugin. The language service returns the findings of the
 * plugin, without the findings of the compiler.
 */
const judge = (config) =>
  plugin({ typescript: ts }).create({
    config: { ...config, diagnosticSeverity: errorsOf(config.diagnosticSeverity) },
    languageService: { getProgram: () => program, getSemanticDiagnostics: () => [] },
    project: { log: () => {} }
  })

const projects = new Map()
const projectAt = (path) => {
  if (!projects.has(path)) {
    const parsed = read(path)
    const config = parsed.options.plugins?.find(({ name }) => name === NAME)
    projects.set(path, { files: new Set(parsed.fileNames), judge: config && judge(config) })
  }
  return projects.get(path)
}

const findings = []
const passedOver = []
for (const file of fileNames) {
  const path = ts.findConfigFile(dirname(file), ts.sys.fileExists)
  const project = path === undefined ? undefined : projectAt(path)
  if (project?.judge === undefined || !project.files.has(file)) passedOver.push(file)
  else findings.push(...project.judge.getSemanticDiagnostics(file))
}

const errors = findings.filter(({ category }) => category === ts.DiagnosticCategory.Error)
const format = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => "\n"
}
console.log(ts.formatDiagnostics(findings, format))
console.log(`${fileNames.length - passedOver.length} of ${fileNames.length} files checked, ${errors.length} errors`)
for (const file of passedOver) console.log(`belongs to no tsconfig.json beside it, or to one without ${NAME}: ${file}`)
process.exit(errors.length === 0 && passedOver.length === 0 && fileNames.length > 0 ? 0 : 1)
