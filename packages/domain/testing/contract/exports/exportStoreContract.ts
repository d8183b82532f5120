import { Effect, Either, Option } from "effect"
import * as Device from "../../../src/devices/Device.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import * as Export from "../../../src/exports/Export.js"
import { ExportSource, ExportStore } from "../../../src/exports/ExportStore.js"
import { ImportStore } from "../../../src/imports/ImportStore.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeviceId, ExportId, ImportId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { auditEvent, auditOf } from "../auditSamples.js"
import { bucketOf } from "../../memory/leases/buckets.js"
import {
  append,
  ask,
  claim,
  claimed,
  type ExportSamplePorts,
  finish,
  forget,
  found,
  piece,
  ready,
  readyExport,
  renew,
  requestedExport,
  SEALED
} from "./exportSamples.js"

const at = (now: Timestamp.Timestamp, millis: number) => Timestamp.plus(now, millis)

/**
 * What every `ExportStore` must guarantee: one worker makes an archive, and the archive is kept for a week. The last
 * case checks what every `ExportSource` must guarantee.
 */
export const exportStoreContract: Contract<ExportSamplePorts> = [
  {
    name: "an export is listed as it was asked for, then as it was made, and to nobody else",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const one = yield* requestedExport(user.id)
      Check.equal(yield* found(one), one, "as asked for")
      const { attempt, export: making, leased } = yield* claimed(one, "first", now)
      Check.equal([attempt, making.state], [1, "making"], "claimed")
      yield* append(leased, 0, now)
      Check.equal((yield* found(one)).progress, { done: 10, total: 100 }, "progress")
      yield* finish(leased, ready(at(now, 5)))
      const made: Export.Export = {
        ...one,
        state: "ready",
        progress: { done: 100, total: 100 },
        bytes: 200,
        pieces: 1,
        readyAt: at(now, 5),
        expiresAt: at(now, 5 + Export.KEPT_FOR)
      }
      Check.equal(yield* store.list(user.id, 10), [made], "listed")
      Check.equal(yield* store.list(other.id, 10), [], "another's list")
      const theirs = { userId: other.id, id: one.id }
      Check.isTrue(Option.isNone(yield* store.find(theirs)), "not found by another")
      Check.isTrue(Option.isNone(yield* piece(theirs, 0, now)), "not fetched by another")
      Check.isTrue(!(yield* store.remove(theirs, now)), "not deleted by another")
      Check.equal(Array.from(Option.getOrThrow(yield* piece(one, 0, now))), Array.from(SEALED), "its bytes")
      yield* forget(one)
    })
  },
  {
    name: "request: of several at once one is stored; what the decision refuses is not; it sees all exports of the person",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const user = yield* Fixtures.user
      const rivals = yield* Effect.all(
        Array.from({ length: 4 }, () => ask(user.id)),
        { concurrency: "unbounded" }
      )
      const begun = rivals.flatMap((one) => (Either.isRight(one) ? [one.right] : []))
      Check.equal(begun.length, 1, "begun")
      Check.equal(yield* store.list(user.id, 10), begun, "stored")
      yield* forget(...begun)
      const second = yield* requestedExport(user.id)
      const seen: Array<string> = []
      yield* store.request(user.id, (present, now) => {
        seen.push(...present.map(({ state }) => state).sort())
        return Export.request(second, present, now)
      })
      Check.equal(seen, ["deleted", "requested"], "seen by the decision")
      yield* forget(second)
    })
  },
  {
    name: "due: the export that waits longest, of the buckets that are asked for, until it is claimed; again without a sign",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const user = yield* Fixtures.user
      const [bucket, now] = [bucketOf(user.id), yield* Timestamp.now]
      const others = Bucket.ALL.filter((other) => other !== bucket)
      const due = (buckets: ReadonlyArray<number>, when = now) => Effect.map(store.due(buckets, when), Option.getOrNull)
      const one = yield* requestedExport(user.id)
      Check.equal(yield* due([bucket]), { userId: user.id, id: one.id }, "of the bucket")
      Check.isTrue((yield* due(others))?.userId !== user.id, "of the others")
      Check.equal(yield* due([]), null, "of none")
      const { leased } = yield* claimed(one, "first", now)
      Check.isTrue((yield* due([bucket]))?.id !== one.id, "claimed")
      Check.isTrue(Option.isNone(yield* claim(one, "second", now)), "claimed once")
      const later = at(now, Export.PATIENCE - 1)
      yield* append(leased, 0, later)
      Check.isTrue((yield* due([bucket], at(now, Export.PATIENCE)))?.id !== one.id, "a piece puts it off")
      Check.isTrue(yield* renew(leased, at(later, 5)), "renewed")
      Check.equal((yield* found(one)).progress, { done: 5, total: 100 }, "progress")
      Check.isTrue((yield* due([bucket], at(later, Export.PATIENCE)))?.id !== one.id, "a renewal puts it off")
      Check.equal((yield* due([bucket], at(later, 5 + Export.PATIENCE)))?.id, one.id, "without another sign")
      yield* forget(one)
      Check.isTrue((yield* due([bucket], at(later, 5 + Export.PATIENCE)))?.id !== one.id, "deleted")
      Check.isTrue(!(yield* renew(leased, later)), "a deleted export is not renewed")
    })
  },
  {
    name: "due: of several, the export that was requested first, also when it was stored last",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const now = yield* Timestamp.now
      const requestedAt = (millis: number) =>
        Effect.gen(function* () {
          const of = { userId: (yield* Fixtures.user).id, id: ExportId.make(yield* Entropy.id("exp")) }
          yield* store.request(of.userId, (present, at) =>
            Either.map(Export.request(of, present, at), (one) => ({ ...one, requestedAt: Timestamp.plus(at, millis) }))
          )
          return of
        })
      const [third, first, second] = [yield* requestedAt(2), yield* requestedAt(0), yield* requestedAt(1)]
      const buckets = [third, first, second].map(({ userId }) => bucketOf(userId))
      const later = at(now, 3)
      for (const one of [first, second, third]) {
        Check.equal(yield* store.due(buckets, later), Option.some(one), "due")
        yield* claimed(one, "lease", later)
      }
      yield* forget(third, first, second)
    })
  },
  {
    name: "handBack: due at once, and the attempt does not count; nothing of an attempt that lost its lease",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const one = yield* requestedExport(user.id)
      const { leased } = yield* claimed(one, "first", now)
      Check.isTrue(yield* append(leased, 0, now), "a piece")
      yield* store.handBack({ ...leased, lease: "another" })
      Check.isTrue(Option.isNone(yield* claim(one, "rival", now)), "another's lease hands nothing back")
      yield* store.handBack(leased)
      yield* store.handBack(leased)
      Check.isTrue(!(yield* append(leased, 1, now)), "its lease is lost")
      Check.equal((yield* claimed(one, "second", now)).attempt, 1, "the attempt did not count")
      const later = at(now, Export.PATIENCE)
      Check.equal((yield* claimed(one, "third", later)).attempt, 2, "an attempt without an end counts")
      yield* forget(one)
    })
  },
  {
    name: "of two workers that make one archive, the one whose lease was taken stores nothing more and ends nothing",
    run: Effect.gen(function* () {
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const one = yield* requestedExport(user.id)
      const first = yield* claimed(one, "first", now)
      for (const position of [0, 1, 2]) Check.isTrue(yield* append(first.leased, position, now), "first worker")
      const later = at(now, Export.PATIENCE)
      const second = yield* claimed(one, "second", later)
      Check.equal(second.attempt, 2, "the attempts are counted")
      Check.equal((yield* found(one)).progress, { done: 0, total: 0 }, "begun anew")
      const bytes = Uint8Array.of(9, 9, 9)
      Check.isTrue(yield* append(second.leased, 0, later, bytes), "second worker")
      Check.isTrue(!(yield* append(first.leased, 1, later)), "a late piece")
      Check.isTrue(!(yield* renew(first.leased, later)), "a late renewal")
      Check.isTrue(!(yield* finish(first.leased, ready(later, 3))), "a late end")
      Check.equal((yield* found(one)).state, "making", "still being made")
      Check.isTrue(yield* finish(second.leased, ready(later)), "its own end")
      Check.isTrue(!(yield* finish(second.leased, ready(later))), "once")
      Check.equal(Array.from(Option.getOrThrow(yield* piece(one, 0, later))), [9, 9, 9], "the second worker's")
      Check.isTrue(Option.isNone(yield* piece(one, 1, later)), "nothing of the first worker's")
      yield* forget(one)
    })
  },
  {
    name: "piece: nothing is fetched before the archive is ready, from its last instant on, and after its deletion",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const isThere = (of: Export.ExportKey, when = now) => Effect.map(piece(of, 0, when), Option.isSome)
      const half = yield* requestedExport(other.id)
      const { leased } = yield* claimed(half, "half", now)
      yield* append(leased, 0, now)
      Check.isTrue(!(yield* isThere(half)), "half-made")
      yield* finish(leased, { _tag: "Failed", fault: "gave_up", at: now })
      Check.isTrue(!(yield* isThere(half)), "failed")
      Check.equal([(yield* found(half)).fault, (yield* found(half)).endedAt], ["gave_up", now], "why")
      Check.isTrue(!(yield* store.remove(half, now)), "ended already")

      const one = yield* readyExport(user.id, 2)
      Check.isTrue(yield* isThere(one), "ready")
      const end = at(now, Export.KEPT_FOR)
      Check.isTrue(yield* isThere(one, at(end, -1)), "the last instant")
      Check.isTrue(!(yield* isThere(one, end)), "too late, although no worker came by")
      Check.isTrue(yield* store.remove(one, now), "deleted")
      Check.isTrue(!(yield* isThere(one)), "nothing is left")
      Check.isTrue(!(yield* store.remove(one, now)), "once")
      const ended = yield* found(one)
      Check.equal([ended.state, ended.endedAt], ["deleted", now], "it stays in the list")
    })
  },
  {
    name: "expire: archives of these buckets whose week is over; exports that ended long ago leave the list",
    run: Effect.gen(function* () {
      const store = yield* ExportStore
      const user = yield* Fixtures.user
      const bucket = bucketOf(user.id)
      const now = yield* Timestamp.now
      const old = yield* requestedExport(user.id)
      yield* forget(old)
      const one = yield* readyExport(user.id, 2)
      const end = at(now, Export.KEPT_FOR)
      const others = Bucket.ALL.filter((other) => other !== bucket)
      yield* store.expire(others, end, now)
      Check.equal(yield* store.expire([bucket], at(end, -1), now), 0, "not yet")
      Check.equal((yield* store.list(user.id, 10)).length, 2, "both are listed")
      Check.isTrue((yield* store.expire([bucket], end, at(now, 1))) >= 1, "expired")
      const [only, ...rest] = yield* store.list(user.id, 10)
      Check.equal([only?.id, only?.state, only?.endedAt, rest.length], [one.id, "expired", end, 0], "one is left")
      Check.isTrue(Option.isNone(yield* piece(one, 0, now)), "its bytes are gone")
    })
  },
  {
    name: "finish: the mail is put into the outbox and the audit event is stored with the end, and not without it",
    run: Effect.gen(function* () {
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const one = yield* requestedExport(user.id)
      const { leased } = yield* claimed(one, "mail", now)
      const letters = Effect.flatMap(MailOutbox, (outbox) =>
        Effect.map(outbox.recent(10_000), (all) =>
          all.flatMap(({ message }) => (message.to === user.id ? [message.dedupeKey] : []))
        )
      )
      const made = yield* auditEvent(user.id, { kind: "export_made" })
      yield* finish({ ...leased, lease: "another" }, ready(now), made)
      Check.equal(yield* letters, [], "no end, no mail")
      Check.equal(yield* auditOf(user.id), [], "no end, no event")
      yield* finish(leased, ready(now), made)
      Check.equal(yield* auditOf(user.id), [made], "event")
      Check.equal(yield* letters, [`export_ready ${one.id}`], "mailed")
      yield* forget(one)
    })
  },
  {
    name: "devices: phones, removed ones and imported files too, oldest first; letters: what was written, without secrets",
    run: Effect.gen(function* () {
      const source = yield* ExportSource
      const [user, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const vault = yield* Vault
      const hash = Effect.map(Entropy.secret, vault.sha256)
      const phone: Device.Device = {
        userId: user.id,
        id: DeviceId.make(yield* Entropy.id("dev")),
        name: Device.DeviceName.make("Phone"),
        format: "overland",
        tokenHash: yield* hash,
        createdAt: now,
        ...Device.INITIAL
      }
      const gone = {
        ...phone,
        id: DeviceId.make(yield* Entropy.id("dev")),
        tokenHash: yield* hash,
        createdAt: at(now, 1)
      }
      const devices = yield* DeviceStore
      yield* devices.create(phone)
      yield* devices.create(gone)
      yield* devices.remove(user.id, gone.id, at(now, 2))
      const begun = {
        userId: user.id,
        id: ImportId.make(yield* Entropy.id("imp")),
        deviceId: DeviceId.make(yield* Entropy.id("dev")),
        fileName: "walk.gpx",
        tokenHash: yield* hash,
        at: at(now, 3)
      }
      const imports = yield* ImportStore
      yield* imports.begin(begun, 3)
      yield* imports.complete(begun, 0, at(now, 3))
      const listed = yield* source.devices(user.id)
      Check.equal(
        listed.map(({ format, id, name, removedAt }) => [id, name, format, removedAt]),
        [
          [phone.id, "Phone", "overland", null],
          [gone.id, "Phone", "overland", at(now, 2)],
          [begun.deviceId, "walk.gpx", "import", null]
        ],
        "devices"
      )
      Check.equal(yield* source.devices(other.id), [], "another's devices")
      yield* imports.remove(begun)

      const outbox = yield* MailOutbox
      const message = { to: user.id, dedupeKey: "consent_receipt 1", subject: "You connected Tea", body: "On Monday" }
      const link = { site: "portal", path: "/connections/c", label: "The connection" } as const
      const secret = yield* vault.seal("marked", "for this mail")
      yield* outbox.put({ ...message, dedupeKey: "password_reset 2", link, secret }, at(now, 1))
      yield* outbox.put(message, now)
      const letters = yield* source.letters(user.id)
      Check.equal(
        letters,
        [
          {
            kind: "consent_receipt",
            subject: message.subject,
            body: message.body,
            path: null,
            writtenAt: now,
            sentAt: null
          },
          {
            kind: "password_reset",
            subject: message.subject,
            body: message.body,
            path: "/connections/c",
            writtenAt: at(now, 1),
            sentAt: null
          }
        ],
        "letters"
      )
      Check.equal(yield* source.letters(other.id), [], "another's letters")
    })
  }
]
