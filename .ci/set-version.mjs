// Gives all packages of this repository one version: in their manifests, in their dependencies on each other, and in
// the lock file:
//   node .ci/set-version.mjs 0.1.0
// `npm version --workspaces` would leave the dependencies at the old version, and npm would then look for the old
// version in the registry.
import { readFileSync, writeFileSync } from "node:fs"

const [version = ""] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
  console.error("node .ci/set-version.mjs MAJOR.MINOR.PATCH")
  process.exit(64)
}

const SCOPE = "@place-access/"
const { workspaces } = JSON.parse(readFileSync("package.json", "utf8"))

const withVersion = (manifest) => {
  manifest.version = version
  for (const field of ["dependencies", "devDependencies", "peerDependencies"]) {
    for (const name of Object.keys(manifest[field] ?? {})) {
      if (name.startsWith(SCOPE)) manifest[field][name] = version
    }
  }
}

const edit = (path, change) => {
  const value = JSON.parse(readFileSync(path, "utf8"))
  change(value)
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

for (const folder of [".", ...workspaces]) edit(`${folder}/package.json`, withVersion)
edit("package-lock.json", (lock) => {
  lock.version = version
  for (const folder of ["", ...workspaces]) withVersion(lock.packages[folder])
})
