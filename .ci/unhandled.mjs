// A reporter of vitest: writes the errors that belong to no test, such as an unhandled rejection or a worker that was
// given up, to the file that UNHANDLED names. Vitest's JSON report leaves them out, and they fail a run all the same.
import { writeFileSync } from "node:fs"

export default class Unhandled {
  onTestRunEnd(_modules, errors) {
    const path = process.env.UNHANDLED
    if (path === undefined || errors.length === 0) return
    writeFileSync(path, errors.map(({ message, stack, type }) => `${type}: ${stack ?? message}`).join("\n\n"))
  }
}
