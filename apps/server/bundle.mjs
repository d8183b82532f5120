// Puts what the server is made of into a few files, and what the worker is made of into others, straight from their
// sources: reading 1,650 files took most of the start, and most of the memory of a program that had nothing to do yet.
// `npm start`, `npm run worker`, clock, demo, listen, replay and simulate come here first, with names of bundles; so
// this needs nothing that `npm ci --omit=dev` leaves out. The types are checked by `npm run build`.
import { readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { requireNode } from "../worker/src/process/node-version.mjs"

requireNode()
const { build } = await import("esbuild")

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..")

/**
 * The bundles, and the programs of each, which share files. What runs for long has a bundle of its own, and so a start
 * waits for what it needs and for nothing else. The folders are as deep as the sources.
 */
const BUNDLES = {
  server: { app: "server", folder: "bundle", programs: { main: "launch.mjs" } },
  worker: { app: "worker", folder: "bundle", programs: { main: "launch.mjs" } },
  commands: {
    app: "server",
    folder: "commands-bundle",
    programs: {
      clock: "src/clock.ts",
      demo: "src/demo.ts",
      listen: "src/listen.ts",
      replay: "src/replay.ts",
      simulate: "src/simulate.ts"
    }
  }
}

/** The bundles to make, by name: all of them without a name. */
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BUNDLES)
for (const name of chosen) if (!(name in BUNDLES)) throw new Error(`There is no bundle of this name: ${name}`)

/** They bring files of their own that are not JavaScript, or are looked for and may be absent. */
const EXTERNAL = ["@electric-sql/pglite", "@node-rs/argon2", "pg-native"]

const newest = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) return found?.mtimeMs ?? 0
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...entries.map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs))
}

/** Our own packages, what npm installed, and what makes the bundles. */
const changedAt = Math.max(
  ...[
    "packages/domain/testing",
    ...["domain", "adapters-http", "adapters-pg", "adapters-webhook"].flatMap((name) => [
      `packages/${name}/src`,
      `packages/${name}/package.json`
    ]),
    ...["server", "worker"].flatMap((app) => [`apps/${app}/src`, `apps/${app}/package.json`, `apps/${app}/launch.mjs`]),
    "apps/server/bundle.mjs",
    "tsconfig.base.json",
    "node_modules/.package-lock.json"
  ].map((path) => newest(join(ROOT, path)))
)

const say = (line) => process.stdout.write(`${line}\n`)

const folderOf = ({ app, folder }) => join(ROOT, "apps", app, folder)

const bundle = async (one) => {
  const folder = folderOf(one)
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  await bundleInto(fresh, join(ROOT, "apps", one.app), one.programs)
  // All of it or nothing, also when somebody stops this half-way.
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
}

const bundleInto = (outdir, app, programs) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(app, path)])),
    outdir,
    bundle: true,
    conditions: ["@place-access/source"],
    // What is only imported when it is switched on stays in a file of its own.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: EXTERNAL,
    // As later versions of node have it. The driver, which wants to know whether it runs at Cloudflare, would load
    // node's `fetch` instead.
    define: { navigator: '{"userAgent":"Node.js/20"}' },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    // For those of the libraries that are CommonJS.
    banner: { js: 'import{createRequire as $require}from"node:module";const require=$require(import.meta.url);' },
    logLevel: "warning"
  })

const builtAt = (one) => newest(join(folderOf(one), `${Object.keys(one.programs)[0]}.js`))
const stale = chosen.filter((name) => builtAt(BUNDLES[name]) <= changedAt)
if (stale.length > 0) {
  const began = performance.now()
  say(`Building ${stale.join(", ")}, which is done once after a change of the sources …`)
  await Promise.all(stale.map((name) => bundle(BUNDLES[name])))
  const places = stale.map((name) => relative(process.cwd(), folderOf(BUNDLES[name])))
  say(`Built in ${((performance.now() - began) / 1000).toFixed(1)} s: ${places.join(", ")}`)
}
