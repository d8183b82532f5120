import { ArchiveFormat, ArchiveMaker } from "@place-access/domain/exports"
import { Timestamp } from "@place-access/domain/shared"
import { Archives } from "@place-access/worker"
import { Effect, FastCheck as fc } from "effect"
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from "fflate"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { inSteps, open, read, readAll } from "./support.js"

const NOON = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const FIX = {
  captured_at: "2026-01-01T09:00:00.000Z",
  lat: 52.5,
  lon: 4.25,
  accuracy_m: 5,
  altitude_m: null,
  speed_mps: null,
  course_deg: null,
  device_id: "dev_1",
  received_at: "2026-01-01T09:00:01.000Z"
}
const PLACE = {
  id: "plc_1",
  label: "Home",
  kind: "home",
  created_at: "2026-01-01T09:00:00.000Z",
  archived_at: null,
  shapes: [{ version: 1, valid_from: null, lat: 52.5, lon: 4.25, radius_m: 150 }]
}
const REPORT = {
  device_id: "dev_1",
  arrival: "2026-01-01T09:00:00.000Z",
  departure: null,
  lat: 52.5,
  lon: 4.25,
  accuracy_m: null
}

type Contents = Readonly<Record<string, string>>
const CONTENTS: Contents = {
  "account.json": JSON.stringify({ display_name: "Ida", notices: ["ends", "weekly"] }),
  "places.json": JSON.stringify({ places: [PLACE] }),
  "fixes.jsonl": `${JSON.stringify(FIX)}\n`.repeat(3),
  "visits.json": JSON.stringify({ visits: [], reported: [REPORT] })
}

const listed = (contents: Contents) =>
  Object.entries(contents).map(([name, text]) => ({
    name,
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
    entries: 1
  }))

const manifest = (contents: Contents, overrides: object = {}): string =>
  JSON.stringify({
    format: ArchiveFormat.FORMAT,
    version: 1,
    made_at: "2026-01-15T12:00:00.000Z",
    files: listed(contents),
    ...overrides
  })

/** Packs the files as an archive with a manifest, in one step. Another program may write such a zip file. */
const zipped = (contents: Contents, overrides: object = {}): Uint8Array =>
  zipSync(
    Object.fromEntries(
      [...Object.entries(contents), ["manifest.json", manifest(contents, overrides)] as const].map(([name, text]) => [
        name,
        strToU8(text)
      ])
    ) as Zippable
  )

/** Makes an archive as the worker does, in pages. */
const written = (contents: Contents): Uint8Array => {
  const { open } = Effect.runSync(Effect.provide(ArchiveMaker, Archives.layer))
  const writer = open(NOON)
  const out: Array<Uint8Array> = []
  const files = Object.entries(contents).map(([name, text]) => {
    writer.begin(name)
    for (let at = 0; at < text.length; at += 50) {
      writer.write(text.slice(at, at + 50))
      out.push(writer.take())
    }
    return { name, ...writer.end(), entries: 1 }
  })
  writer.begin("manifest.json")
  writer.write(manifest(contents, { files }))
  writer.end()
  writer.close()
  out.push(writer.take())
  return Buffer.concat(out)
}

const tags = (bytes: Uint8Array, lengths?: ReadonlyArray<number>) => {
  const { entries, ...rest } = read(bytes, lengths)
  return { ...rest, entries: entries.map(({ _tag }) => _tag).sort() }
}
const ALL = {
  format: "own_archive",
  fault: null,
  entries: ["Notice", "Notice", "Place", "Reading", "Reading", "Reading", "Visit"]
}

/**
 * A zip file that begins like an archive of this service, with the member `account.json`, and has `files` as its other
 * members. An attacker could make this file.
 */
const led = (files: Zippable): Uint8Array => zipSync({ "account.json": strToU8("{}"), ...files })

