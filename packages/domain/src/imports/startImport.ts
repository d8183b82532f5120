import { Effect, Option, Schema, Stream } from "effect"
import * as Entropy from "../shared/Entropy.js"
import { DeviceId, ImportId, type UserId } from "../shared/Ids.js"
import { Conflict, Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import * as FileKind from "./FileKind.js"
import * as Import from "./Import.js"
import { ImportStore, type Owned } from "./ImportStore.js"

/** The file is larger than `Import.MAX_BYTES`. Wire: 413 `payload_too_large`. */
export class ImportTooLarge extends Schema.TaggedError<ImportTooLarge>()("ImportTooLarge", {}) {}

/** It was removed while it was being uploaded, or took too long. */
const gone = new Conflict({ reason: "The upload was stopped" })

/**
 * Takes in a file as it comes, piece by piece, and leaves it to a worker. Of a file that is refused, or that breaks off, nothing
 * stays.
 */
export const startImport = <E, R>(
  userId: UserId,
  sentName: string | undefined,
  bytes: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<
  Import.Import,
  E | ImportTooLarge | Invalid | Conflict | StoreError,
  R | ImportStore | Entropy.Entropy | Vault
> =>
  Effect.gen(function* () {
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
  }).pipe(Effect.withSpan("startImport"))

/** Stores the file in pieces of `PIECE_BYTES`, and answers how long it was. */
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
    // An empty file is refused for what it is: nothing.
    if (filled > 0 || position === 0) yield* flush
    return size
  })
