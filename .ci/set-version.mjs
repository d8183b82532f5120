// Gives all packages of this repository one version: in their manifests, in their dependencies on each other, in the
// lock file, and in the names of tarballs that the documents tell people to install:
//   node .ci/set-version.mjs 0.1.0
// `npm version --workspaces` would leave the dependencies at the old version, and npm would then look for the old
// version in the registry.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [version = ""] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(?:-\w+(?:\.\d+)*)?$/.test(version)) {
  console.error("node .ci/set-version.mjs MAJOR.MINOR.PATCH")
  process.exit(64)
}

/** Documents about the past, which name older versions. */
const KEPT = new Set(["CHANGELOG.md", "performance-log.md"])

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

/** The name of a tarball or of its folder: `place-access-listen-0.1.0.tgz`, `place-access-0.1.0.tar.gz`. */
const NAMED = /\b(place-access(?:-[a-z]+)*)-\d+\.\d+\.\d+(?:-\w+(?:\.\d+)*)?(?![\w-])/g
for (const name of readdirSync("docs").filter((one) => one.endsWith(".md") && !KEPT.has(one))) {
  const path = join("docs", name)
  const text = readFileSync(path, "utf8")
  const fresh = text.replaceAll(NAMED, `$1-${version}`)
  if (fresh !== text) writeFileSync(path, fresh)
}
