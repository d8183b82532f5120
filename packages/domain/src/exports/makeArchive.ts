import { Data, Effect } from "effect"
import { program, Timestamp } from "../shared/index.js"
import { Vault } from "../shared/Vault.js"
import { ArchiveMaker } from "./ArchiveMaker.js"
import * as ArchiveFormat from "./ArchiveFormat.js"
import { archiveFiles, type ArchiveFile } from "./archiveFiles.js"
import * as Export from "./Export.js"
import { ExportStore, type LeasedExport } from "./ExportStore.js"

/** The outcome of an attempt to make an archive. */
export type Making =
  | { readonly _tag: "Made"; readonly bytes: number; readonly pieces: number }
  | { readonly _tag: "Failed"; readonly fault: Export.ExportFault }
  /** Another attempt has begun, or the owner deleted the export, so this attempt may store nothing more. */
  | { readonly _tag: "LeaseLost" }

class LeaseLost extends Data.TaggedError("LeaseLost") {}
class TooLarge extends Data.TaggedError("TooLarge") {}

/**
 * The pause after each page of a file. The embedded database answers without yielding to the event loop. So without
 * this pause, no other request of the process would run while an archive is made.
 */
const BREATH = Effect.sleep("1 millis")

/**
 * When the last renewal of the lease is this long ago, in milliseconds, the next page renews the lease. Storing a piece
 * renews the lease too, but many small or empty pages may not fill a piece.
 */
const RENEW_EVERY = 30 * Timestamp.SECOND

/**
 * Writes the archive of one person. The program reads the person's data page by page, and compresses, encrypts and
 * stores the archive piece by piece. So its memory does not grow with the person's history. Nobody can read a piece
 * before the export is ready.
 */
export const makeArchive = program(
  "makeArchive",
  function* (leased: LeasedExport) {
    const [store, vault] = [yield* ExportStore, yield* Vault]
    const madeAt = yield* Timestamp.now
    const writer = (yield* ArchiveMaker).open(madeAt)
    const { files, total } = yield* archiveFiles(leased.userId, madeAt)

    let waiting: Array<Uint8Array> = []
    let waitingBytes = 0
    let position = 0
    let bytes = 0
    let done = 0
    let renewedAt = madeAt

    /** Runs a write that also renews the lease. Fails with `LeaseLost` when the lease was lost. */
    const renewing = <E, R>(
      write: (progress: Export.ExportProgress, dueAt: Timestamp.Timestamp) => Effect.Effect<boolean, E, R>
    ) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const isHeld = yield* write({ done, total: Math.max(done, total) }, Timestamp.plus(now, Export.PATIENCE))
        if (!isHeld) return yield* new LeaseLost()
        renewedAt = now
      })

    const storePiece = (piece: Uint8Array) =>
      Effect.gen(function* () {
        bytes += piece.length
        if (bytes > Export.MAX_BYTES) return yield* new TooLarge()
        const sealed = yield* vault.sealBytes(piece, Export.pieceContext(leased, position))
        yield* renewing((progress, dueAt) => store.append(leased, { position, sealed }, progress, dueAt))
        position++
      })

    const renewWhenLate = Effect.gen(function* () {
      if ((yield* Timestamp.now) - renewedAt < RENEW_EVERY) return
      yield* renewing((progress, dueAt) => store.renew(leased, progress, dueAt))
    })

    /** Stores the full pieces. `isAll`: the archive has ended, so its last, shorter piece is stored too. */
    const flush = (isAll: boolean) =>
      Effect.gen(function* () {
        const taken = writer.take()
        waiting.push(taken)
        waitingBytes += taken.length
        if (waitingBytes < Export.PIECE_BYTES && !isAll) return
        const all = joined(waiting, waitingBytes)
        const least = isAll ? 1 : Export.PIECE_BYTES
        let from = 0
        while (all.length - from >= least) {
          yield* storePiece(all.subarray(from, from + Export.PIECE_BYTES))
          from += Export.PIECE_BYTES
        }
        const rest = all.slice(Math.min(from, all.length))
        waiting = [rest]
        waitingBytes = rest.length
      })

    const write = ({ name, pages }: ArchiveFile) =>
      Effect.gen(function* () {
        writer.begin(name)
        let entries = 0
        const next = yield* pages
        for (;;) {
          const page = yield* next
          if (page === undefined) break
          writer.write(page.text)
          entries += page.entries
          done += page.entries
          yield* flush(false)
          yield* renewWhenLate
          yield* BREATH
        }
        return { name, ...writer.end(), entries }
      })

    const written: Array<ArchiveFormat.ManifestFile> = []
    for (const file of files) written.push(yield* write(file))
    writer.begin("manifest.json")
    writer.write(
      JSON.stringify(
        {
          format: ArchiveFormat.FORMAT,
          version: ArchiveFormat.VERSION,
          made_at: Timestamp.toIso(madeAt),
          files: written
        },
        null,
        2
      )
    )
    writer.end()
    writer.close()
    yield* flush(true)
    const made: Making = { _tag: "Made", bytes, pieces: position }
    return made
  },
  (run) =>
    run.pipe(
      Effect.catchTags({
        LeaseLost: () => Effect.succeed<Making>({ _tag: "LeaseLost" }),
        TooLarge: () => Effect.succeed<Making>({ _tag: "Failed", fault: "too_large" })
      })
    )
)

const joined = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
