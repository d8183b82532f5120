// Runs tests in a process of their own, and kills the process and its children when it is stuck.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const CONFIG = fileURLToPath(new URL("vitest.config.mjs", import.meta.url))
const children = new Set()

/** Kills all processes of a group. A planted fault may cause an endless loop, which only SIGKILL stops. */
const end = ({ pid }) => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The process has ended already.
  }
}
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const child of children) end(child)
    process.exit(130)
  })
}

/**
 * Runs the tests. Calls `isStuck` every half second and kills the process when it returns true. Returns the exit code
 * (null for a killed process) and the JSON report.
 */
export const vitest = (tests, environment, isStuck) =>
  new Promise((resolve) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", CONFIG, "--reporter=json", ...tests]
    const env = { ...process.env, CI: "true", ...environment }
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"], detached: true })
    children.add(child)
    const out = []
    child.stdout.on("data", (chunk) => out.push(chunk))
    const timer = isStuck === undefined ? undefined : setInterval(() => isStuck() && end(child), 500)
    child.on("close", (code) => {
      clearInterval(timer)
      children.delete(child)
      resolve({ code, out: Buffer.concat(out).toString() })
    })
  })

/** A function for `isStuck` that returns true once these milliseconds have passed. */
export const after = (millis) => {
  const start = performance.now()
  return () => performance.now() - start > millis
}
