// Reads vitest's JSON report, and prints the failed test files if they may run once more:
//   node .ci/failed-files.mjs <report>
//
// Failed files may run once more if each of them needs a server, a browser or a separate process, because other work on
// the machine can make such a test fail. If a file of another kind failed, this script prints nothing. It also prints
// nothing when more than `MOST_FILES` files failed, because then the change itself is probably wrong.
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"

const MOST_FILES = 3

const [report] = process.argv.slice(2)
const files = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : []
const failed = files.filter((file) => file.status === "failed").map((file) => relative(process.cwd(), file.name))
const needsMachine = failed.every((file) => /\.(pg|citus|browser|e2e)\.test\.ts$/.test(file))
if (needsMachine && failed.length <= MOST_FILES) for (const file of failed) console.log(file)
