import { randomUUID } from "node:crypto"
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { setTimeout } from "node:timers/promises"
import { type ClientTokenStore, parseTokens } from "./TokenStore.js"

/** When a lock file was not touched for this many milliseconds, the process that had the lock counts as dead. */
const STALE_MS = 10_000
const TOUCH_MS = 2_000
const WAIT_MS = 25

/**
 * A store in a file, for programs of one machine that share a connection. Only the file's owner can read it. The lock
 * is a second file. The process that has the lock touches this file every two seconds. When the file was not touched
 * for ten seconds, its process counts as dead, and another process takes the lock over.
 */
export const fileTokenStore = (path: string): ClientTokenStore => {
  const lock = `${path}.lock`
  return {
    read: async () => parseTokens(await contentOf(path)),
    write: async (tokens) => {
      if (tokens === null) return rm(path, { force: true })
      // The file is replaced as a whole: a reader never sees half a file, and after a power cut either the old file or
      // the new file is there.
      const fresh = `${path}.${randomUUID()}`
      const file = await open(fresh, "wx", 0o600)
      try {
        await file.writeFile(JSON.stringify(tokens))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(fresh, path)
    },
    locked: async (work) => {
      const release = await acquire(lock)
      try {
        return await work()
      } finally {
        await release()
      }
    }
  }
}

const contentOf = (path: string): Promise<string | null> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    throw error
  })

/** Waits until this process has the lock. Returns the function that releases the lock. */
const acquire = async (lock: string): Promise<() => Promise<void>> => {
  const holder = randomUUID()
  while (!(await create(lock, holder))) {
    if (await isStale(lock)) await takeAway(lock)
    else await setTimeout(WAIT_MS)
  }
  const own = await open(lock)
  // @effect-diagnostics-next-line globalTimers:off -- the client does not use Effect
  const touching = setInterval(() => {
    // @effect-diagnostics-next-line globalDate:off -- the client does not use Effect
    const now = new Date()
    // This call uses the file handle and not the path: after another process has taken the lock over, the path names
    // the lock file of that process.
    void own.utimes(now, now).catch(() => undefined)
  }, TOUCH_MS)
  touching.unref()
  return async () => {
    clearInterval(touching)
    await own.close()
    // If this process did not touch the lock for too long, another process has taken the lock over and owns it.
    if ((await contentOf(lock)) === holder) await rm(lock, { force: true })
  }
}

/**
 * Creates the file and returns true; returns false when the file exists already. When several processes try at the same
 * time, at most one of them gets true.
 */
const create = (path: string, content: string): Promise<boolean> =>
  writeFile(path, content, { flag: "wx", mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false
      throw error
    }
  )

const isStale = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined)
  // @effect-diagnostics-next-line globalDate:off -- the client does not use Effect
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS
}

/**
 * Removes a stale lock. When two processes find the same lock stale, the faster process may have made a new lock before
 * the slower process removes the stale lock, and the slower process would then remove the new lock. So a process
 * removes a stale lock only while it owns a second lock (the file `.taking`), and only if the first lock is still
 * stale.
 */
const takeAway = async (lock: string): Promise<void> => {
  const guard = `${lock}.taking`
  if (!(await create(guard, ""))) {
    if (await isStale(guard)) await rm(guard, { force: true })
    await setTimeout(WAIT_MS)
    return
  }
  try {
    if (await isStale(lock)) await rm(lock, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}
