import { FileKind, Import, ImportStore, ImportTooLarge, startImport } from "@place-access/domain/imports"
import { Conflict, Invalid, Timestamp, type UserId } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryImportStore,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"

const layer = Layer.mergeAll(MemoryImportStore.layer, MemoryAccountStore.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryDatabase.layer, MemoryEntropy.layer, MemoryVault.layer))
)

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
const GPX = bytes("<gpx/>")

const nothingIsLeft = (userId: UserId) =>
  Effect.gen(function* () {
    const { importPieces, imports } = yield* MemoryDatabase
    expect([...imports.values()].filter((one) => one.import.userId === userId)).toEqual([])
    expect(importPieces.size).toBe(0)
  })

describe("startImport", () => {
  it.effect("keeps the file as it came, in pieces of one size, however it was cut", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const whole = Uint8Array.from({ length: 2 * Import.PIECE_BYTES + 5 }, (_, index) =>
        index === 0 ? 0x7b : index % 251
      )
      const cuts = [0, 1, 7, Import.PIECE_BYTES, Import.PIECE_BYTES + 1, whole.length]
      const chunks = cuts.slice(1).map((end, index) => whole.subarray(cuts[index], end))
      const made = yield* startImport(user.id, "a.json", Stream.fromIterable(chunks))
      expect(made.bytesTotal).toBe(whole.length)
      const store = yield* ImportStore
      const pieces = yield* Effect.forEach([0, 1, 2, 3], (position) => store.piece(made, position))
      expect(pieces.map((piece) => Option.getOrNull(piece)?.length ?? null)).toEqual([
        Import.PIECE_BYTES,
        Import.PIECE_BYTES,
        5,
        null
      ])
      expect(pieces.flatMap((piece) => (Option.isSome(piece) ? [...piece.value] : []))).toEqual([...whole])
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses what is no such file at its first piece, and nothing of it stays", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      for (const content of ["", "   ", "%PDF-1.7", "lat,lon\n1,2"]) {
        let more = 0
        const rest = Stream.repeatEffect(Effect.sync(() => (more++, new Uint8Array(Import.PIECE_BYTES)))).pipe(
          Stream.take(9)
        )
        const stream =
          content.length < 4 ? Stream.make(bytes(content)) : Stream.concat(Stream.make(bytes(content)), rest)
        const error = yield* Effect.flip(startImport(user.id, "x", stream))
        expect(error).toBeInstanceOf(Invalid)
        expect(more).toBeLessThanOrEqual(2)
        yield* nothingIsLeft(user.id)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses a file over 256 MiB as soon as it is, and nothing of it stays [imports-5]", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const half = new Uint8Array(Import.MAX_BYTES / 2)
      half[0] = 0x7b
      // The store of this test drops the pieces of the file, because keeping them in memory would take a minute.
      const store = yield* ImportStore
      const forgetful = { ...store, append: () => Effect.succeed(true) }
      const start = (...chunks: ReadonlyArray<Uint8Array>) =>
        Effect.provideService(startImport(user.id, "x", Stream.fromIterable(chunks)), ImportStore, forgetful)
      expect(yield* Effect.flip(start(half, half, new Uint8Array(1)))).toBeInstanceOf(ImportTooLarge)
      yield* nothingIsLeft(user.id)
      expect((yield* start(half, half)).bytesTotal).toBe(Import.MAX_BYTES)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of an upload that breaks off nothing stays", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const broken = Stream.concat(Stream.make(GPX, new Uint8Array(Import.PIECE_BYTES)), Stream.fail("gone" as const))
      expect(yield* Effect.flip(startImport(user.id, "x", broken))).toBe("gone")
      yield* nothingIsLeft(user.id)
    }).pipe(Effect.provide(layer))
  )

  const REFUSAL = "At most 50 imports with 512 MiB of files can wait: let one finish, or remove one"

  it.effect("fifty imports of a user can wait, no more [imports-5]", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const start = startImport(user.id, "x", Stream.make(GPX))
      for (let index = 0; index < 50; index++) yield* start
      expect(yield* Effect.flip(start)).toEqual(new Conflict({ reason: REFUSAL }))
      expect((yield* startImport((yield* Fixtures.user).id, "x", Stream.make(GPX))).state).toBe("waiting")
    }).pipe(Effect.provide(layer))
  )

  it.effect("an upload begins while 512 MiB of the user's files wait, and not while more wait [imports-5]", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const store = yield* ImportStore
      // This store gives each import a size that the test chooses. The files themselves are small, because storing
      // files of 512 MiB would take too long.
      const claiming = (size: number): typeof ImportStore.Service => ({
        ...store,
        complete: (begun, _, at, table) => store.complete(begun, size, at, table)
      })
      const start = (size: number) =>
        Effect.provideService(startImport(user.id, "x", Stream.make(GPX)), ImportStore, claiming(size))
      yield* start(256 * 1_024 * 1_024)
      yield* start(256 * 1_024 * 1_024)
      yield* start(1)
      expect(yield* Effect.flip(start(1))).toEqual(new Conflict({ reason: REFUSAL }))
    }).pipe(Effect.provide(layer))
  )
})

describe("what a file is called", () => {
  it.each([
    [undefined, "Imported file"],
    ["", "Imported file"],
    ["..\\..\\C:\\Timeline.json", "Timeline.json"],
    ["/etc/ pass\u0000wd\n ", "passwd"],
    ["x".repeat(100), "x".repeat(60)],
    ["Ferien\u202egpx", "Feriengpx"]
  ])("%j: %s", (sent, name) => {
    expect(Import.fileName(sent)).toBe(name)
  })

  it("only the beginning of a long name is normalised", () => {
    const sent = `${"\u1f82".normalize("NFD").repeat(60)}b${"\u0301".repeat(5_000)}`
    const seen = vi.spyOn(String.prototype, "normalize")
    const name = Import.fileName(sent)
    const lengths = seen.mock.contexts.map((one) => String(one).length)
    seen.mockRestore()
    expect([name, Math.max(...lengths) <= 480]).toEqual(["\u1f82".repeat(60), true])
  })
})

describe("what the beginning of a file gives away", () => {
  it.each([
    ["<gpx>", "xml"],
    ["\u00ef\u00bb\u00bf\r\n <?xml", "xml"],
    ["\u00ff\u00fe<\u0000", "xml"],
    ["\u00fe\u00ff\u0000<", "xml"],
    ['{"semanticSegments"', "json"],
    ["\n[{", "json"],
    ["PK\u0003\u0004", "zip"],
    ["PK\u0005\u0006", "zip"],
    ["PK_ID;time;lat;lon", "csv"],
    ["\u001f\u008b", "gzip"],
    ["time,lat", "text"],
    ["time;lat;lon", "csv"],
    ["<!doctype html>", "html"],
    ["2015-10-01T08:00:00Z\t*   \t{", "owntracks_log"],
    ["", "other"]
  ])("%j: %s", (text, kind) => {
    expect(FileKind.of(bytes(text))).toBe(kind)
  })
})

it("nothing newer than a day before the upload is taken", () => {
  expect(Import.recentFrom(Timestamp.make(Timestamp.DAY + 5))).toBe(5)
})
