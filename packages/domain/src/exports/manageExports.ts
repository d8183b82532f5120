import { Effect, Option, Stream } from "effect"
import { AuditEvent, recordAudit } from "../audit/index.js"
import {
  Conflict,
  Entropy,
  ExportId,
  NotFound,
  program,
  type StoreError,
  Timestamp,
  type UserId
} from "../shared/index.js"
import { Vault, type VaultError } from "../shared/Vault.js"
import * as Export from "./Export.js"
import { ExportStore } from "./ExportStore.js"

/**
 * Asks for an archive, which a worker makes. Fails with `Conflict`, which contains the reason, while an archive is
 * being made or can be fetched, and after `Export.MAX_A_DAY` requests within a day.
 */
export const requestExport = program("requestExport", function* (userId: UserId) {
  const of = { userId, id: ExportId.make(yield* Entropy.id("exp")) }
  return yield* yield* (yield* ExportStore).request(userId, (present, now) => Export.request(of, present, now))
})

/** An export as its owner sees it: an archive whose week is over is `expired`, even if no worker has deleted it yet. */
const shown = (one: Export.Export, now: Timestamp.Timestamp): Export.Export =>
  one.state === "ready" && !Export.isFetchable(one, now) ? { ...one, state: "expired", endedAt: one.expiresAt } : one

/** The person's exports, newest first. */
export const listExports = program("listExports", function* (userId: UserId) {
  const now = yield* Timestamp.now
  return (yield* (yield* ExportStore).list(userId, Export.MAX_LISTED)).map((one) => shown(one, now))
})

/** The export as its owner sees it. Fails with `NotFound` when the person has no such export. */
export const getExport = program("getExport", function* (of: Export.ExportKey) {
  const found = yield* (yield* ExportStore).find(of)
  const now = yield* Timestamp.now
  return shown(yield* Effect.mapError(found, () => new NotFound({ what: "export" })), now)
})

/**
 * Deletes the archive immediately, or stops its making. Fails with `NotFound` when the export has failed or was deleted
 * before, when a worker has deleted its expired archive, and for another person's export.
 */
export const deleteExport = program("deleteExport", function* (of: Export.ExportKey) {
  if (!(yield* (yield* ExportStore).remove(of, yield* Timestamp.now))) return yield* new NotFound({ what: "export" })
})

/** An archive that its owner downloads. */
export interface OpenedArchive {
  readonly export: Export.Export
  /** Fails when the archive is deleted or expires during the download: a part must not look like the whole archive. */
  readonly bytes: Stream.Stream<Uint8Array, NotFound | StoreError | VaultError>
}

/**
 * The archive, decrypted piece by piece. The program reads the first piece before it returns: when the archive cannot
 * be decrypted, the caller gets an error and not half a file. With `isSent` false, the caller does not send the bytes,
 * and the audit log gets no entry.
 *
 * Fails with `Conflict` when the archive is not made yet or could not be made. Fails with `NotFound` when the archive
 * was deleted, when its week is over, and for another person's export.
 */
export const openArchive = program("openArchive", function* (of: Export.ExportKey, isSent: boolean = true) {
  const [store, vault] = [yield* ExportStore, yield* Vault]
  const found = yield* getExport(of)
  switch (found.state) {
    case "requested":
    case "making":
      return yield* new Conflict({ reason: "The archive is still being made" })
    case "failed":
      return yield* new Conflict({ reason: "The archive could not be made" })
    case "expired":
    case "deleted":
      return yield* new NotFound({ what: "export" })
    case "ready":
  }
  const piece = (position: number) =>
    Effect.gen(function* () {
      const sealed = yield* store.piece(of, position, yield* Timestamp.now)
      if (Option.isNone(sealed)) return yield* new NotFound({ what: "export" })
      return yield* vault.unsealBytes(sealed.value, Export.pieceContext(of, position))
    })
  const first = yield* piece(0)
  // The audit entry is written before the first byte is sent, so nobody can fetch an archive without leaving an entry.
  if (isSent) yield* recordAudit({ userId: of.userId, actor: AuditEvent.OWNER, detail: { kind: "export_fetched" } })
  const rest = Stream.range(1, found.pieces - 1).pipe(Stream.rechunk(1), Stream.mapEffect(piece))
  const opened: OpenedArchive = {
    export: found,
    bytes: found.pieces > 1 ? Stream.concat(Stream.make(first), rest) : Stream.make(first)
  }
  return opened
})
