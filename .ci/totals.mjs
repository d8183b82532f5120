// Prints the failures of a run again and the totals as the last line. The arguments are vitest's JSON reports, one for
// each test run:
//   node .ci/totals.mjs <report> <exit status of the test run> [<report> <exit status>]... -- <failed check>...
// `<report>.again`, when it exists, is the report of the second attempt of some failed files (.ci/failed-files.mjs).
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { compare } from "./servers.mjs"

const given = process.argv.slice(2)
const end = given.indexOf("--")
const runs = given.slice(0, end)
const failedChecks = given.slice(end + 1)
const totals = { passed: 0, failed: 0, skipped: 0 }
/** The tests of all runs, because a suite may run on PostgreSQL in one run and on Citus in another. */
const compared = []

for (let at = 0; at < runs.length; at += 2) count(runs[at], runs[at + 1])

function count(path, status) {
  if (!existsSync(path)) {
    console.log("The test run ended without a report.")
    totals.failed += 1
    return
  }
  const files = JSON.parse(readFileSync(path, "utf8")).testResults
  const tests = files.flatMap((file) =>
    file.assertionResults.map(({ status, fullName, failureMessages }) => ({
      status,
      fullName,
      messages: failureMessages,
      file
    }))
  )
  const passed = tests.filter((test) => test.status === "passed").length
  const skipped = tests.filter((test) => ["skipped", "pending", "todo"].includes(test.status))
  // A file that could not be loaded counts as a failure, although it contains no test result.
  const brokenFiles = files.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
  const passedAgain = secondAttempt(path)
  const [failures, passedLater, endedLater] = [[], [], []]
  for (const test of tests.filter((test) => test.status === "failed")) {
    ;(passedAgain.has(nameOf(test)) ? passedLater : failures).push(test)
  }
  // .ci/unhandled.mjs wrote these errors, which belong to no test. The error of a file that could not be loaded is
  // counted already.
  for (const { file: name, title, message } of unhandledOf(path)) {
    const file = files.find((file) => file.name === name)
    if (file !== undefined && brokenFiles.includes(file)) continue
    const error = { fullName: title, messages: [message], file: file ?? { name: process.cwd() } }
    ;(file !== undefined && filesPassedAgain(path).has(name) ? endedLater : failures).push(error)
  }
  let failed = failures.length + brokenFiles.length

  // The failures are printed again at the end, because vitest prints them far above, and often only the end of a long
  // output is kept.
  for (const { fullName, messages, file } of failures) say(file, fullName, messages.join("\n"))
  for (const file of brokenFiles) say(file, "could not be loaded", file.message)
  // Tests that passed at the second attempt are printed too, because a test that fails now and then is a defect.
  for (const { fullName, messages, file } of [...passedLater, ...endedLater]) {
    say(file, fullName, messages.join("\n"), "failed once")
  }

  // .ci/run provides PostgreSQL and Chromium, and sets REQUIRE_CITUS when it provides a cluster. Tests that need these
  // programs must not be skipped.
  const needsCluster = ({ file, fullName }) => file.name.endsWith(".citus.test.ts") || fullName.includes("Citus")
  const isProvided = (test) =>
    needsCluster(test) ? process.env.REQUIRE_CITUS === "1" : /\.(pg|browser)\.test\.ts$/.test(test.file.name)
  for (const { file, fullName } of skipped.filter(isProvided)) {
    console.log(`must not be skipped here: ${fullName} (${file.name})`)
    failed += 1
  }

  compared.push(...tests.map((test) => (passedLater.includes(test) ? { ...test, status: "passed" } : test)))

  // Every test, hook and unhandled error is in the reports. If the status alone shows a failure, the runner itself
  // failed after it had written its reports. Such a failure shows nothing about the project, so it is printed and not
  // counted, unless the report of unhandled errors is missing.
  if (failed === 0 && passedLater.length + endedLater.length === 0 && status !== "0") {
    console.log(
      `The test run wrote its reports without a failure and then exited with ${status}. The end of its output:`
    )
    console.log(outputOf(path).slice(-3000) || "(none)")
    if (!existsSync(`${path}.unhandled`)) failed = 1
  }
  if (passed === 0 && failed === 0) {
    console.log("No test ran.")
    failed = 1
  }
  // Prints the recorded seeds that no longer lead to the situation for which they were recorded. Their tests still
  // pass, because the tests then search for other seeds, but this search takes minutes in every run.
  for (const line of outputOf(path).split("\n")) if (line.startsWith("To do: ")) console.log(line)
  totals.passed += passed + passedLater.length
  totals.failed += failed
  totals.skipped += skipped.length
}

function outputOf(path) {
  return existsSync(`${path}.output`) ? readFileSync(`${path}.output`, "utf8") : ""
}

function unhandledOf(path) {
  return existsSync(`${path}.unhandled`) ? JSON.parse(readFileSync(`${path}.unhandled`, "utf8")) : []
}

/** The test files of which every test passed at the second attempt. */
function filesPassedAgain(path) {
  if (!existsSync(`${path}.again`)) return new Set()
  const files = JSON.parse(readFileSync(`${path}.again`, "utf8")).testResults
  return new Set(files.filter(({ status }) => status === "passed").map(({ name }) => name))
}

/** The names of the tests that passed at the second attempt. */
function secondAttempt(path) {
  if (!existsSync(`${path}.again`)) return new Set()
  const files = JSON.parse(readFileSync(`${path}.again`, "utf8")).testResults
  const tests = files.flatMap((file) =>
    file.assertionResults.map(({ status, fullName }) => ({ status, fullName, file }))
  )
  return new Set(tests.filter(({ status }) => status === "passed").map(nameOf))
}

function nameOf({ file, fullName }) {
  return `${file.name} ${fullName}`
}

function say(file, title, message, what = "failed") {
  console.log(`${what}: ${title} (${relative(process.cwd(), file.name)})\n${message.slice(0, 2000)}\n`)
}

// The faults that servers.mjs finds fail the run only when there was a cluster: no test runs on Citus without a
// cluster.
const { lines, faults } = compare(compared)
for (const line of lines) console.log(line)
if (process.env.REQUIRE_CITUS === "1") {
  for (const fault of faults) console.log(fault)
  totals.failed += faults.length
}

// Each failed check counts as one failure.
for (const check of failedChecks) console.log(`check failed: ${check}`)
totals.failed += failedChecks.length

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ""
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)
process.exit(totals.failed === 0 ? 0 : 1)
