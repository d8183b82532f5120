import { ArchiveFormat } from "@place-access/domain/exports"
import type { Entry, Import } from "@place-access/domain/imports"
import { Either, Schema } from "effect"
import { createHash, type Hash } from "node:crypto"
import { entriesOf, type EntryReader } from "./ArchiveEntries.js"
import { slices, STEP_BYTES, type StepReader, type Steps } from "./Steps.js"
import * as ZipDirectory from "./ZipDirectory.js"
import * as ZipStream from "./ZipStream.js"

/** The largest manifest that is read. Even a manifest of ten thousand files is smaller. */
const MAX_MANIFEST_BYTES = 4_194_304
const MANIFEST = "manifest.json"

/**
 * Reads an archive that this service made (`@place-access/domain/exports`), three times: first for the list of files at
 * its end, then for their checksums, and last for its entries. So nothing is stored of an archive that was changed,
 * that another version wrote, or that was made to harm its reader (decision exports-7). The archive may expand to at
 * most `most` bytes.
 */
export const open = (most: number): StepReader => {
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null
  let phase: Phase = finding(most)

  return {
    format: () => format,
    push: function* (bytes) {
      try {
        if (fault === null) yield* phase.push(bytes)
      } catch (error) {
        fault = faultOf(error)
      }
      return { fault }
    },
    end: function* () {
      let next: Phase | undefined
      try {
        if (fault === null) next = phase.end()
      } catch (error) {
        fault = faultOf(error)
      }
      if (next === undefined) return { fault }
      phase = next
      if (next.isLast) format = "own_archive"
      return { fault, needsAnotherPass: true }
    }
  }
}

/**
 * One pass over the whole archive. `end` returns the next pass, or undefined after the last one. `push` and `end` may
 * throw.
 */
interface Phase {
  readonly isLast: boolean
  readonly push: (bytes: Uint8Array) => Steps<void>
  readonly end: () => Phase | undefined
}

class Refused extends Error {
  readonly fault: Import.ImportFault

  constructor(fault: Import.ImportFault) {
    super(fault)
    this.fault = fault
  }
}

const faultOf = (error: unknown): Import.ImportFault => {
  if (error instanceof Refused) return error.fault
  return error instanceof ZipStream.UnsafeArchive ? "unsafe_archive" : "damaged_archive"
}

/** The first pass: keeps the end of the archive, which contains the list of files. */
const finding = (most: number): Phase => {
  let tail: Uint8Array = new Uint8Array(0)
  let length = 0
  return {
    isLast: false,
    push: function* (bytes) {
      length += bytes.length
      const all = Buffer.concat([tail, bytes])
      tail = all.subarray(Math.max(0, all.length - ZipDirectory.TAIL_BYTES))
    },
    end: () => {
      const files = ZipDirectory.read(tail, length)
      if (Either.isLeft(files)) throw new Refused(files.left === "damaged" ? "damaged_archive" : files.left)
      if (!files.right.some(({ name }) => name === MANIFEST)) throw new Refused("foreign_archive")
      return checking(files.right, most)
    }
  }
}

/** The second pass over an archive: computes each file's checksum, and compares the checksums with the manifest. */
const checking = (files: ReadonlyArray<ZipDirectory.ZipFile>, most: number): Phase => {
  const found = new Map<string, { readonly bytes: number; readonly sha256: string }>()
  let manifest: Array<Uint8Array> = []
  let manifestBytes = 0
  let name = ""
  let bytes = 0
  let hash: Hash = createHash("sha256")
  const zip = ZipStream.open(files, most, {
    begin: (file) => {
      name = file.name
      bytes = 0
      hash = createHash("sha256")
    },
    bytes: function* (piece) {
      bytes += piece.length
      hash.update(piece)
      if (name !== MANIFEST) return
      manifestBytes += piece.length
      if (manifestBytes > MAX_MANIFEST_BYTES) throw new ZipStream.UnsafeArchive()
      manifest.push(piece.slice())
    },
    end: function* () {
      found.set(name, { bytes, sha256: hash.digest("hex") })
    }
  })
  return {
    isLast: false,
    push: zip.push,
    end: () => {
      if (!zip.isComplete()) throw new Error("the archive ends in the middle")
      const { files: listed } = parseManifest(Buffer.concat(manifest).toString("utf8"))
      manifest = []
      const isSame =
        listed.length === found.size - 1 &&
        listed.every((file) => {
          const one = found.get(file.name)
          return file.name !== MANIFEST && one?.bytes === file.bytes && one.sha256 === file.sha256
        })
      if (!isSame) throw new Refused("wrong_checksum")
      return reading(files, most)
    }
  }
}

const decodeHead = Schema.decodeUnknownEither(Schema.parseJson(ArchiveFormat.ManifestHead))
const decodeManifest = Schema.decodeUnknownEither(Schema.parseJson(ArchiveFormat.Manifest))

const parseManifest = (text: string): ArchiveFormat.Manifest => {
  const head = decodeHead(text)
  if (Either.isLeft(head) || head.right.format !== ArchiveFormat.FORMAT) throw new Refused("foreign_archive")
  if (head.right.version !== ArchiveFormat.VERSION) throw new Refused("other_version")
  const manifest = decodeManifest(text)
  if (Either.isLeft(manifest)) throw new Refused("damaged_archive")
  return manifest.right
}

/**
 * The third pass: reads the entries of the files that an import restores, and skips the others. Consent, for example,
 * is not transferable.
 */
const reading = (files: ReadonlyArray<ZipDirectory.ZipFile>, most: number): Phase => {
  let entries: Array<Entry.ImportEntry> = []
  let reader: EntryReader | undefined
  const taken = (): ReadonlyArray<Entry.ImportEntry> => {
    const found = entries
    entries = []
    return found
  }
  const zip = ZipStream.open(files, most, {
    begin: ({ name }) => {
      reader = entriesOf(name, (entry) => void entries.push(entry))
    },
    bytes: function* (piece) {
      for (const slice of slices(piece, STEP_BYTES)) {
        reader?.push(slice)
        yield taken()
      }
    },
    end: function* () {
      reader?.end()
      yield taken()
    }
  })
  return {
    isLast: true,
    push: zip.push,
    end: () => undefined
  }
}
