// A reporter of vitest that writes the errors that belong to no test, as JSON, to the file that UNHANDLED names: errors
// of hooks such as `afterAll`, unhandled rejections, and workers that vitest gave up. Such an error fails a run, but
// vitest's JSON report leaves it out. An error of a hook names a file; the other errors name no file.
import { writeFileSync } from "node:fs"

const textOf = ({ message, stack, type }) => [type, stack ?? message].filter(Boolean).join(": ")

export default class Unhandled {
  onTestRunEnd(modules, errors) {
    const path = process.env.UNHANDLED
    if (path === undefined) return
    const ofHooks = modules.flatMap((module) =>
      [module, ...module.children.allSuites()].flatMap((suite) =>
        suite.errors().map((error) => ({
          file: module.moduleId,
          title: `a hook of ${suite === module ? "the file" : suite.fullName}`,
          message: textOf(error)
        }))
      )
    )
    const others = errors.map((error) => ({ file: null, title: "outside of any test", message: textOf(error) }))
    writeFileSync(path, JSON.stringify([...ofHooks, ...others]))
  }
}
