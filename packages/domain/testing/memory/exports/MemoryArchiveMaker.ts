import { Encoding, Layer } from "effect"
import { ArchiveMaker } from "../../../src/exports/ArchiveMaker.js"
import { sha256 } from "../vault/Sha256.js"
import * as Utf8 from "../vault/Utf8.js"

/** One file of an archive in memory. */
export interface MemoryFile {
  readonly name: string
  readonly text: string
}

/**
 * Writes archives that tests can read: one line of JSON for each file. Nothing is compressed, so the number of pieces
 * depends only on the contents.
 */
export const layer: Layer.Layer<ArchiveMaker> = Layer.succeed(ArchiveMaker, {
  open: () => {
    let name = ""
    let text = ""
    let out = ""
    return {
      begin: (begun) => {
        name = begun
        text = ""
      },
      write: (more) => {
        text += more
      },
      end: () => {
        const bytes = Utf8.encode(text)
        const file: MemoryFile = { name, text }
        out += `${JSON.stringify(file)}\n`
        return { bytes: bytes.length, sha256: Encoding.encodeHex(sha256(bytes)) }
      },
      close: () => undefined,
      take: () => {
        const taken = Utf8.encode(out)
        out = ""
        return taken
      }
    }
  }
})

/** The files of an archive that `layer` wrote. */
export const read = (archive: Uint8Array): ReadonlyArray<MemoryFile> =>
  Utf8.decode(archive)
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as MemoryFile]))
