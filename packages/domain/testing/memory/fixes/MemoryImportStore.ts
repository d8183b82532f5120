import { Effect, Layer, Option } from "effect"
import * as Device from "../../../src/devices/Device.js"
import { withoutErased } from "../../../src/imports/Entry.js"
import * as Imports from "../../../src/imports/Import.js"
import { type Import, MOST_NAMED, NOTHING_READ } from "../../../src/imports/Import.js"
import * as Months from "../../../src/imports/Months.js"
import { ImportStore, type Leased, type ImportKey } from "../../../src/imports/ImportStore.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { bucketOf } from "../leases/buckets.js"
import { type KeptImport, MemoryDatabase } from "../MemoryDatabase.js"
import { restore, store, storedByMonth, undo } from "./importedEntries.js"

export const layer: Layer.Layer<ImportStore, never, MemoryDatabase> = Layer.effect(
  ImportStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { devices, importDevices, importPieces, imports } = tables

    const find = ({ id, userId }: ImportKey): KeptImport | undefined => {
      const kept = imports.get(id)
      return kept?.import.userId === userId ? kept : undefined
    }
    const held = (leased: Leased): KeptImport | undefined => {
      const kept = find(leased)
      return kept?.import.state === "running" && kept.lease === leased.lease ? kept : undefined
    }
    const heldOrUndone = (leased: Leased): KeptImport | undefined => {
      const kept = find(leased)
      return kept?.import.state === "undoing" && kept.lease === leased.lease ? kept : held(leased)
    }
    const listed = ({ import: one, uploading }: KeptImport): ReadonlyArray<Import> => (uploading ? [] : [one])
    const throwAway = (id: Import["id"]): void => {
      for (let position = 0; importPieces.delete(`${id} ${position}`); position++);
    }

    return ImportStore.of({
      begin: ({ at, deviceId, fileName, id, userId }, most) =>
        Effect.sync(() => {
          const open = [...imports.values()].filter(({ import: one }) => one.userId === userId && isOpen(one))
          if (open.length >= most || unreadBytes(open) > Imports.MAX_WAITING_BYTES) return false
          imports.set(id, {
            import: {
              userId,
              id,
              deviceId,
              fileName,
              format: null,
              state: "waiting",
              counts: NOTHING_READ,
              leftOut: [],
              bytesTotal: 0,
              bytesDone: 0,
              error: null,
              columns: null,
              months: [],
              uploadedAt: at,
              startedAt: null,
              finishedAt: null
            },
            uploading: true,
            lease: null,
            dueAt: null,
            attempts: 0
          })
          return true
        }),

      append: (of, position, bytes, at) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept?.uploading !== true) return false
          importPieces.set(`${of.id} ${position}`, bytes.slice())
          imports.set(of.id, { ...kept, import: { ...kept.import, uploadedAt: at } })
          return true
        }),

      complete: (of, bytesTotal, at, table) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept?.uploading !== true) return Option.none()
          const state = table?.isAsking === true ? ("asking" as const) : ("waiting" as const)
          const made: Import = { ...kept.import, state, columns: table?.columns ?? null, bytesTotal, uploadedAt: at }
          imports.set(of.id, { ...kept, import: made, uploading: false })
          const { deviceId: id, tokenHash, userId } = of
          const name = Device.DeviceName.make(of.fileName)
          devices.set(id, { userId, id, name, format: "json", tokenHash, createdAt: at, ...Device.INITIAL })
          importDevices.set(id, null)
          return Option.some(made)
        }),

      confirm: (of, columns, now) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept === undefined || !Imports.isAsking(kept.import, now)) return Option.none()
          const made: Import = { ...kept.import, columns, state: "waiting" }
          imports.set(of.id, { ...kept, import: made })
          return Option.some(made)
        }),

      list: (userId, limit, after) =>
        Effect.sync(() => {
          const rows = [...imports.values()]
            .flatMap(listed)
            .filter((one) => one.userId === userId)
            .sort((a, b) => b.uploadedAt - a.uploadedAt || (a.id < b.id ? 1 : -1))
            .filter((one) => Page.isOlder(one.uploadedAt, one.id, after))
          return Page.of(rows, limit, (last) => [last.uploadedAt, last.id])
        }),

      find: (of) =>
        Effect.sync(() => Option.fromNullable(find(of)).pipe(Option.flatMapNullable((one) => listed(one)[0]))),

      remove: (of) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept === undefined || kept.import.state === "undoing") return false
          throwAway(of.id)
          return imports.delete(of.id)
        }),

      due: (buckets, now, besides) =>
        Effect.sync(() => {
          const [due] = [...imports.values()]
            .filter((one) => isDue(one, now) && buckets.includes(bucketOf(one.import.userId)))
            .filter((one) => !besides.includes(one.import.userId))
            .sort((a, b) => a.import.uploadedAt - b.import.uploadedAt)
          return Option.map(Option.fromNullable(due), ({ import: { id, userId } }) => ({ userId, id }))
        }),

      claim: (leased, now, dueAt) =>
        Effect.sync(() => {
          const due = find(leased)
          if (due === undefined || !isDue(due, now)) return Option.none()
          const attempts = due.attempts + 1
          const state = due.import.state === "undoing" ? ("undoing" as const) : ("running" as const)
          const running = { ...due.import, state, startedAt: due.import.startedAt ?? now }
          imports.set(running.id, { import: running, uploading: false, lease: leased.lease, dueAt, attempts })
          return Option.some({ import: running, attempt: attempts })
        }),

      renew: (leased, dueAt) =>
        Effect.sync(() => {
          const kept = heldOrUndone(leased)
          if (kept === undefined) return false
          imports.set(leased.id, { ...kept, dueAt })
          return true
        }),

      handBack: (leased) =>
        Effect.sync(() => {
          const kept = heldOrUndone(leased)
          if (kept === undefined) return
          // The worker stops, so its attempt does not count, and this line subtracts the attempt that `claim` added.
          // The count may already be 0, because `advance` sets it to 0 when the attempt has read an entry.
          imports.set(leased.id, { ...kept, lease: null, dueAt: null, attempts: Math.max(0, kept.attempts - 1) })
        }),

      piece: (of, position) =>
        Effect.sync(() =>
          find(of) === undefined ? Option.none() : Option.fromNullable(importPieces.get(`${of.id} ${position}`))
        ),

      advance: (read) =>
        Effect.sync(() => {
          const kept = held(read)
          if (kept === undefined) return false
          const restored = restore(tables, read)
          const { erased, ...history } = withoutErased(read, tables.erasures.get(read.userId) ?? [])
          const step = { ...read, ...history, tooOld: read.tooOld + erased }
          // `read` has all entries of the step. `step` has only the entries whose time the owner has not deleted in the
          // meantime. The version of the user's uploads rises if the file brought any entry, even an entry whose time
          // the owner has deleted.
          if (
            read.fixes.length + read.visits.length + read.places.length + read.notices.length + read.erasures.length >
            0
          ) {
            tables.streamVersions.set(read.userId, (tables.streamVersions.get(read.userId) ?? 0) + 1)
          }
          const { leftOut, stored } = store(tables, kept.import, step, restored)
          const { counts } = kept.import
          imports.set(step.id, {
            ...kept,
            import: {
              ...kept.import,
              format: step.format ?? kept.import.format,
              leftOut: [...kept.import.leftOut, ...leftOut].slice(0, MOST_NAMED),
              bytesDone: Math.max(kept.import.bytesDone, step.bytesDone),
              counts: {
                read: counts.read + step.read,
                stored: counts.stored + stored,
                duplicates:
                  counts.duplicates +
                  step.fixes.length +
                  step.visits.length +
                  step.places.length +
                  step.notices.length +
                  step.erasures.length -
                  stored -
                  leftOut.length,
                overLimit: counts.overLimit + leftOut.length,
                tooRecent: counts.tooRecent + step.tooRecent,
                tooOld: counts.tooOld + step.tooOld,
                quarantined: counts.quarantined + step.quarantined
              }
            },
            attempts: step.read > 0 ? 0 : kept.attempts
          })
          return true
        }),

      finish: (leased, error, at, months = []) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept === undefined) return false
          const stored = storedByMonth(tables, kept.import)
          const state = error === null ? ("done" as const) : ("failed" as const)
          imports.set(leased.id, {
            ...kept,
            import: { ...kept.import, state, error, months: Months.withStored(months, stored), finishedAt: at },
            lease: null,
            dueAt: null
          })
          throwAway(leased.id)
          return true
        }),

      beginUndo: (of) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept === undefined || kept.uploading) return Option.none()
          throwAway(of.id)
          const undoing: Import = { ...kept.import, state: "undoing" }
          imports.set(of.id, { ...kept, import: undoing, lease: null, dueAt: null, attempts: 0 })
          return Option.some(undoing)
        }),

      undo: (leased, after) =>
        Effect.sync(() => {
          const kept = find(leased)
          if (kept?.import.state !== "undoing" || kept.lease !== leased.lease) return "lost"
          return undo(tables, kept.import, after)
        }),

      dropBrokenOff: (now) =>
        Effect.sync(() => {
          const broken = [...imports.values()].filter(
            ({ import: one, uploading }) =>
              (uploading && one.uploadedAt < Timestamp.plus(now, -Imports.UPLOAD_PATIENCE)) ||
              (one.state === "asking" && !Imports.isAsking(one, now))
          )
          for (const { import: one } of broken) {
            throwAway(one.id)
            imports.delete(one.id)
          }
          return broken.length
        })
    })
  })
)

const isDue = ({ dueAt, import: one, uploading }: KeptImport, now: Timestamp.Timestamp): boolean =>
  !uploading && one.state !== "asking" && (isOpen(one) || one.state === "undoing") && (dueAt ?? now) <= now

const isOpen = ({ state }: Import): boolean => state === "asking" || state === "waiting" || state === "running"

const unreadBytes = (open: ReadonlyArray<KeptImport>): number =>
  open.reduce((sum, { import: { bytesTotal }, uploading }) => sum + (uploading ? Imports.MAX_BYTES : bytesTotal), 0)