/** A copy of `bytes` with `others` in place of the bytes at `at`. */
const patched = (bytes: Uint8Array, at: number, ...others: ReadonlyArray<number>): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  copy.set(others, at)
  return copy
}
const find = (bytes: Uint8Array, text: string): number => Buffer.from(bytes).indexOf(text)

describe("archives of this service", () => {
  it("what the worker writes unpacks with another program, and both programs' archives are read [exports-7]", () => {
    const bytes = written(CONTENTS)
    const unpacked = Object.fromEntries(
      Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content)])
    )
    expect(unpacked).toEqual({ ...CONTENTS, "manifest.json": manifest(CONTENTS) })
    expect(tags(bytes)).toEqual(ALL)
    expect(tags(zipped(CONTENTS))).toEqual(ALL)
  })

  it("the same entries come wherever the bytes are cut [imports-5-cut]", () => {
    const bytes = written(CONTENTS)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }), (lengths) => {
        expect(tags(bytes, lengths)).toEqual(ALL)
      }),
      { numRuns: 40, examples: [[[1]], [[29]], [[30]], [[31]]] }
    )
  })

  it("a list of visits of more than 4 MiB, which is not imported, does not stop the list behind it [exports-7]", () => {
    const visits = Array.from({ length: 45_000 }, (_, index) => ({
      place_id: "plc_1",
      place: `Home ${index}`,
      arrival: new Date(Date.UTC(2000, 0, 1, index)).toISOString(),
      departure: null
    }))
    const text = JSON.stringify({ visits, reported: [REPORT] })
    expect(text.length).toBeGreaterThan(4_194_304)
    for (const lengths of [[131_072], [10_000_000]]) {
      expect(tags(zipped({ ...CONTENTS, "visits.json": text }), lengths)).toEqual(ALL)
    }
  })

  it("no step gives more entries than 64 KiB hold [exports-8]", () => {
    const { largest, steps: _, ...rest } = inSteps(zipped({ ...CONTENTS, "fixes.jsonl": "1\n".repeat(300_000) }))
    expect(rest).toEqual({ entries: 300_004, fault: null, format: "own_archive" })
    expect(largest).toBeLessThanOrEqual(32_768)
  })

  it("beyond the bytes that the caller allows, an archive is refused [test-people-4]", () => {
    const bytes = zipped({ ...CONTENTS, "fixes.jsonl": "1\n".repeat(300_000) })
    expect(readAll(open(undefined, 1_000_000), bytes, [131_072]).fault).toBeNull()
    const refused = readAll(open(undefined, 500_000), bytes, [131_072])
    expect([refused.fault, refused.entries.length]).toEqual(["unsafe_archive", 0])
  })

  const bomb = led({ "fixes.jsonl": new Uint8Array(64_000_000), "manifest.json": strToU8("{}") })
  const whole = zipped(CONTENTS)
  it.each([
    ["a zip file of somebody else", led({ "Timeline.json": strToU8("{}") }), "foreign_archive"],
    ["without a manifest", led({ "fixes.jsonl": strToU8("") }), "foreign_archive"],
    ["with a manifest of another program", zipped(CONTENTS, { format: "other" }), "foreign_archive"],
    ["of a later version", zipped(CONTENTS, { version: 2 }), "other_version"],
    [
      "with a file that was changed",
      zipped({ ...CONTENTS }, { files: listed({ ...CONTENTS, "fixes.jsonl": "{}" }) }),
      "wrong_checksum"
    ],
    [
      "with a file that the manifest does not name",
      zipped(CONTENTS, { files: listed(CONTENTS).slice(1) }),
      "wrong_checksum"
    ],
    [
      "without a file that the manifest names",
      zipped(CONTENTS, {
        files: [...listed(CONTENTS), { name: "rules.json", bytes: 0, sha256: "0".repeat(64), entries: 0 }]
      }),
      "wrong_checksum"
    ],
    [
      "with a path that leads out of its folder",
      led({ "../places.json": strToU8("{}"), "manifest.json": strToU8("{}") }),
      "unsafe_archive"
    ],
    ["with an absolute path", led({ "/etc/passwd": strToU8("x") }), "unsafe_archive"],
    ["with a path of Windows", led({ "..\\x.json": strToU8("x") }), "unsafe_archive"],
    ["that becomes a thousand times as large", bomb, "unsafe_archive"],
    [
      "that says a file is shorter than it is",
      patched(whole, find(whole, "PK\u0001\u0002") + 24, 1, 0, 0, 0),
      "damaged_archive"
    ],
    ["that ends in the middle", whole.subarray(0, whole.length - 30), "damaged_archive"],
    ["that begins with another file", zipSync({ "Timeline.json": strToU8("{}") }), "nothing_inside"],
    ["that lost its beginning", whole.subarray(100), "not_ours"],
    ["with a damaged byte in a file", patched(whole, find(whole, "fixes.jsonl") + 14, 0xff, 0xff), "damaged_archive"]
  ])("%s is refused, and none of its entries is given [exports-8]", (_, bytes, fault) => {
    for (const lengths of [[131_072], [1_000]]) {
      const result = read(bytes, lengths)
      expect([result.fault, result.entries.length, result.format]).toEqual([fault, 0, null])
    }
  })

  it("files that overlap are refused: a few bytes would be read as many files", () => {
    const directory = find(whole, "PK\u0001\u0002")
    const second = Buffer.from(whole).indexOf("PK\u0001\u0002", directory + 1)
    expect(read(patched(whole, second + 42, 0, 0, 0, 0)).fault).toBe("unsafe_archive")
  })

  it("any change of any byte gives a fault or the same entries, and never throws", () => {
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = patched(whole, at, (whole[at] ?? 0) ^ by)
        const result = tags(changed, [512])
        expect(result.entries).toEqual(result.fault === null ? ALL.entries : [])
      }),
      { numRuns: 400 }
    )
  })

  it("a fix keeps the mark that its device was left behind; another value is no mark [M14, exports-7]", () => {
    const marked = [{ ...FIX, left_behind: true }, FIX, { ...FIX, left_behind: "true" }]
    const text = marked.map((one) => `${JSON.stringify(one)}\n`).join("")
    const { entries } = read(zipped({ ...CONTENTS, "fixes.jsonl": text }))
    const readings = entries.flatMap((one) => (one._tag === "Reading" ? [one.isLeftBehind] : []))
    expect(readings).toEqual([true, undefined, undefined])
  })

  it("a place that no database could store counts as an entry that cannot be used [exports-7, imports-3]", () => {
    const version = (version: number) => ({ ...PLACE, shapes: PLACE.shapes.map((shape) => ({ ...shape, version })) })
    const odd = [version(2_147_483_648), version(1_000_000_001), version(0), { ...PLACE, id: "plc\0" }]
    const usable = [version(1_000_000_000), { ...PLACE, id: "plc\n2" }]
    const tagsOf = (places: ReadonlyArray<unknown>) =>
      tags(zipped({ ...CONTENTS, "places.json": JSON.stringify({ places }) })).entries.filter((tag) =>
        ["Place", "Unusable"].includes(tag)
      )
    expect(tagsOf(odd)).toEqual(odd.map(() => "Unusable"))
    expect(tagsOf(usable)).toEqual(["Place", "Place"])
  })

  it("an entry that cannot be used is counted, and the others come [imports-3]", () => {
    const odd = {
      ...CONTENTS,
      "account.json": JSON.stringify({ notices: ["weekly", "monthly"] }),
      "places.json": JSON.stringify({ places: [{ ...PLACE, kind: "castle" }, PLACE, 7] }),
      "fixes.jsonl": `not json\n{}\n${JSON.stringify(FIX)}`
    }
    expect(tags(zipped(odd)).entries).toEqual([
      "Notice",
      "Place",
      "Reading",
      "Unusable",
      "Unusable",
      "Unusable",
      "Unusable",
      "Unusable",
      "Visit"
    ])
  })
})
