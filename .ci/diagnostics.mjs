// Effect's own diagnostics: what the compiler accepts and is wrong all the same, such as an Effect that nobody runs.
// Each file is judged as its nearest tsconfig.json says: which findings are errors is written in tsconfig.base.json, and for
// tests in tsconfig.test.json, which also lists the files. All of them are one program: the tool's own command makes a new one
// for every fifty files.
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

const { fileNames, options } = read("tsconfig.test.json")
const program = ts.createProgram({ rootNames: fileNames, options })

/** What an editor would ask: the findings of the plugin, and none of the compiler's. */
const judge = (config) =>
  plugin({ typescript: ts }).create({
    config,
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
const host = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => "\n"
}
console.log(ts.formatDiagnostics(findings, host))
console.log(`${fileNames.length - passedOver.length} of ${fileNames.length} files checked, ${errors.length} errors`)
for (const file of passedOver) console.log(`belongs to no tsconfig.json beside it, or to one without ${NAME}: ${file}`)
process.exit(errors.length === 0 && passedOver.length === 0 && fileNames.length > 0 ? 0 : 1)
