import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = join(import.meta.dirname, "../peers")

export const path = (file: string): string => join(FOLDER, file)

/** Installs the packages of bench/peers/package-lock.json, unless they are installed already. */
export const install = (): void => {
  const stamp = path("node_modules/.installed")
  const lock = readFileSync(path("package-lock.json"), "utf8")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return
  execFileSync("npm", ["ci", "--no-workspaces", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: FOLDER,
    stdio: "inherit"
  })
  writeFileSync(stamp, lock)
}
