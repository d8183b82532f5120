import { type Entry, FileKind, withMore } from "@place-access/domain/imports"
import { gzipSync, strToU8, zipSync } from "fflate"
import { SaxesParser } from "saxes"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Kml from "../../src/imports/Kml.js"
import { instant, moment, number, point } from "../../src/imports/Values.js"
import { tarFile } from "./packed.js"
import { short } from "./short.js"
import { inSteps, open, read, readAll, text } from "./support.js"

afterEach(() => void vi.restoreAllMocks())

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

describe("a text that is too long is no value", () => {
  const zeros = "0".repeat(200)
  it.each([
    ["a number", () => number(`${zeros}1`)],
    ["a point", () => point(`${zeros}1,2`)],
    ["a time with blanks", () => moment(`2020-01-01${" ".repeat(200)}00:00:00Z`)],
    ["a time", () => instant("T".repeat(200))],
    ["a moment", () => moment("T".repeat(200))]
  ])("%s: no regular expression sees it", (_, value) => {
    const seen = [vi.spyOn(RegExp.prototype, "test"), vi.spyOn(RegExp.prototype, "exec")]
    const found = value()
    const lengths = seen.flatMap(({ mock }) => mock.calls.map(([one]) => one.length))
    vi.restoreAllMocks()
    expect(found).toBeUndefined()
    expect(lengths.filter((length) => length >= 200)).toEqual([])
  })

  it("blanks around a value do not count", () => {
    const blanks = " ".repeat(200)
    expect(number(`${blanks}7${blanks}`)).toBe(7)
    expect(instant(`${blanks}1970-01-01T00:00:01Z`)).toBe(1_000)
    expect(moment(`1970-01-01 00:00:01${blanks}`)).toBe(1_000)
    expect(point(`${blanks}1, 2`)).toEqual({ lat: 1, lon: 2 })
  })
})

it("of a position in KML only three numbers are kept", () => {
  const entries: Array<Entry.ImportEntry> = []
  const kml = Kml.open((entry) => void entries.push(entry))
  const split = vi.spyOn(String.prototype, "split")
  kml.open("Track", {}, 3)
  kml.close("coord", `4.5 52.5 7${" 1".repeat(1_000)}`, 4)
  kml.close("when", "2020-01-01T00:00:00Z", 4)
  kml.close("Track", undefined, 3)
  kml.open("Placemark", {}, 3)
  kml.open("Point", {}, 4)
  kml.close("coordinates", `4.5,52.5,7${",1".repeat(1_000)}`, 5)
  kml.close("when", "2020-01-01T00:00:00Z", 5)
  kml.close("Placemark", undefined, 3)
  const longest = Math.max(...split.mock.results.map(({ value }) => (value as ReadonlyArray<string>).length))
  vi.restoreAllMocks()
  expect(entries.map(short)).toEqual(Array.from({ length: 2 }, () => "2020-01-01T00:00:00Z 52.5 4.5 - 7 - -"))
  expect(longest).toBe(3)
})

describe("an XML file whose every character costs the parser an error [imports-4, imports-14]", () => {
  const gpx = (device: string): string =>
    `<!DOCTYPE gpx><gpx><trk><device_id>${device}</device_id><trkpt lat="1" lon="2"><time>2020-01-01T00:00:01Z</time></trkpt></trk></gpx>`
  const errorsIn = (content: string) => {
    const fails = vi.spyOn(SaxesParser.prototype, "fail")
    const { entries, fault } = text(content)
    const errors = fails.mock.calls.length
    vi.restoreAllMocks()
    const origins = entries.map((entry) => (entry._tag === "Reading" ? entry.origin : entry._tag))
    return { errors, fault, origins }
  }

  it("a reference to an entity of the document type stays text, and makes no error", () => {
    const names = "&lt;&amp;&a;&é.1;&constructor;&__proto__;&#65;"
    expect(errorsIn(gpx(names))).toEqual({
      errors: 0,
      fault: null,
      origins: ["<&&a;&é.1;&constructor;&__proto__;A"]
    })
    expect(errorsIn(gpx(`7</device_id><name>${"&a;".repeat(100_000)}</name><device_id>x`))).toEqual({
      errors: 0,
      fault: null,
      origins: ["x"]
    })
  })

  it.each([
    ["a reference without a name", "&;"],
    ["a reference that is no name", "&a b;"],
    ["a character that XML does not allow", "\u0001"]
  ])("%s: the file is damaged, and nothing is parsed after the first error", (_, wrong) => {
    expect(errorsIn(gpx(wrong.repeat(1_000)))).toEqual({ errors: 1, fault: "damaged", origins: [] })
  })

  it("a file that is cut off within many elements has one error", () => {
    expect(errorsIn(`<gpx>${"<a>".repeat(40)}`)).toEqual({ errors: 1, fault: "cut_off", origins: [] })
  })
})

