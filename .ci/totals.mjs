// The run's last line, from vitest's JSON report:
//   node .ci/totals.mjs <report> <exit status of the test run> <failed check>...
import { existsSync, readFileSync } from "node:fs"

const [path, status, ...failedChecks] = process.argv.slice(2)
if (!existsSync(path)) {
  console.log("The test run ended without a report.")
  console.log(`0 passed, ${1 + failedChecks.length} failed`)
  process.exit(1)
}

const files = JSON.parse(readFileSync(path, "utf8")).testResults
const tests = files.flatMap((file) => file.assertionResults.map(({ status, fullName }) => ({ status, fullName, file })))
const passed = tests.filter((test) => test.status === "passed").length
const skipped = tests.filter((test) => ["skipped", "pending", "todo"].includes(test.status))
// A file that could not be loaded has failed and contains no test.
const brokenFiles = files.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
let failed = tests.filter((test) => test.status === "failed").length + brokenFiles.length

// What needs PostgreSQL or Chromium must have run: this machine was given both.
for (const { file, fullName } of skipped.filter(({ file }) => /\.(pg|browser)\.test\.ts$/.test(file.name))) {
  console.log(`must not be skipped here: ${fullName} (${file.name})`)
  failed += 1
}

// An error outside of any test (an unhandled rejection, say) fails the run too.
if (failed === 0 && status !== "0") {
  console.log(`The test run exited with ${status}.`)
  failed = 1
}
if (passed === 0 && failed === 0) {
  console.log("No test ran.")
  failed = 1
}

// Each check that failed counts as one.
for (const check of failedChecks) console.log(`check failed: ${check}`)
failed += failedChecks.length

console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`)
process.exit(failed === 0 ? 0 : 1)
