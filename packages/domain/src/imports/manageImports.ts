import { Effect, Option, Schema, Stream } from "effect"
import * as CsvColumns from "./CsvColumns.js"
import { Conflict, Cursor, Entropy, Invalid, NotFound, type Page, program, Timestamp } from "../shared/index.js"
import { DeviceId, ImportId, type UserId } from "../shared/Ids.js"
import { Vault } from "../shared/Vault.js"
import * as FileKind from "./FileKind.js"
import * as Import from "./Import.js"
import { ImportStore, type ImportKey, type TableColumns } from "./ImportStore.js"

/** The file is larger than `Import.MAX_BYTES`. Wire: 413 `payload_too_large`. */
export class ImportTooLarge extends Schema.TaggedError<ImportTooLarge>()("ImportTooLarge", {}) {
  override get message(): string {
    return "The file is too large"
  }
}

/**
 * The upload was removed while it was running: by its owner, or because it had not grown for `Import.UPLOAD_PATIENCE`.
 */
const gone = new Conflict({ reason: "The upload was stopped" })

/** How the columns of a table (a CSV file) are chosen. */
export interface TableChoice {
  /** The columns that the caller names. Left out: guessed from the header. */
  readonly columns?: CsvColumns.CsvColumns
  /** True: the owner confirms the columns on the page before the table is read. */
  readonly isAsking?: boolean
}

/**
 * Stores an uploaded file in pieces; a worker reads it later. A refused or broken-off upload leaves nothing. Its
 * errors:
 * - `Invalid` for a kind that cannot be imported, and for columns in `choice` that the table lacks or that are named
 *   twice.
 * - `ImportTooLarge` for a file above `Import.MAX_BYTES`.
 * - `Conflict` when the user has too many or too large unread files, and when the upload was removed while it was
 *   running.
 */
export const startImport = program("startImport", function* <
  E,
  R
>(userId: UserId, sentName: string | undefined, bytes: Stream.Stream<Uint8Array, E, R>, choice: TableChoice = {}) {
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
      reason: `At most ${Import.MAX_OPEN} imports with ${Import.MAX_WAITING_BYTES / Import.MIB} MiB of files can wait: let one finish, or remove one`
    })
  }
  return yield* Effect.gen(function* () {
    const { size, table } = yield* keep(begun, bytes, choice)
    const made = yield* store.complete(begun, size, yield* Timestamp.now, table)
    return Option.isSome(made) ? made.value : yield* gone
  }).pipe(Effect.onError(() => Effect.ignore(store.remove(begun))))
})

/** Stores the file in pieces of `PIECE_BYTES`. Returns the length of the file and, for a table, its columns. */
const keep = <E, R>(of: ImportKey, bytes: Stream.Stream<Uint8Array, E, R>, choice: TableChoice) =>
  Effect.gen(function* () {
    let table: TableColumns | undefined
    const store = yield* ImportStore
    let piece = new Uint8Array(Import.PIECE_BYTES)
    let filled = 0
    let position = 0

    const flush = Effect.gen(function* () {
      const full = piece.subarray(0, filled)
      if (position === 0) table = yield* tableOf(full, choice)
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
    // `flush` checks the kind of a file. It also runs for an empty file, so that an empty file is refused.
    if (filled > 0 || position === 0) yield* flush
    return { size, table }
  })

/**
 * The columns of the table that begins with these bytes; undefined when the file is no table. Fails with `Invalid` for
 * a kind that cannot be imported, and in the cases of `checkColumns`.
 */
const tableOf = (beginning: Uint8Array, { columns, isAsking = false }: TableChoice) =>
  Effect.gen(function* () {
    const kind = FileKind.of(beginning)
    const problem = FileKind.problem(kind, columns !== undefined || isAsking)
    if (problem !== undefined) return yield* Invalid.of("file", problem)
    if (kind !== "csv" && kind !== "text") return undefined
    const header = CsvColumns.headerOf(FileKind.textOf(beginning))
    if (header === undefined) return yield* Invalid.of("file", FileKind.problem("text") ?? "")
    if (columns === undefined) return { columns: CsvColumns.guess(header), isAsking }
    yield* checkColumns(header, columns)
    return { columns, isAsking: false }
  })

/** Fails with `Invalid` for a column that the table does not have, and for a column that is named twice. */
const checkColumns = (header: CsvColumns.Header, columns: CsvColumns.CsvColumns) => {
  const [missing, repeated] = [CsvColumns.missing(header, columns), CsvColumns.repeated(columns)]
  if (missing !== undefined) return Invalid.of(`${missing}_column`, "must be a name in the first line of the table")
  if (repeated !== undefined) return Invalid.of(`${repeated}_column`, "must be a column that has no other meaning")
  return Effect.void
}

/**
 * The header of a table whose columns the owner must name. Fails with `NotFound` when the user has no such import, and
 * when the import is not `asking`, or has been `asking` for `Import.ASKING_PATIENCE`.
 */
export const readHeader = program("readHeader", function* (of: ImportKey) {
  const store = yield* ImportStore
  const one = yield* getImport(of)
  const piece = yield* store.piece(of, 0)
  const header = Option.flatMapNullable(piece, (bytes) => CsvColumns.headerOf(FileKind.textOf(bytes)))
  if (!Import.isAsking(one, yield* Timestamp.now) || Option.isNone(header))
    return yield* new NotFound({ what: "import" })
  return { import: one, header: header.value }
})

/**
 * Stores the owner's choice of the columns. The table then waits for a worker. Fails like `readHeader`, and with
 * `Invalid` for a column that the table does not have, and for a column that is named twice.
 */
export const confirmColumns = program("confirmColumns", function* (of: ImportKey, columns: CsvColumns.CsvColumns) {
  const { header } = yield* readHeader(of)
  yield* checkColumns(header, columns)
  const made = yield* (yield* ImportStore).confirm(of, columns, yield* Timestamp.now)
  return Option.isSome(made) ? made.value : yield* new NotFound({ what: "import" })
})

/**
 * Begins to undo an import: a worker will delete what the import added to the history, and then the import itself. Apps
 * keep the answers that they got. Fails with `NotFound` when the user has no such import, and while the file is being
 * uploaded.
 */
export const undoImport = program("undoImport", function* (of: ImportKey) {
  const begun = yield* (yield* ImportStore).beginUndo(of)
  return Option.isSome(begun) ? begun.value : yield* new NotFound({ what: "import" })
})

/** A page of the user's imports, newest first. Fails with `Invalid` when the cursor belongs to another list. */
export const listImports = program("listImports", function* (userId: UserId, page: Page.PageRequest) {
  const store = yield* ImportStore
  const { items, nextCursor } = yield* Cursor.page(`imports of ${userId}`, page, (limit, after) =>
    store.list(userId, limit, after)
  )
  return { imports: items, nextCursor }
})

/**
 * The import with its progress. Fails with `NotFound` for another user's import, and while the file is being uploaded.
 */
export const getImport = program("getImport", function* (of: ImportKey) {
  const found = yield* (yield* ImportStore).find(of)
  return yield* Effect.mapError(found, () => new NotFound({ what: "import" }))
})

/**
 * Stops the import and removes it with its file. Stored entries stay. Fails with `NotFound` when the user has no such
 * import, and while the import is being undone.
 */
export const removeImport = program("removeImport", function* (of: ImportKey) {
  if (!(yield* (yield* ImportStore).remove(of))) return yield* new NotFound({ what: "import" })
})
