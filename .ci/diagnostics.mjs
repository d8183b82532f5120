// Effect's own diagnostics: what the compiler accepts and is wrong all the same, such as an Effect that nobody runs.
// Each file is judged by the nearest tsconfig.json; which findings are errors is written in tsconfig.base.json, and for
// tests in tsconfig.test.json, which also lists the files.
import { spawnSync } from "node:child_process"

const options = ["diagnostics", "--project", "tsconfig.test.json", "--format", "text"]
const { status, stdout, stderr } = spawnSync("effect-language-service", options, {
  encoding: "utf8",
  maxBuffer: 64 << 20
})
console.log(`${stdout}${stderr}`.trim())

// A file that belongs to no tsconfig.json is passed over, and the tool calls that a success.
const [, checked, listed] = /Checked (\d+) files out of (\d+)/.exec(stdout) ?? []
const complete = checked !== undefined && checked === listed
if (!complete) console.log("Some files were not checked: does each test folder have its tsconfig.json?")
process.exit(status === 0 && complete ? 0 : 1)
