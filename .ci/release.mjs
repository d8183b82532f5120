// Makes the folder and the tarball with which an operator runs the service: `npm run release`, which bundles first.
// Both are written into the folder `release`, or into the given folder: `node .ci/release.mjs <folder> [--here]`.
//
// The operator needs no build and no installation: `npm start` in the folder starts the server immediately. The folder
// has
// - the bundles;
// - the few packages that cannot be part of a bundle, and a lock file of exactly these packages;
// - the files that the programs read at run time;
// - the documents for operators;
// - `deploy` (the folder `.deploy` of the repository).
//
// With `--here` the folder has the native packages of this machine only.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { stageDocuments } from "./release-documents.mjs"

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..")
const json = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"))

/**
 * The packages that the release folder installs: the packages that `bundle.mjs` leaves out of the bundles (except
 * `pg-native`, which is optional), and the packages whose files the pages send to browsers unchanged.
 */
const PACKAGES = ["@electric-sql/pglite", "@node-rs/argon2", "leaflet"]

/** The native packages for the machines on which the folder starts without an installation. */
const PLATFORMS = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "x64", libc: "musl" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "musl" }
]

const git = (...args) => {
  try {
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return ""
  }
}

/**
 * The version of the release: `0.1.0`, or `0.1.0+3f2a91c04b7d` with the commit when the commit has no tag of the
 * version.
 */
const versionOf = (manifest) => {
  const commit = git("rev-parse", "--short=12", "HEAD")
  const isTagged = git("tag", "--points-at", "HEAD").split("\n").includes(`v${manifest.version}`)
  return commit === "" || isTagged ? manifest.version : `${manifest.version}+${commit}`
}

/** The entries of the repository's lock file for these packages, and for all packages that these packages need. */
const lockedOf = (lock, names) => {
  const found = new Map()
  const visit = (name) => {
    const path = `node_modules/${name}`
    const entry = lock.packages[path]
    if (entry === undefined) throw new Error(`${name} is not in package-lock.json`)
    if (found.has(path)) return
    const { dev: _, ...kept } = entry
    found.set(path, kept)
    for (const needed of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(needed)
  }
  for (const name of names) visit(name)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The files that a program loads, the entry included. The folder of a bundle also has files of other programs. */
const filesOf = (folder, entry) => {
  const found = new Set([entry])
  for (const name of found) {
    const text = readFileSync(join(folder, name), "utf8")
    for (const [, path] of text.matchAll(/["']\.\/([\w.-]+\.js)["']/g)) {
      if (existsSync(join(folder, path))) found.add(path)
    }
  }
  return [...found]
}

const write = (folder, path, value) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`)
}

const copy = (folder, from, to = from) => cpSync(join(ROOT, from), join(folder, to), { recursive: true })

const stagePrograms = (folder, version) => {
  for (const app of ["server", "worker"]) {
    const source = `apps/${app}/bundle`
    for (const name of filesOf(join(ROOT, source), "main.js")) {
      for (const path of [`${source}/${name}`, `${source}/${name}.map`]) copy(folder, path)
    }
    const { engines } = json("package.json")
    write(folder, `apps/${app}/package.json`, {
      name: `@place-access/${app}`,
      version,
      private: true,
      type: "module",
      engines
    })
  }
  // The programs find the base map by the name of this package.
  write(folder, "packages/adapters-http/package.json", {
    name: "@place-access/adapters-http",
    version,
    private: true,
    exports: { "./package.json": "./package.json", "./base-map/base-map.bin": "./base-map/base-map.bin" }
  })
  copy(folder, "packages/adapters-http/base-map/base-map.bin")
}

const stageManifests = (folder, version) => {
  const root = json("package.json")
  const lock = json("package-lock.json")
  const dependencies = Object.fromEntries(
    PACKAGES.map((name) => [name, lock.packages[`node_modules/${name}`]?.version])
  )
  const manifest = {
    name: root.name,
    version,
    private: true,
    type: "module",
    engines: root.engines,
    workspaces: ["packages/adapters-http"],
    scripts: { start: root.scripts.start, worker: root.scripts.worker },
    dependencies
  }
  const { scripts: _, private: __, type: ___, ...locked } = manifest
  write(folder, "package.json", manifest)
  write(folder, "package-lock.json", {
    name: root.name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: {
      "": locked,
      "node_modules/@place-access/adapters-http": { resolved: "packages/adapters-http", link: true },
      "packages/adapters-http": { name: "@place-access/adapters-http", version },
      ...lockedOf(lock, PACKAGES)
    }
  })
  write(folder, ".npmrc", readFileSync(join(ROOT, ".npmrc"), "utf8"))
  write(folder, ".node-version", readFileSync(join(ROOT, ".node-version"), "utf8"))
}

const npm = (cwd, ...args) =>
  execFileSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    stdio: ["ignore", "inherit", "inherit"]
  })

/**
 * Installs the packages of the lock file; npm checks them against the digests in the lock file. Unless `isOnlyHere`,
 * adds the native packages of all `PLATFORMS`.
 */
const install = (folder, isOnlyHere) => {
  npm(folder, "ci", "--omit=dev")
  if (isOnlyHere) return
  for (const { cpu, libc, os } of PLATFORMS) {
    const other = mkdtempSync(join(tmpdir(), "release-"))
    try {
      for (const path of ["package.json", "package-lock.json", "packages/adapters-http/package.json"]) {
        cpSync(join(folder, path), join(other, path))
      }
      npm(other, "ci", "--omit=dev", `--os=${os}`, `--cpu=${cpu}`, `--libc=${libc}`)
      for (const name of readdirSync(join(other, "node_modules/@node-rs"))) {
        cpSync(join(other, "node_modules/@node-rs", name), join(folder, "node_modules/@node-rs", name), {
          recursive: true
        })
      }
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  }
}

/**
 * Makes the tarball. The order, times, owners and modes of its files are fixed, so that the same commit gives the same
 * bytes.
 */
const archive = (folder, file) => {
  const when = git("log", "-1", "--format=%cI") || "2000-01-01T00:00:00Z"
  execFileSync(
    "tar",
    [
      "--sort=name",
      `--mtime=${when}`,
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=u+rwX,go+rX,go-w",
      "-cf",
      file.replace(/\.gz$/, ""),
      "-C",
      dirname(folder),
      relative(dirname(folder), folder)
    ],
    { stdio: "inherit" }
  )
  execFileSync("gzip", ["-9nf", file.replace(/\.gz$/, "")])
}

const args = process.argv.slice(2)
const isOnlyHere = args.includes("--here")
const [given = "release"] = args.filter((word) => word !== "--here")
const target = resolve(given)
const version = versionOf(json("package.json"))
const folder = join(target, `place-access-${version}`)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
stagePrograms(folder, version)
stageDocuments(folder)
stageManifests(folder, version)
install(folder, isOnlyHere)
const file = `${folder}.tar.gz`
archive(folder, file)
const digest = createHash("sha256").update(readFileSync(file)).digest("hex")
writeFileSync(`${file}.sha256`, `${digest}  ${relative(target, file)}\n`)
console.log(`${relative("", folder)}\n${relative("", file)}`)
