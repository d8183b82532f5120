import { AccessLogStore } from "@place-access/domain/access-log"
import { Account, AccountStore } from "@place-access/domain/accounts"
import { ConnectionStore, listConnections } from "@place-access/domain/connection"
import { ArchiveFormat, ExportSource, openArchive } from "@place-access/domain/exports"
import { Fix, FixHistory, ingestFixes } from "@place-access/domain/fixes"
import { MailOutbox } from "@place-access/domain/mail"
import { Place, PlaceStore } from "@place-access/domain/places"
import { RuleStore } from "@place-access/domain/rules"
import {
  AccessLogEntryId,
  type AppId,
  type ConnectionId,
  Entropy,
  Timestamp,
  UserId,
  Vault
} from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Chunk, Effect, FastCheck as fc, Schema, Stream, Struct } from "effect"
import { expect } from "vitest"

/**
 * Generates the data of a person, stores it through the ports, and compares an archive of the person with the stores.
 * The secrets in the data contain a certain text (`MARK` or `MARKED_HASH`). No archive may contain that text, or the
 * `sub` of a connection.
 */

const MARK = "s3cret-mark-1f7a"
/** The text for secrets that must have the form of a digest, so that they cannot contain `MARK`. */
const MARKED_HASH = Vault.Hash.make("deadbeef".repeat(8))

const DAY = Timestamp.DAY

/** Texts that may break an archive's format: quotes, brackets, markup, line breaks, other scripts. */
const label = fc.constantFrom("Home", 'Café "Ü" \\', "]]> <b>&", "家 🏡", "a,b;c", "{}[]")
const circle = fc.record({
  lat: fc.constantFrom(52.37, -33.4489, 89.9, 0.0000001),
  lon: fc.constantFrom(4.89, -70.6693, 180, -179.9999999),
  radiusM: fc.constantFrom(100, 150, 10_000, 123.456)
})
const place = fc.record({
  label,
  kind: fc.constantFrom(...Place.PlaceKind.literals),
  circle,
  moves: fc.array(circle, { maxLength: 2 }),
  isArchived: fc.boolean()
})
const metres = fc.constantFrom(null, 0.1, 12.5, 1e-7, 5_000)
const fix = fc.record({
  phone: fc.nat({ max: 1 }),
  /** The age of the fix, in milliseconds. Some values repeat, so that two fixes may have the same time. */
  agoMs: fc.oneof(fc.integer({ min: 2 * DAY, max: 70 * DAY }), fc.constantFrom(3 * DAY, 30 * DAY, 31 * DAY + 1)),
  lat: fc.constantFrom(52.37, 52.3700001, -89.9, 12.3456789),
  lon: fc.constantFrom(4.89, -179.9999999, 0.5),
  accuracyM: metres,
  altitudeM: fc.constantFrom(null, -3.25, 8_848),
  speedMps: metres,
  courseDeg: fc.constantFrom(null, 0, 359.9)
})
const connection = fc.record({
  isEnded: fc.boolean(),
  rules: fc.nat({ max: 2 }),
  entries: fc.array(
    fc.constantFrom("GET /v1/me", "webhook place.enter", "webhook zone.exit", "webhook places.changed"),
    {
      maxLength: 4
    }
  )
})

type Drawn<T> = T extends fc.Arbitrary<infer A> ? A : never

export interface PersonDraft {
  readonly places: ReadonlyArray<Drawn<typeof place>>
  readonly fixes: ReadonlyArray<Drawn<typeof fix>>
  readonly connections: ReadonlyArray<Drawn<typeof connection>>
}

export const personDraft: fc.Arbitrary<PersonDraft> = fc.record({
  places: fc.array(place, { maxLength: 4 }),
  fixes: fc.array(fix, { maxLength: 25 }),
  connections: fc.array(connection, { maxLength: 2 })
})

/** Stores an account whose password hash contains `MARK`. */
const account = Effect.gen(function* () {
  const id = UserId.make(yield* Entropy.id("usr"))
  const made: Account.Account = {
    id,
    email: Account.Email.make(`${id}@example.com`),
    displayName: Account.DisplayName.make("Ada ✓"),
    roles: [],
    createdAt: yield* Timestamp.now,
    suspendedAt: null,
    confirmedAt: null,
    timeZone: "Asia/Tokyo",
    language: "en",
    browserLanguage: "de",
    testOf: null
  }
  const accounts = yield* AccountStore
  yield* accounts.create(made, `${MARK} password`)
  yield* accounts.chooseNotices(made.id, ["ends", "weekly"])
  return made
})

