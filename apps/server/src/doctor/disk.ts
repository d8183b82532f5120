import { Effect } from "effect"
import type { StatsFs } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as Check from "./Check.js"

const MIB = 1_048_576
/** PGlite needs room to write: with less free space than this, a checkpoint may fail. */
const FULL_MIB = 200
const LOW_MIB = 2_048

export const judged = (freeMib: number, folder: string): Check.Finding => {
  const says = `${freeMib} MiB are free where ${folder} is`
  const advice = "Make room, or move DATA_DIR: a full disk stops the database."
  return freeMib < FULL_MIB
    ? Check.problem("disk", says, advice)
    : freeMib < LOW_MIB
      ? Check.warning("disk", says, advice)
      : Check.ok("disk", says)
}

/**
 * The free space at the folder. The first start makes the folder and its missing parents, so for a missing folder the
 * nearest existing parent counts.
 */
const freeAt = async (folder: string): Promise<StatsFs> => {
  try {
    return await statfs(folder)
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT"
    const parent = dirname(folder)
    if (!isMissing || parent === folder) throw error
    return await freeAt(parent)
  }
}

/** Checks the free space at the folder. */
export const disk = (dataDir: string): Effect.Effect<Check.Finding> =>
  Effect.tryPromise(() => freeAt(resolve(dataDir))).pipe(
    Effect.map(({ bavail, bsize }) => judged(Math.floor((bavail * bsize) / MIB), dataDir)),
    Effect.orElseSucceed(() =>
      Check.problem("disk", `${dataDir} cannot be looked at`, "Give this user the folder, or choose another DATA_DIR.")
    )
  )
