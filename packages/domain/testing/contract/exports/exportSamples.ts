import { Effect, Either, Option } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AuditEvent } from "../../../src/audit/AuditEvent.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import * as Export from "../../../src/exports/Export.js"
import { type ExportEnd, type ExportSource, ExportStore, type LeasedExport } from "../../../src/exports/ExportStore.js"
import type { DeviceStore } from "../../../src/devices/DeviceStore.js"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import type { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ExportId, type UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"

/** The ports that the cases of `exportStoreContract` need. */
export type ExportSamplePorts =
  | AccountStore
  | AuditLog
  | DeviceStore
  | Entropy.Entropy
  | ExportSource
  | ExportStore
  | ImportStore
  | MailOutbox
  | Vault

export const SEALED = Uint8Array.from({ length: 256 }, (_, index) => index)

/** Requests an archive for the user. `Left` means that the decision (`Export.request`) refused the request. */
export const ask = (userId: UserId) =>
  Effect.gen(function* () {
    const of = { userId, id: ExportId.make(yield* Entropy.id("exp")) }
    return yield* (yield* ExportStore).request(userId, (present, now) => Export.request(of, present, now))
  })

export const requestedExport = (userId: UserId) =>
  Effect.map(
    ask(userId),
    Either.getOrElse((refused) => Check.fail(`the archive is asked for: ${refused.reason}`))
  )

export const claim = ({ id, userId }: Export.ExportKey, lease: string, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const leased: LeasedExport = { userId, id, lease }
    const claimed = yield* (yield* ExportStore).claim(leased, now, Timestamp.plus(now, Export.PATIENCE))
    return Option.map(claimed, (one) => ({ ...one, leased }))
  })

export const claimed = (of: Export.ExportKey, lease: string, now: Timestamp.Timestamp) =>
  Effect.map(
    claim(of, lease, now),
    Option.getOrElse(() => Check.fail("it is claimed"))
  )

export const append = (leased: LeasedExport, position: number, now: Timestamp.Timestamp, sealed = SEALED) =>
  Effect.flatMap(ExportStore, (store) =>
    store.append(
      leased,
      { position, sealed },
      { done: 10 * (position + 1), total: 100 },
      Timestamp.plus(now, Export.PATIENCE)
    )
  )

export const renew = (leased: LeasedExport, now: Timestamp.Timestamp) =>
  Effect.flatMap(ExportStore, (store) =>
    store.renew(leased, { done: 5, total: 100 }, Timestamp.plus(now, Export.PATIENCE))
  )

export const ready = (now: Timestamp.Timestamp, pieces = 1): ExportEnd => ({
  _tag: "Ready",
  bytes: 200 * pieces,
  pieces,
  at: now,
  expiresAt: Timestamp.plus(now, Export.KEPT_FOR)
})

export const finish = (leased: LeasedExport, end: ExportEnd, audit?: AuditEvent) =>
  Effect.flatMap(ExportStore, (store) =>
    store.finish(
      leased,
      end,
      end._tag === "Ready" ? Export.readyMail(leased, end.expiresAt) : Export.failedMail(leased, end.fault),
      audit
    )
  )

/** Makes an archive of `pieces` pieces that the person can download now. */
export const readyExport = (userId: UserId, pieces = 1) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const one = yield* requestedExport(userId)
    const { leased } = yield* claimed(one, "ready", now)
    for (let position = 0; position < pieces; position++) {
      Check.isTrue(yield* append(leased, position, now), "appended")
    }
    Check.isTrue(yield* finish(leased, ready(now, pieces)), "finished")
    return yield* found(one)
  })

export const found = (of: Export.ExportKey) =>
  Effect.gen(function* () {
    return Option.getOrElse(yield* (yield* ExportStore).find(of), () => Check.fail("it is found"))
  })

export const piece = (of: Export.ExportKey, position: number, now: Timestamp.Timestamp) =>
  Effect.flatMap(ExportStore, (store) => store.piece(of, position, now))

/** Removes exports, so that other cases of the same database do not see them as due. */
export const forget = (...exports: ReadonlyArray<Export.ExportKey>) =>
  Effect.gen(function* () {
    const store = yield* ExportStore
    for (const one of exports) yield* store.remove(one, yield* Timestamp.now)
  })