/** Stores the data of the draft. Returns the person, and the texts that no archive may contain. */
export const makePerson = ({ connections, fixes, places }: PersonDraft) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const user = yield* account
    const store = yield* PlaceStore
    const own: Array<Place.Place> = []
    for (const [index, { circle, isArchived, kind, label, moves }] of places.entries()) {
      const made = yield* RuleSamples.place(user.id, { label: Place.Label.make(`${label} ${index}`), kind, circle })
      own.push(made)
      for (const move of moves) yield* store.update(user.id, made.id, (before) => Place.edited(before, move))
      if (isArchived) yield* store.update(user.id, made.id, (before, at) => Place.archived(before, at))
    }
    const phones = [
      yield* RuleSamples.device(user.id, { tokenHash: MARKED_HASH }),
      yield* RuleSamples.device(user.id)
    ] as const
    for (const [index, phone] of phones.entries()) {
      const readings = fixes
        .filter((one) => one.phone === index)
        .map((one): Fix.Reading => ({
          ...Struct.omit(one, "agoMs", "phone"),
          capturedAt: Timestamp.plus(now, -one.agoMs)
        }))
      yield* ingestFixes(phone, readings, [])
    }
    const secrets: Array<string> = [MARK, MARKED_HASH]
    for (const { entries, isEnded, rules } of connections) {
      const shared = own.slice(0, 2)
      const { app, connection } = yield* RuleSamples.sharing({
        userId: user.id,
        externalUserId: `${MARK} external`,
        places: shared.map(({ id: placeId }) => ({ placeId, sharedAt: now, includeEarlierVisits: false }))
      })
      secrets.push(connection.sub)
      const [first] = shared
      for (let index = 0; index < rules; index++) {
        const target = index === 0 && first !== undefined ? RuleSamples.onPlace(first) : RuleSamples.ZONE
        yield* RuleSamples.rule(connection, target, { webhookUrl: `https://hooks.example.com/${MARK}` })
      }
      for (const [index, endpoint] of entries.entries()) yield* logged(user.id, app.id, connection.id, endpoint, index)
      if (isEnded) {
        yield* (yield* ConnectionStore).change(connection.id, () => ({
          outcome: undefined,
          writes: [{ _tag: "End", reason: "user_disconnected", at: now }]
        }))
      }
    }
    const vault = yield* Vault.Vault
    yield* (yield* MailOutbox).put(
      {
        to: user.id,
        dedupeKey: `password_reset ${user.id}`,
        subject: "Set a new password",
        body: "Open the link.\nIt works once.",
        link: { site: "service", path: "/reset-password?token=", label: "Set a new password" },
        secret: Vault.Sealed.make(yield* vault.seal(MARK, "for the mail"))
      },
      now
    )
    yield* (yield* MailOutbox).put(
      {
        to: user.id,
        dedupeKey: "strikes whe_1 dlv_1",
        subject: "A webhook endpoint of Coffee Finder was disabled",
        body: `We disabled an endpoint of your app "Coffee Finder":\n\nhttps://hooks.example.com/${MARK}`
      },
      now
    )
    return { user, secrets }
  })

const logged = (userId: UserId, appId: AppId, connectionId: ConnectionId, endpoint: string, index: number) =>
  Effect.gen(function* () {
    const id = AccessLogEntryId.make(yield* Entropy.id("log"))
    const at = Timestamp.plus(yield* Timestamp.now, -index)
    const disclosed = endpoint === "GET /v1/me" ? null : "arrived at Home"
    yield* (yield* AccessLogStore).record({
      userId,
      id,
      at,
      appId,
      connectionId,
      endpoint,
      purpose: null,
      status: 200,
      times: 1,
      error: null,
      disclosed
    })
  })

export interface UnpackedFile {
  readonly name: string
  readonly text: string
}

/** The bytes of a finished archive. */
export const fetched = (of: Parameters<typeof openArchive>[0]) =>
  Effect.gen(function* () {
    const { bytes } = yield* openArchive(of)
    const pieces = Chunk.toReadonlyArray(yield* Stream.runCollect(bytes))
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      all.set(piece, at)
      at += piece.length
    }
    return all
  })

const decodeAs = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })

/**
 * The files of an archive, decoded by their schemas. A `.jsonl` file becomes the list of its lines. Fails when a file
 * does not fit its schema.
 */
export const decoded = (files: ReadonlyArray<UnpackedFile>) => {
  const text = (name: string): string => {
    const file = files.find((one) => one.name === name)
    if (file === undefined) throw new Error(`the archive has no ${name}`)
    return file.text
  }
  const json = <A, I>(name: string, schema: Schema.Schema<A, I>): A => decodeAs(schema)(JSON.parse(text(name)))
  const lines = <A, I>(name: string, schema: Schema.Schema<A, I>): ReadonlyArray<A> =>
    text(name)
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [decodeAs(schema)(JSON.parse(line))]))
  return {
    manifest: json("manifest.json", ArchiveFormat.Manifest),
    account: json("account.json", ArchiveFormat.Account),
    places: json("places.json", ArchiveFormat.Places).places,
    devices: json("devices.json", ArchiveFormat.Devices).devices,
    fixes: lines("fixes.jsonl", ArchiveFormat.FixLine),
    visits: json("visits.json", ArchiveFormat.Visits),
    connections: json("connections.json", ArchiveFormat.Connections).connections,
    receipts: json("receipts.json", ArchiveFormat.Receipts).receipts,
    rules: json("rules.json", ArchiveFormat.Rules).rules,
    accessLog: lines("access-log.jsonl", ArchiveFormat.AccessLine),
    firings: lines("firings.jsonl", ArchiveFormat.FiringLine)
  }
}

