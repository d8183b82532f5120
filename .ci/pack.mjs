// Makes the tarballs that developers of apps install: `npm run pack:all`, which builds first. The tarballs are written
// into the folder `packed`, or into the given folder: `node .ci/pack.mjs <folder> [package …]`.
//
// `listen` is one file, which npx runs:
// `npx --package=./packed/place-access-listen-VERSION.tgz place-access-listen --help`.
//
// The package `domain` is packed unchanged. Of the two adapters only the parts for apps are packed, with a separate
// manifest: the whole packages need the server's dependencies, and the parts for apps need no dependencies.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..")
/** The Node.js versions that the service supports, and the oldest of them for the bundler. */
const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
const TARGET = `node${/\d+/.exec(engines.node)[0]}`

/**
 * The parts for apps. `entries`: the paths by which they are imported, with their files below `src`. `optional`: the
 * peer dependencies of the entry `Api`, which is for users of Effect. A range here must not exclude effect 4: npm would
 * refuse to install the client in a project that has effect 4, although the client does not use it.
 */
const PARTS = {
  "adapters-http": {
    description: "The client of the Place-Aware Access Service for apps, and its contract for users of Effect",
    entries: { "./client": "client/index", "./client/fileTokenStore": "client/fileTokenStore", "./Api": "Api" },
    others: { "./package.json": "./package.json" },
    files: ["examples"],
    optional: { "@effect/platform": ">=0.97.0", "@place-access/domain": "*", effect: "*" }
  },
  "adapters-webhook": {
    description: "Verifies the webhooks of the Place-Aware Access Service",
    entries: { "./verify": "verify" },
    others: { "./vectors.json": "./vectors.json" },
    files: ["examples", "vectors.json"],
    optional: {}
  }
}

/** The modules that an entry imports, itself included, by their paths below `dist` without an ending. */
const closureOf = (dist, entry) => {
  const found = new Set([entry])
  for (const name of found) {
    for (const ending of [".js", ".d.ts"]) {
      const text = readFileSync(join(dist, name + ending), "utf8")
      for (const [, path] of text.matchAll(/(?:from |import\(|import )["'](\.{1,2}\/[^"']+)\.js["']/g)) {
        found.add(join(dirname(name), path))
      }
    }
  }
  return found
}

const stage = (name, target) => {
  const { description, entries, files, optional, others } = PARTS[name]
  const source = join(ROOT, "packages", name)
  const dist = join(source, "dist")
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"))
  const modules = new Set(Object.values(entries).flatMap((entry) => [...closureOf(dist, entry)]))
  for (const module of modules) {
    for (const path of [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => `dist/${module}${ending}`)) {
      if (existsSync(join(source, path))) cpSync(join(source, path), join(target, path))
    }
    cpSync(join(source, `src/${module}.ts`), join(target, `src/${module}.ts`))
  }
  for (const path of files) cpSync(join(source, path), join(target, path), { recursive: true })
  const exported = Object.entries(entries).map(([path, entry]) => [
    path,
    { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` }
  ])
  const isOptional = Object.fromEntries(Object.keys(optional).map((peer) => [peer, { optional: true }]))
  const needs =
    Object.keys(optional).length === 0 ? {} : { peerDependencies: optional, peerDependenciesMeta: isOptional }
  const { private: isPrivate, version } = manifest
  const packed = {
    name: manifest.name,
    version,
    private: isPrivate,
    description,
    license: "UNLICENSED",
    type: "module",
    sideEffects: false,
    engines,
    exports: { ...Object.fromEntries(exported), ...others },
    files: ["dist", "src", ...files],
    ...needs
  }
  writeFileSync(join(target, "package.json"), `${JSON.stringify(packed, null, 2)}\n`)
}

/**
 * Lets the bundle of `listen` leave out modules that it does not use. This is safe, because `listen` needs no side
 * effect of importing a module of this repository.
 */
const withoutEffects = {
  name: "without-effects",
  setup: (bundle) => {
    bundle.onResolve(
      { filter: /^(?:\.|@place-access\/)/ },
      async ({ importer, kind, path, pluginData, resolveDir }) => {
        if (pluginData === withoutEffects || kind === "entry-point" || importer.includes("node_modules")) {
          return undefined
        }
        const found = await bundle.resolve(path, { importer, kind, resolveDir, pluginData: withoutEffects })
        return { ...found, sideEffects: false }
      }
    )
  }
}

const LISTEN = "place-access-listen"
/** Packages that only the server needs. `stageListen` fails when `listen` needs one of these packages. */
const NOT_BUNDLED = ["@electric-sql/pglite", "@node-rs/argon2", "pg-native"]

/** Makes the package `listen`: one file without a dependency. */
const stageListen = async (target) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "apps/server/package.json"), "utf8"))
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["apps/server/src/listen.ts"],
    outfile: join(target, "listen.mjs"),
    bundle: true,
    conditions: ["@place-access/source"],
    plugins: [withoutEffects],
    format: "esm",
    platform: "node",
    target: TARGET,
    minifyWhitespace: true,
    minifySyntax: true,
    define: { LISTEN_COMMAND: JSON.stringify(LISTEN) },
    external: NOT_BUNDLED,
    banner: { js: "#!/usr/bin/env node" },
    metafile: true,
    logLevel: "warning"
  })
  const needed = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const missing = needed.filter((path) => !isBuiltin(path))
  if (missing.length > 0) throw new Error(`listen would need what is not in its file: ${missing.join(", ")}`)
  const manifest = {
    name: LISTEN,
    version,
    private: true,
    description: "Forwards the webhooks of an app of the Place-Aware Access Service to this machine",
    license: "UNLICENSED",
    type: "module",
    engines,
    bin: { [LISTEN]: "./listen.mjs" },
    files: ["listen.mjs"]
  }
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Packs one package into the folder, and returns the package's entry in the output of `npm pack --json`. */
const pack = async (name, folder) => {
  const staged = mkdtempSync(join(tmpdir(), "pack-"))
  try {
    if (name === "listen") await stageListen(staged)
    else if (name in PARTS) stage(name, staged)
    const from = name === "domain" ? join(ROOT, "packages", name) : staged
    const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder]
    return JSON.parse(execFileSync("npm", args, { cwd: from, encoding: "utf8", maxBuffer: 2 ** 26 }))[0]
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
}

const [given = "packed", ...named] = process.argv.slice(2)
const folder = resolve(given)
mkdirSync(folder, { recursive: true })
const names = named.length > 0 ? named : ["domain", ...Object.keys(PARTS), "listen"]
const made = []
for (const name of names) made.push(await pack(name, folder))
if (named.length > 0) console.log(JSON.stringify(made))
else
  for (const { filename, size } of made)
    console.log(`${relative("", join(folder, filename))} ${Math.ceil(size / 1024)} KB`)
