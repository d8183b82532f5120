import { type ArchiveWriter, ArchiveMaker } from "@place-access/domain/exports"
import type { Timestamp } from "@place-access/domain/shared"
import { Layer } from "effect"
import { Zip, ZipDeflate } from "fflate"
import { createHash, type Hash } from "node:crypto"

/** The usual level of compression. A higher level takes twice as long and saves a few percent. */
const LEVEL = 6

interface OpenFile {
  readonly part: ZipDeflate
  readonly hash: Hash
  bytes: number
}

/**
 * Writes a zip file that every program for zip files can open. Only the compressed bytes since the last `take` are in
 * memory.
 */
const open = (madeAt: Timestamp.Timestamp): ArchiveWriter => {
  let out: Array<Uint8Array> = []
  let file: OpenFile | undefined
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error
    out.push(bytes)
  })
  const present = (): OpenFile => {
    if (file === undefined) throw new Error("no file of the archive is open")
    return file
  }
  const utf8 = new TextEncoder()
  return {
    begin: (name) => {
      const part = new ZipDeflate(name, { level: LEVEL })
      part.mtime = madeAt
      zip.add(part)
      file = { part, hash: createHash("sha256"), bytes: 0 }
    },
    write: (text) => {
      const one = present()
      const bytes = utf8.encode(text)
      one.hash.update(bytes)
      one.bytes += bytes.length
      one.part.push(bytes)
    },
    end: () => {
      const { bytes, hash, part } = present()
      part.push(new Uint8Array(0), true)
      file = undefined
      return { bytes, sha256: hash.digest("hex") }
    },
    close: () => zip.end(),
    take: () => {
      const taken = Buffer.concat(out)
      out = []
      return taken
    }
  }
}

export const layer: Layer.Layer<ArchiveMaker> = Layer.succeed(ArchiveMaker, { open })
