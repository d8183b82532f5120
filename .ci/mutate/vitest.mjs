// Starts the tests in a process of their own, and ends all of it when it takes too long.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const CONFIG = fileURLToPath(new URL("vitest.config.mjs", import.meta.url))
const children = new Set()

/** A fault may end in an endless loop, which only SIGKILL to every process of the group stops. */
const end = ({ pid }) => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const child of children) end(child)
    process.exit(130)
  })
}

/** `isStuck` is asked every half second. Gives the exit code (null when it was stopped) and the report as JSON. */
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

/** A condition for `vitest`: it holds once these milliseconds have passed. */
export const after = (millis) => {
  const start = performance.now()
  return () => performance.now() - start > millis
}
