import { describe, expect, it } from "vitest"
import * as Lines from "../../src/imports/Lines.js"

const MOST = 10

/** Reads a file in pieces of `size` bytes. */
const read = (file: string, size: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  const lines = Lines.open(MOST, (text) => found.push(text))
  const bytes = Buffer.from(file)
  for (let from = 0; from < bytes.length; from += size) lines.push(bytes.subarray(from, from + size))
  lines.end()
  return found
}

describe("lines of a file", () => {
  it.each([1, 3, 100])("of 10 bytes are read, and one of 11 is refused, in pieces of %i bytes", (size) => {
    expect(read("012345678\r\n\nab", size)).toEqual(["012345678", "", "ab"])
    expect(read("0123456789\nab\n", size)).toEqual(["0123456789", "ab"])
    expect(() => read("first\n0123456789a\nlast\n", size)).toThrow("too long")
  })

  it.each([1, 2, 3, 100])("end with a line feed, a carriage return or both, in pieces of %i bytes", (size) => {
    for (const end of ["\n", "\r", "\r\n"]) {
      expect(read(["ab", "", "0123456789", ""].join(end), size)).toEqual(["ab", "", "0123456789"])
      expect(read(["ab", "c"].join(end), size)).toEqual(["ab", "c"])
      expect(() => read(["ab", "0123456789a", ""].join(end), size)).toThrow("too long")
    }
    expect(read("a\r\r\nb\n\rc", size)).toEqual(["a", "", "b", "", "c"])
  })
})
