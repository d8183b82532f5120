// Prints the files of a test run that may be tried once more, from vitest's JSON report:
//   node .ci/failed-files.mjs <report>
//
// Only a test that needs a server, a browser or a process of its own may: such a test can fail for what the machine
// does meanwhile. A test of decisions alone has no such excuse, and a change that breaks many files is not tried again.
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"

const MOST_FILES = 3

const [report] = process.argv.slice(2)
const files = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : []
const failed = files.filter((file) => file.status === "failed").map((file) => relative(process.cwd(), file.name))
const needsMachine = failed.every((file) => /\.(pg|citus|browser|e2e)\.test\.ts$/.test(file))
if (needsMachine && failed.length <= MOST_FILES) for (const file of failed) console.log(file)
