import { type Database, type EmbeddedOptions, layerEmbedded, Migrator, NodeVault } from "@place-access/adapters-pg"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Redacted } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { migrations } from "../../src/schema/migrations/index.js"

const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/place-access")
const LIBRARY = createRequire(import.meta.url).resolve("@electric-sql/pglite")

/**
 * TypeScript declares `WebAssembly` only among the types of the browser, which this project leaves out. Node has it
 * too.
 */
const { compile } = (
  globalThis as unknown as {
    WebAssembly: { compile: (bytes: Uint8Array) => Promise<NonNullable<EmbeddedOptions["program"]>> }
  }
).WebAssembly

/** Computes a value at the first call, and keeps it until the process ends. */
const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= make())
}

/**
 * PGlite's WebAssembly module, compiled once. Compiling takes most of the time of opening a database. V8 also continues
 * to optimize the code while one database works, which makes the next database faster.
 */
const program = once(async () => compile(await readFile(join(dirname(LIBRARY), "pglite.wasm"))))

/**
 * Returns the path of the image of a database. The first test file that needs the image makes it, and the image stays
 * in the cache for later runs.
 */
const cached = async (name: string, contents: string, make: () => Promise<Blob>): Promise<string> => {
  const version = createHash("sha256")
    .update(await readFile(LIBRARY))
    .update(contents)
  const path = join(CACHE, `${name}-${version.digest("hex").slice(0, 16)}.tar`)
  if (!existsSync(path)) {
    const image = await make()
    await mkdir(CACHE, { recursive: true })
    // Two processes may make the image at the same time. So each process writes a separate draft and renames it, and no
    // process ever reads half of an image.
    const draft = `${path}.${process.pid}`
    await writeFile(draft, Buffer.from(await image.arrayBuffer()))
    await rename(draft, path)
  }
  return path
}

const read = async (path: string): Promise<Blob> => new Blob([await readFile(path)])

const dumpOf = async (db: PGlite): Promise<Blob> => {
  const image = await db.dumpDataDir("none")
  await db.close()
  return image
}

/** The path of the image of an empty database. Making a database takes 2 s; starting from this image takes 0.3 s. */
const emptyPath = once(() =>
  cached("pglite", "", async () => dumpOf(await PGlite.create({ pgliteWasmModule: await program() })))
)
const emptyImage = once(async () => read(await emptyPath()))

/**
 * The path of the image of a database with the service's schema. The image can be cached: the only content that depends
 * on the day is the time at which the migrations ran.
 */
const migratedPath = once(() =>
  cached("migrated", JSON.stringify(migrations), async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "place-access-"))
    const [image, compiled] = await Promise.all([emptyImage(), program()])
    await Effect.runPromise(Effect.provide(Migrator.migrate, layerEmbedded({ dataDir, image, program: compiled })))
    const made = await dumpOf(await PGlite.create({ dataDir: join(dataDir, "database"), pgliteWasmModule: compiled }))
    await rm(dataDir, { recursive: true })
    return made
  })
)
const migratedImage = once(async () => read(await migratedPath()))

const unpack = async (image: string, dataDir: string): Promise<void> => {
  await mkdir(join(dataDir, "database"))
  await promisify(execFile)("tar", ["-xf", image, "-C", join(dataDir, "database")])
}

/** Makes an empty database in a data folder that has no database. */
export const makeEmptyDatabase = async (dataDir: string): Promise<void> => unpack(await emptyPath(), dataDir)

/**
 * Makes a data folder as a server leaves it after its first start: with our schema and separate keys, and without rows.
 * A server that starts in an empty folder spends 4 s of processor time on making these.
 */
export const makeDataFolder = async (): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), "place-access-"))
  await unpack(await migratedPath(), dataDir)
  await writeFile(join(dataDir, "secret-keys"), `${Redacted.value(NodeVault.generateKey("k1"))}\n`, { mode: 0o600 })
  return dataDir
}

/**
 * The database of a data folder, as `layerEmbedded` opens it, but with the WebAssembly module that this process has
 * compiled already.
 */
export const embeddedIn = (dataDir: string) =>
  Layer.unwrapEffect(Effect.map(Effect.promise(program), (compiled) => layerEmbedded({ dataDir, program: compiled })))

const embeddedFrom = (
  imageOf: () => Promise<Blob>,
  options: Omit<EmbeddedOptions, "image" | "program">
): Layer.Layer<Database> =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => Promise.all([imageOf(), program()])),
      ([image, compiled]) => Layer.orDie(layerEmbedded({ ...options, image, program: compiled }))
    )
  )

/** An empty embedded database in memory, for one caller. */
export const embeddedWith = (options: Omit<EmbeddedOptions, "image" | "program">): Layer.Layer<Database> =>
  embeddedFrom(emptyImage, options)

export const emptyEmbedded: Layer.Layer<Database> = embeddedWith({})

/** An embedded database in memory with the service's schema. */
export const migratedEmbedded: Layer.Layer<Database> = embeddedFrom(migratedImage, {})