it("of a FIT message with many empty fields, the fields are looked up once in its definition [imports-11, imports-14]", () => {
  const header = Buffer.alloc(12)
  header[0] = 12
  header.write(".FIT", 8, "latin1")
  const empty = Array.from({ length: 252 }, () => [200, 0, 0])
  const definition = Buffer.from([0x40, 0, 0, 20, 0, 255, ...empty.flat(), 253, 4, 0, 0, 4, 0, 1, 4, 0])
  const message = Buffer.alloc(13)
  message.writeUInt32LE(Date.UTC(2020, 0, 1) / 1_000 - 631_065_600, 1)
  const messages = Buffer.concat(Array.from({ length: 1_000 }, () => message))
  header.writeUInt32LE(definition.length + messages.length, 4)
  const looks = vi.spyOn(Array.prototype, "find")
  const { entries, fault } = read(Buffer.concat([header, definition, messages, Buffer.alloc(2)]))
  const calls = looks.mock.calls.length
  vi.restoreAllMocks()
  expect([fault, entries.length, ...new Set(entries.map(short))]).toEqual([
    null,
    1_000,
    "2020-01-01T00:00:00Z 0 0 - - - -"
  ])
  expect(calls).toBeLessThan(100)
})

const HEADER = "lat,lon,time,note"
const row = (second: number, note: string): string => `1,2,2020-01-01T00:00:0${second}Z,${note}`
const table = (...rows: ReadonlyArray<string>) => {
  const { entries, fault } = text(`${[HEADER, ...rows].join("\n")}\n`)
  return { fault, entries: entries.map(short) }
}
const readings = (...seconds: ReadonlyArray<number>) =>
  seconds.map((second) => `2020-01-01T00:00:0${second}Z 1 2 - - - -`)

describe("quotes in a table [imports-10]", () => {
  it("a quoted field over many lines is read in linear time", () => {
    const lines = Array.from({ length: 1_000 }, () => "x".repeat(50)).join("\n")
    const file = `${HEADER}\n${row(1, `"${lines}"`)}\n${row(2, "")}\n`
    const seen = [vi.spyOn(String.prototype, "trim"), vi.spyOn(String.prototype, "split")]
    const { entries, fault } = text(file)
    const characters = sum(seen.flatMap(({ mock }) => mock.contexts.map((one) => String(one).length)))
    vi.restoreAllMocks()
    expect([fault, entries.map(short)]).toEqual([null, readings(1, 2)])
    expect(characters).toBeLessThan(10 * file.length)
  })

  it("a quote within a field is a character like any other", () => {
    expect(table(row(1, '5" tyre'), row(2, "x"), row(3, '6" tyre'))).toEqual({
      fault: null,
      entries: readings(1, 2, 3)
    })
  })

  it("a quote that is never closed properly takes no rows with it", () => {
    const rows = [row(1, '"tyre'), row(2, "x"), row(3, '"y"'), row(4, "z")]
    expect(table(...rows)).toEqual({ fault: null, entries: readings(1, 2, 3, 4) })
  })

  it("blanks may stand around a quoted field", () => {
    expect(table(row(1, ' "a,\n""b""" '), row(2, "x"))).toEqual({ fault: null, entries: readings(1, 2) })
  })
})

it("a time of Google's that no clock can show makes only its own entry unusable", () => {
  const record = (millis: string): string => `{"latitudeE7":10000000,"longitudeE7":20000000,"timestampMs":"${millis}"}`
  const records = ["1577836801000", "1e300", "-1e17", "1577836802000"].map(record)
  const { entries, fault } = text(`{"locations":[${records.join(",")}]}`)
  const [first, second] = readings(1, 2)
  expect([fault, entries.map(short)]).toEqual([null, [first, "unusable", "unusable", second]])
})

