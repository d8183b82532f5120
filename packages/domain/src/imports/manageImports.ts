import { Effect, Option, Schema, Stream } from "effect"
import { Conflict, Entropy, Invalid, NotFound, program, Timestamp } from "../shared/index.js"
import { DeviceId, ImportId, type UserId } from "../shared/Ids.js"
import { Vault } from "../shared/Vault.js"
import * as FileKind from "./FileKind.js"
import * as Import from "./Import.js"
import { MAX_LISTED } from "./Import.js"
import { ImportStore, type Owned } from "./ImportStore.js"

/** The file is larger than `Import.MAX_BYTES`. Wire: 413 `payload_too_large`. */
export class ImportTooLarge extends Schema.TaggedError<ImportTooLarge>()("ImportTooLarge", {}) {}

/** The upload was removed while it was running, or took too long. */
const gone = new Conflict({ reason: "The upload was stopped" })

/** Stores an uploaded file by pieces, for a worker to read. A refused or broken-off upload leaves nothing. */
export const startImport = program("startImport", function* <
  E,
  R
>(userId: UserId, sentName: string | undefined, bytes: Stream.Stream<Uint8Array, E, R>) {
  const store = yield* ImportStore
  const begun = {
    userId,
    id: ImportId.make(yield* Entropy.id("imp")),
    deviceId: DeviceId.make(yield* Entropy.id("dev")),
    fileName: Import.fileName(sentName),
    tokenHash: (yield* Vault).sha256(yield* Entropy.secret),
    at: yield* Timestamp.now
  }
  if (!(yield* store.begin(begun, Import.MAX_OPEN))) {
    return yield* new Conflict({
      reason: `${Import.MAX_OPEN} imports are waiting already: let one finish, or remove one`
    })
  }
  return yield* Effect.gen(function* () {
    const size = yield* keep(begun, bytes)
    const made = yield* store.complete(begun, size, yield* Timestamp.now)
    return Option.isSome(made) ? made.value : yield* gone
  }).pipe(Effect.onError(() => Effect.ignore(store.remove(begun))))
})

/** Stores the file in pieces of `PIECE_BYTES` and returns its length. */
const keep = <E, R>(of: Owned, bytes: Stream.Stream<Uint8Array, E, R>) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    let piece = new Uint8Array(Import.PIECE_BYTES)
    let filled = 0
    let position = 0

    const flush = Effect.gen(function* () {
      const full = piece.subarray(0, filled)
      const problem = position === 0 ? FileKind.problem(FileKind.of(full)) : undefined
      if (problem !== undefined) return yield* Invalid.of("file", problem)
      if (!(yield* store.append(of, position, full, yield* Timestamp.now))) return yield* gone
      position++
      piece = new Uint8Array(Import.PIECE_BYTES)
      filled = 0
    })

    yield* Stream.runForEach(bytes, (chunk) =>
      Effect.gen(function* () {
        if (position * Import.PIECE_BYTES + filled + chunk.length > Import.MAX_BYTES) return yield* new ImportTooLarge()
        for (let taken = 0; taken < chunk.length;) {
          const part = chunk.subarray(taken, taken + Import.PIECE_BYTES - filled)
          piece.set(part, filled)
          filled += part.length
          taken += part.length
          if (filled === Import.PIECE_BYTES) yield* flush
        }
      })
    )
    const size = position * Import.PIECE_BYTES + filled
    // An empty file is stored too, so that its kind is checked and refused.
    if (filled > 0 || position === 0) yield* flush
    return size
  })

/** The user's newest imports, the newest first. */
export const listImports = program("listImports", function* (userId: UserId) {
  return yield* (yield* ImportStore).list(userId, MAX_LISTED)
})

/** The import with its progress. `NotFound` for another user's import, and during the upload. */
export const getImport = program("getImport", function* (of: Owned) {
  const found = yield* (yield* ImportStore).find(of)
  return yield* Effect.mapError(found, () => new NotFound({ what: "import" }))
})

/** Stops the import and removes its file. Stored entries stay. `NotFound` the second time. */
export const removeImport = program("removeImport", function* (of: Owned) {
  if (!(yield* (yield* ImportStore).remove(of))) return yield* new NotFound({ what: "import" })
})
