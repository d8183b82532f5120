// Puts what the server is made of into one file, and what the worker is made of into another, with what they import: reading 1,650
// files took most of the start, and most of the memory of a program that had nothing to do yet. `npm run build` comes here last.
import { readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

const ROOT = join(import.meta.dirname, "../..")

/** They bring files of their own that are not JavaScript, or are looked for and may be absent. */
const EXTERNAL = ["@electric-sql/pglite", "@node-rs/argon2", "pg-native"]

const newest = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) return found?.mtimeMs ?? 0
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...entries.map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs))
}

/** What is built of our own packages, what npm installed, and this file. */
const changedAt = Math.max(
  ...[
    "packages/domain/dist",
    "packages/adapters-http/dist",
    "packages/adapters-pg/dist",
    "packages/adapters-webhook/dist",
    "apps/server/dist",
    "apps/worker/dist",
    "apps/server/bundle.mjs",
    "node_modules/.package-lock.json"
  ].map((path) => newest(join(ROOT, path)))
)

const bundle = async (app) => {
  const folder = join(ROOT, "apps", app, "bundle")
  if (newest(join(folder, "main.js")) > changedAt) return
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: { main: join(ROOT, "apps", app, "dist/main.js") },
    outdir: fresh,
    bundle: true,
    // What is only imported when it is switched on stays in a file of its own.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: EXTERNAL,
    // As later versions of node have it. The driver, which wants to know whether it runs at Cloudflare, would load node's `fetch` instead.
    define: { navigator: '{"userAgent":"Node.js/20"}' },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    // For those of the libraries that are CommonJS.
    banner: { js: 'import{createRequire as $require}from"node:module";const require=$require(import.meta.url);' },
    logLevel: "warning"
  })
  // All of it or nothing, also when somebody stops this half-way.
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
}

await Promise.all(["server", "worker"].map(bundle))
