import { type Database, type EmbeddedOptions, layerEmbedded, Migrator } from "@place-access/adapters-pg"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** Making a cluster takes 2 s, starting from the image of an empty one 0.3 s: the first test file leaves one behind. */
const emptyImage = async (): Promise<Blob> => {
  const require = createRequire(import.meta.url)
  const program = readFileSync(require.resolve("@electric-sql/pglite"))
  const version = createHash("sha256").update(program).digest("hex").slice(0, 16)
  const cache = join(import.meta.dirname, "../../../../node_modules/.cache/place-access")
  const path = join(cache, `pglite-${version}.tar`)
  if (!existsSync(path)) {
    const db = await PGlite.create()
    const image = await db.dumpDataDir("none")
    await db.close()
    await mkdir(dirname(path), { recursive: true })
    // Two test files may do this at once: the file appears whole or not at all.
    const draft = `${path}.${process.pid}`
    await writeFile(draft, Buffer.from(await image.arrayBuffer()))
    await rename(draft, path)
  }
  return new Blob([await readFile(path)])
}

/** An embedded database of the caller's own, in memory and empty. */
export const embeddedWith = (options: Omit<EmbeddedOptions, "image">): Layer.Layer<Database> =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(emptyImage), (image) => Layer.orDie(layerEmbedded({ ...options, image })))
  )

export const emptyEmbedded: Layer.Layer<Database> = embeddedWith({})

/** The same with our schema. */
export const migratedEmbedded: Layer.Layer<Database> = Layer.tap(emptyEmbedded, (context) =>
  Effect.orDie(Effect.provide(Migrator.migrate, context))
)