describe("the header of a table may be longer than the first bytes of other files", () => {
  const columns = Array.from({ length: 150 }, (_, index) => `${"x".repeat(40)}${index}`)
  const wide = `\r\n${[...columns, "lat", "lon", "time"].join(",")}\n${",".repeat(150)}1,2,2020-01-01T00:00:01Z\n`
  const whole = {
    format: "csv",
    fault: null,
    entries: read(strToU8(`lat,lon,time\n1,2,2020-01-01T00:00:01Z\n`)).entries
  }

  it("the format of a table with a long header is found", () => {
    expect(FileKind.of(strToU8(wide))).toBe("csv")
  })

  it.each([[1], [100], [4_096], [100_000]])("it is read in pieces of %i bytes [imports-5-cut]", (length) => {
    expect(read(strToU8(wide), [length])).toEqual(whole)
    expect(read(gzipSync(strToU8(wide)), [length])).toEqual(whole)
  })

  it("a text without an end of its first line is refused after the longest line", () => {
    const reader = open()
    const faults = Array.from(
      { length: 20 },
      () => [...withMore(reader.push(strToU8("x".repeat(4_096))))].at(-1)?.fault
    )
    expect(faults.indexOf("not_ours")).toBe(15)
  })
})

describe("a packed file of many texts that are no tables [imports-14]", () => {
  const names = Array.from({ length: 200 }, (_, index) => `${"_".repeat(196)}${index}`)
  const members = Array.from({ length: 30 }, (_, index) => ({
    name: `${index}.csv`,
    content: strToU8(`${names.join(",")}\n`)
  }))

  it.each([
    ["tar in gzip", gzipSync(tarFile(members))],
    ["zip", zipSync(Object.fromEntries(members.map(({ content, name }) => [name, content])))]
  ])("%s: the names in the header of each text are compared once", (_, bytes) => {
    const seen = vi.spyOn(String.prototype, "toLowerCase")
    const { fault } = read(bytes, [16_384])
    const calls = seen.mock.calls.length
    vi.restoreAllMocks()
    expect(fault).toBe("nothing_inside")
    // The first 4 KiB of a long header are looked at before the whole header is there.
    expect(calls / members.length).toBeLessThan(1.2 * names.length)
  })

  it("tar in gzip: other work can run after each 64 KiB of small files", () => {
    const tar = tarFile(members)
    expect(inSteps(gzipSync(tar)).steps).toBeGreaterThan(tar.length / 65_536)
  })
})

describe("a packed file that expands to very many entries [imports-9]", () => {
  const rows = strToU8(`lat,lon,time\n${"1\n".repeat(500_000)}`)
  it.each([
    ["gzip", gzipSync(rows)],
    ["gzip in gzip", gzipSync(gzipSync(rows))],
    ["zip", zipSync({ "a.csv": rows })],
    ["gzip in tar", tarFile([{ name: "a.csv.gz", content: gzipSync(rows) }])]
  ])("%s: no step gives more of them than 64 KiB hold", (_name, bytes) => {
    const { largest, steps: _, ...rest } = inSteps(bytes)
    expect(rest).toEqual({ entries: 500_000, fault: null, format: "csv" })
    expect(largest).toBeLessThanOrEqual(32_768)
  })

  it("other work can run while a file is expanded that has no entries", () => {
    const photo = Uint8Array.from({ length: 300_000 }, (_, index) => (index * index * 31) >> 7)
    const packed = gzipSync(tarFile([{ name: "a.jpg", content: photo }]))
    const { fault, steps } = inSteps(packed)
    expect(fault).toBe("nothing_inside")
    expect(steps).toBeGreaterThan(packed.length / 4_096)
  })

  it.each([
    ["gzip", gzipSync(rows)],
    ["gzip in gzip", gzipSync(gzipSync(rows))],
    ["zip", zipSync({ "a.csv": rows })]
  ])("%s: beyond the bytes that the caller allows, it is refused", (_, bytes) => {
    const reader = open(undefined, rows.length / 2)
    expect(readAll(reader, bytes, [131_072]).fault).toBe("unsafe_archive")
  })

  // `part` is a text that gzip packs to a fortieth of its size. `parts` repeats it, and the outer file packs `parts`.
  const part = gzipSync(
    strToU8(
      `lat,lon,time\n${Array.from({ length: 40_000 }, (_, index) => (index * 7_919) % 97).join("\n".repeat(9))}\n`
    )
  )
  const parts = Buffer.concat(Array.from({ length: 200 }, () => Buffer.from(part)))
  it.each([
    ["gzip in gzip", gzipSync(parts, { level: 9 })],
    ["gzip in zip", zipSync({ "a.csv.gz": parts }, { level: 9 })],
    ["gzip in tar in gzip", gzipSync(tarFile([{ name: "a.csv.gz", content: parts }]), { level: 9 })]
  ])("%s: only the bytes of the upload count as packed", (_, bytes) => {
    expect(read(bytes, [131_072]).fault).toBe("unsafe_archive")
  })
})
