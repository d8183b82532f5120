import { Effect, Either, Layer, Option } from "effect"
import type { Export, ExportState, ExportKey } from "../../../src/exports/Export.js"
import { ExportSource, ExportStore, type LeasedExport } from "../../../src/exports/ExportStore.js"
import * as WrittenMail from "../../../src/exports/WrittenMail.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { bucketOf } from "../leases/buckets.js"
import { type KeptExport, MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

export const layer: Layer.Layer<ExportStore, never, MemoryDatabase> = Layer.effect(
  ExportStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { exportPieces, exports } = tables

    const find = ({ id, userId }: ExportKey): KeptExport | undefined => {
      const kept = exports.get(id)
      return kept?.export.userId === userId ? kept : undefined
    }
    const held = (leased: LeasedExport): KeptExport | undefined => {
      const kept = find(leased)
      return kept?.export.state === "making" && kept.lease === leased.lease ? kept : undefined
    }
    const throwAway = (id: Export["id"]): void => {
      for (let position = 0; exportPieces.delete(`${id} ${position}`); position++);
    }
    const end = (kept: KeptExport, state: ExportState, at: Timestamp.Timestamp): void => {
      exports.set(kept.export.id, {
        ...kept,
        export: { ...kept.export, state, endedAt: at },
        lease: null,
        dueAt: null
      })
      throwAway(kept.export.id)
    }
    const of = (userId: Export["userId"]): ReadonlyArray<Export> =>
      [...exports.values()].map((kept) => kept.export).filter((one) => one.userId === userId)

    return ExportStore.of({
      request: (userId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const decided = decide(of(userId), now)
          if (Either.isRight(decided)) {
            exports.set(decided.right.id, { export: decided.right, lease: null, dueAt: null, attempts: 0 })
          }
          return decided
        }),

      list: (userId, limit) =>
        Effect.sync(() =>
          [...of(userId)].sort((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? 1 : -1)).slice(0, limit)
        ),

      find: (owned) => Effect.sync(() => Option.map(Option.fromNullable(find(owned)), (kept) => kept.export)),

      due: (buckets, now) =>
        Effect.sync(() => {
          const [due] = [...exports.values()]
            .filter((one) => isDue(one, now) && buckets.includes(bucketOf(one.export.userId)))
            .sort((a, b) => a.export.requestedAt - b.export.requestedAt)
          return Option.map(Option.fromNullable(due), ({ export: { id, userId } }) => ({ userId, id }))
        }),

      claim: (leased, now, dueAt) =>
        Effect.sync(() => {
          const due = find(leased)
          if (due === undefined || !isDue(due, now)) return Option.none()
          const attempts = due.attempts + 1
          const making = { ...due.export, state: "making" as const, progress: { done: 0, total: 0 } }
          throwAway(making.id)
          exports.set(making.id, { export: making, lease: leased.lease, dueAt, attempts })
          return Option.some({ export: making, attempt: attempts })
        }),

      append: (leased, { position, sealed }, progress, dueAt) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept === undefined) return false
          exportPieces.set(`${leased.id} ${position}`, sealed.slice())
          exports.set(leased.id, { ...kept, export: { ...kept.export, progress }, dueAt })
          return true
        }),

      renew: (leased, progress, dueAt) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept === undefined) return false
          exports.set(leased.id, { ...kept, export: { ...kept.export, progress }, dueAt })
          return true
        }),

      handBack: (leased) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept !== undefined) {
            exports.set(leased.id, { ...kept, lease: null, dueAt: null, attempts: kept.attempts - 1 })
          }
        }),

      finish: (leased, how, mail, audit) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept === undefined) return false
          if (how._tag === "Failed") {
            end({ ...kept, export: { ...kept.export, fault: how.fault } }, "failed", how.at)
          } else {
            const { total } = kept.export.progress
            exports.set(leased.id, {
              ...kept,
              export: {
                ...kept.export,
                state: "ready",
                bytes: how.bytes,
                pieces: how.pieces,
                readyAt: how.at,
                expiresAt: how.expiresAt,
                progress: { done: total, total }
              },
              lease: null,
              dueAt: null
            })
          }
          MemoryMailOutbox.queue(tables, mail, how.at)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit)
          return true
        }),

      piece: (owned, position, now) =>
        Effect.sync(() => {
          const one = find(owned)?.export
          return one?.state === "ready" && one.expiresAt !== null && now < one.expiresAt
            ? Option.fromNullable(exportPieces.get(`${owned.id} ${position}`))
            : Option.none()
        }),

      remove: (owned, at) =>
        Effect.sync(() => {
          const kept = find(owned)
          if (kept === undefined || kept.export.endedAt !== null) return false
          end(kept, "deleted", at)
          return true
        }),

      expire: (buckets, now, forgetBefore) =>
        Effect.sync(() => {
          const theirs = [...exports.values()].filter((one) => buckets.includes(bucketOf(one.export.userId)))
          const over = theirs.filter(
            ({ export: one }) => one.state === "ready" && one.expiresAt !== null && one.expiresAt <= now
          )
          for (const one of over) end(one, "expired", now)
          for (const { export: one } of theirs) {
            const endedAt = exports.get(one.id)?.export.endedAt ?? null
            if (endedAt !== null && endedAt < forgetBefore) exports.delete(one.id)
          }
          return over.length
        })
    })
  })
)

/** The in-memory `ExportSource`: the devices and mails of a person, for an export. */
export const layerSource: Layer.Layer<ExportSource, never, MemoryDatabase> = Layer.effect(
  ExportSource,
  Effect.map(MemoryDatabase, ({ devices, importDevices, mail, mailStates }) =>
    ExportSource.of({
      devices: (userId) =>
        Effect.sync(() =>
          [...devices.values()]
            .filter((one) => one.userId === userId)
            .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
            .map(({ createdAt, format, id, lastSeenAt, name, removedAt, staysAtHome }) => ({
              id,
              name,
              format: importDevices.has(id) ? "import" : format,
              staysAtHome,
              createdAt,
              lastSeenAt,
              removedAt
            }))
        ),
      letters: (userId) =>
        Effect.sync(() =>
          [...mail]
            .flatMap(([key, message]) => {
              const state = mailStates.get(key)
              return message.to === userId && state !== undefined ? [{ message, state }] : []
            })
            .sort(
              (a, b) => a.state.createdAt - b.state.createdAt || (a.message.dedupeKey < b.message.dedupeKey ? -1 : 1)
            )
            .map(({ message, state }) => ({
              kind: WrittenMail.kindOf(message.dedupeKey),
              subject: message.subject,
              body: message.body,
              path: message.link?.path ?? null,
              writtenAt: state.createdAt,
              sentAt: state.sentAt
            }))
        )
    })
  )
)

const isDue = ({ dueAt, export: one }: KeptExport, now: Timestamp.Timestamp): boolean =>
  (one.state === "requested" || one.state === "making") && (dueAt ?? now) <= now
