import { DataFolder, NodeVault } from "@place-access/adapters-pg"
import { Effect, Either, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { link, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { CannotStart } from "../CannotStart.js"

const NAME = "secret-keys"

export const pathIn = (dataDir: string): string => join(dataDir, NAME)

/**
 * Loads the keys of an embedded database from a file beside the database, which only its owner can read. The file has
 * the format of `SECRET_KEYS`, and the first start makes it. When the database exists and the file does not, `load`
 * refuses to make new keys, because they could not open what the lost keys sealed.
 */
export const load = (dataDir: string): Effect.Effect<NodeVault.SecretKeys, CannotStart> =>
  DataFolder.prepare(dataDir).pipe(
    Effect.zipRight(
      Effect.tryPromise({
        try: () => readOrMake(dataDir),
        catch: (error) => (error instanceof CannotStart ? error : DataFolder.unusable(dataDir, error))
      })
    ),
    Effect.catchTag("DirectoryUnusable", ({ message }) => new CannotStart({ fault: "settings", message })),
    Effect.flatMap((text) =>
      Either.mapLeft(NodeVault.parseKeys(text.trim()), (problem) => cannot(pathIn(dataDir), problem))
    )
  )

const cannot = (path: string, problem: string): CannotStart =>
  new CannotStart({ message: `The keys in ${path} cannot be used: ${problem}.` })

const readOrMake = async (dataDir: string): Promise<string> => {
  const path = pathIn(dataDir)
  if (existsSync(path)) return readFile(path, "utf8")
  if (existsSync(join(dataDir, "database"))) {
    throw new CannotStart({
      message:
        `There is a database in ${dataDir}, but not the keys that it was used with. ` +
        `Put ${path} back, or set SECRET_KEYS to what it was.`
    })
  }
  await appear(path, `${Redacted.value(NodeVault.generateKey("k1"))}\n`)
  return readFile(path, "utf8")
}

/**
 * Makes the file with its whole content in one step, and does not change an existing file, because another process may
 * start at the same time.
 */
const appear = async (path: string, content: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, content, { mode: 0o600 })
  try {
    await link(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    await rm(draft)
  }
}