export type DecodedArchive = ReturnType<typeof decoded>

/** Fails unless the archive contains what the stores have about the person. */
export const holdsAll = (user: Account.Account, archive: DecodedArchive) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    expect(archive.account).toEqual({
      id: user.id,
      email: user.email,
      display_name: user.displayName,
      roles: [],
      created_at: user.createdAt,
      history_kept_days: null,
      time_zone: user.timeZone,
      language: user.language,
      browser_language: user.browserLanguage,
      notices: ["ends", "weekly"],
      erasures: []
    })
    const places = yield* PlaceStore
    const shapes = yield* places.shapes(user.id)
    expect(archive.places.map(({ id, shapes: own }) => [id, own.length])).toEqual(
      (yield* places.list(user.id)).map(({ id }) => [id, shapes.filter(({ placeId }) => placeId === id).length])
    )
    for (const one of yield* places.list(user.id)) {
      const found = archive.places.find(({ id }) => id === one.id)
      const last = found?.shapes.at(-1)
      expect([found?.label, found?.kind, found?.archived_at, last?.version]).toEqual([
        one.label,
        one.kind,
        one.archivedAt,
        one.geometryVersion
      ])
      expect({ lat: last?.lat, lon: last?.lon, radiusM: last?.radius_m }).toEqual(one.circle)
    }
    const stored = yield* (yield* FixHistory).range(
      user.id,
      now,
      { from: Timestamp.make(Fix.EARLIEST), until: Timestamp.plus(now, DAY) },
      10_000,
      undefined
    )
    expect(archive.fixes).toEqual(
      stored.items.map((one) => ({
        captured_at: one.capturedAt,
        lat: one.lat,
        lon: one.lon,
        accuracy_m: one.accuracyM,
        altitude_m: one.altitudeM,
        speed_mps: one.speedMps,
        course_deg: one.courseDeg,
        device_id: one.deviceId,
        received_at: one.receivedAt,
        ...(one.isLeftBehind === true ? { left_behind: true } : {})
      }))
    )
    const source = yield* ExportSource
    expect(archive.devices.map(({ id, name }) => [id, name])).toEqual(
      (yield* source.devices(user.id)).map(({ id, name }) => [id, name])
    )
    expect(archive.receipts.map(({ body, subject }) => [subject, body])).toEqual(
      // The archive lacks two kinds of mail: the mail that says that the archive is ready, because it was written after
      // the archive, and warnings about a failing webhook, because they contain the webhook's address.
      (yield* source.letters(user.id)).flatMap(({ body, kind, subject }) =>
        kind === "export_ready" || kind === "strikes" ? [] : [[subject, body]]
      )
    )
    const connections = yield* listConnections(user.id)
    expect(archive.connections.map(({ ended_at, id, places: shared }) => [id, ended_at, shared.length])).toEqual(
      connections.map(({ endedAt, id, places: shared }) => [id, endedAt, shared.length])
    )
    const rules = yield* Effect.forEach(connections, ({ id }) =>
      Effect.flatMap(RuleStore, (store) => store.list(user.id, id, "all", 100, undefined))
    )
    expect(archive.rules.map(({ id }) => id)).toEqual(rules.flatMap(({ items }) => items.map(({ id }) => id)))
    const log = yield* (yield* AccessLogStore).list(user.id, {}, 1_000, undefined)
    expect(archive.accessLog.map(({ at, disclosed, request }) => [at, request, disclosed])).toEqual(
      log.items.map(({ at, disclosed, endpoint }) => [at, endpoint, disclosed])
    )
    expect(archive.firings.map(({ event }) => `webhook ${event}`)).toEqual(
      log.items.flatMap(({ endpoint }) => (/^webhook (?:place|zone)\./.test(endpoint) ? [endpoint] : []))
    )
  })

/**
 * Fails when a file of the archive contains one of the secrets, or a field that is named like a token, a hash, a
 * password or a secret.
 */
export const hasNoSecret = (files: ReadonlyArray<UnpackedFile>, secrets: ReadonlyArray<string>): void => {
  const all = files.map(({ name, text }) => `${name}\n${text}`).join("\n")
  for (const secret of secrets) expect(all.includes(secret)).toBe(false)
  for (const word of ["token", "hash", "password_", "secret"])
    expect(all).not.toMatch(new RegExp(`"[a-z_]*${word}[a-z_]*":`))
}
