import { Effect, Option } from "effect"
import * as Import from "../../../src/imports/Import.js"
import { ImportStore, type ImportKey, type ImportStep } from "../../../src/imports/ImportStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import type { StoreError } from "../../../src/shared/Errors.js"
import { DeviceId, ImportId, type UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import * as Fixtures from "../../fixtures.js"
import * as Connections from "../connection/connectionSamples.js"
import type * as Uploads from "./uploadSamples.js"

/** The ports that the cases of `importStoreContract` need. */
export type ImportSamplePorts = Uploads.UploadSamplePorts | ImportStore

export const BYTES = Uint8Array.from({ length: 256 }, (_, index) => index)

/**
 * Begins an import for the user, with a new device for the readings of the import. In the result, `isBegun` says
 * whether the store accepted the import.
 */
export const begin = (userId: UserId, overrides: { readonly most?: number; readonly at?: Timestamp.Timestamp } = {}) =>
  Effect.gen(function* () {
    const begun = {
      userId,
      id: ImportId.make(yield* Entropy.id("imp")),
      deviceId: DeviceId.make(yield* Entropy.id("dev")),
      fileName: "Ferien ü.gpx",
      tokenHash: yield* Connections.freshHash,
      at: overrides.at ?? (yield* Timestamp.now)
    }
    const isBegun = yield* (yield* ImportStore).begin(begun, overrides.most ?? Import.MAX_OPEN)
    return { ...begun, isBegun }
  })

/** A user with an import that waits for a worker. The file has 512 bytes in two pieces. */
export const waiting = (userId?: UserId) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const begun = yield* begin(userId ?? (yield* Fixtures.user).id)
    const at = yield* Timestamp.now
    Check.isTrue(yield* store.append(begun, 0, BYTES, at), "first piece")
    Check.isTrue(yield* store.append(begun, 1, BYTES, at), "second piece")
    const made = yield* store.complete(begun, 2 * BYTES.length, at)
    return Option.getOrElse(made, () => Check.fail("it is complete"))
  })

/** The user's import that is due; null when there is none. Imports of other cases in the same buckets are left out. */
export const dueOf = (
  userId: UserId,
  buckets: ReadonlyArray<number>,
  at: Timestamp.Timestamp,
  besides: ReadonlyArray<UserId>
): Effect.Effect<ImportKey | null, StoreError, ImportStore> =>
  Effect.gen(function* () {
    const due = yield* (yield* ImportStore).due(buckets, at, besides)
    if (Option.isNone(due)) return null
    return due.value.userId === userId ? due.value : yield* dueOf(userId, buckets, at, [...besides, due.value.userId])
  })

/** Begins an attempt to read the import, under the lease. */
export const claim = ({ id, userId }: ImportKey, lease: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const dueAt = Timestamp.plus(now, Import.RETRY_AFTER)
    const claimed = yield* (yield* ImportStore).claim({ userId, id, lease }, now, dueAt)
    return Option.map(claimed, (one) => ({ claimed: one, lease }))
  })

/** Begins an attempt to read the import under the lease (`claim`). Fails when the import cannot be claimed. */
export const claimed = (of: ImportKey, lease: string, now: Timestamp.Timestamp) =>
  Effect.map(
    claim(of, lease, now),
    Option.getOrElse(() => Check.fail("it is claimed"))
  )

/** One step of reading the file of an import. Without `parts` the step found no entry. */
export const step = (
  of: ImportKey,
  lease: string,
  now: Timestamp.Timestamp,
  parts: Partial<ImportStep> = {}
): ImportStep => ({
  userId: of.userId,
  id: of.id,
  lease,
  at: now,
  format: "gpx",
  bytesDone: 100,
  read:
    (parts.fixes?.length ?? 0) +
    (parts.visits?.length ?? 0) +
    (parts.places?.length ?? 0) +
    (parts.notices?.length ?? 0) +
    (parts.erasures?.length ?? 0),
  tooRecent: 0,
  tooOld: 0,
  quarantined: 0,
  fixes: [],
  visits: [],
  places: [],
  notices: [],
  erasures: [],
  ...parts
})

/** Stores a step of reading the file. */
export const advance = (of: ImportStep) => Effect.flatMap(ImportStore, (store) => store.advance(of))

/** The import as the store has it. Fails when there is none. */
export const found = (of: ImportKey) =>
  Effect.flatMap(ImportStore, (store) =>
    Effect.map(
      store.find(of),
      Option.getOrElse(() => Check.fail("it is there"))
    )
  )

/** An import that a worker has read to its end, and that brought these fixes and visits. */
export const done = (
  userId: UserId,
  now: Timestamp.Timestamp,
  parts: Pick<Parameters<typeof step>[3] & {}, "fixes" | "visits">
) =>
  Effect.gen(function* () {
    const made = yield* waiting(userId)
    const { lease } = yield* claimed(made, `read_${made.id}`, now)
    yield* advance(step(made, lease, now, parts))
    yield* (yield* ImportStore).finish({ ...made, lease }, null, now)
    return made
  })

/** Undoes an import completely. Returns the number of steps before the last step. */
export const undone = (of: ImportKey, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    Check.isTrue(Option.isSome(yield* store.beginUndo(of)), "begun")
    const { lease } = yield* claimed(of, `undo_${of.id}`, now)
    let after: Timestamp.Timestamp | null = null
    for (let steps = 0; steps < 5; steps++) {
      const next: Timestamp.Timestamp | "gone" | "lost" = yield* store.undo({ ...of, lease }, after)
      if (next === "gone") return steps
      after = next === "lost" ? Check.fail("the lease holds") : next
    }
    return Check.fail("it ends")
  })

/** Removes the imports of a case, so that the next case does not see them as due. */
export const forget = (...imports: ReadonlyArray<ImportKey>) =>
  Effect.flatMap(ImportStore, (store) => Effect.forEach(imports, (one) => store.remove(one), { discard: true }))
