// Bundles the sources of the server, of the worker and of the commands into a few files each. Without bundles, reading
// 1,650 files took most of the start, and most of the memory of an idle program. `npm start`, `npm run worker`, clock,
// demo, listen, replay and simulate run this script first, with the names of the bundles that they need. So the script
// may import only packages that `npm ci --omit=dev` installs. It checks no types; `npm run build` does.
import { readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { requireNode } from "../worker/src/process/node-version.mjs"

requireNode()
const { build } = await import("esbuild")

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..")

/**
 * The bundles by name. The programs of one bundle share files. Server and worker each have a separate bundle, so that
 * their start does not wait for the bundling of other programs. The folders are as deep as `src`, so that relative
 * paths such as `../package.json` stay right.
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

/** The names of the bundles to make: the arguments of this script, or all names when there is no argument. */
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BUNDLES)
for (const name of chosen) if (!(name in BUNDLES)) throw new Error(`There is no bundle of this name: ${name}`)

/**
 * Packages that are not bundled. The first two load files that are not JavaScript. `pg-native` is optional: the driver
 * tries to load it at run time.
 */
const EXTERNAL = ["@electric-sql/pglite", "@node-rs/argon2", "pg-native"]

const newest = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) return found?.mtimeMs ?? 0
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...entries.map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs))
}

/**
 * The time of the last change of any file that the bundles depend on, such as a source, a list of packages, or this
 * script.
 */
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
  // Replaces the old bundle only now, so that a script that is stopped half-way leaves no incomplete bundle.
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
    // Modules that a program imports dynamically, because most runs do not need them, stay in files of their own.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: EXTERNAL,
    // Node 20 has no `navigator`. Without it, the PostgreSQL driver would load Node's `fetch` to find out whether it
    // runs at Cloudflare.
    define: { navigator: '{"userAgent":"Node.js/20"}' },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    // Libraries in CommonJS call `require`, which an ES module does not have. So each bundled file begins with a line
    // that makes it.
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
