import type { Import } from "@place-access/domain/imports"
import { Either } from "effect"
import type { Expansion } from "./Expansion.js"
import * as Members from "./Members.js"
import type { StepReader } from "./Steps.js"
import * as ZipDirectory from "./ZipDirectory.js"
import * as ZipStream from "./ZipStream.js"

/**
 * Reads the location files in a zip file of another program, such as a Takeout, a KMZ file, or a folder that somebody
 * packed. The reader passes over the bytes twice: first for the list of files at the end, then for the files. The
 * reader stops expanding a file when the first bytes show that the file has no locations (decision imports-9).
 */
export const open = (expansion: Expansion, openInner: (path: string) => StepReader): StepReader => {
  const members = Members.make(openInner)
  let fault: Import.ImportFault | null = null
  const tail = makeTail(ZipDirectory.FOREIGN_TAIL_BYTES)
  let zip: ReturnType<typeof ZipStream.open> | undefined

  const faultOf = (error: unknown): Import.ImportFault =>
    error instanceof ZipStream.UnsafeArchive ? "unsafe_archive" : "damaged"

  const begin = (): void => {
    const files = ZipDirectory.read(tail.bytes(), tail.length(), "foreign")
    if (Either.isLeft(files)) {
      fault = files.left === "unsafe_archive" ? "unsafe_archive" : "cut_off"
      return
    }
    tail.forget()
    zip = ZipStream.open(files.right, expansion.most, {
      begin: ({ rawName }) => {
        expansion.file()
        members.begin(rawName)
      },
      isWanted: members.isWanted,
      bytes: (bytes) => {
        expansion.unpacked(bytes.length)
        return members.bytes(bytes)
      },
      end: () => members.end()
    })
  }

  return {
    format: () => members.format(),
    push: function* (bytes) {
      try {
        if (fault === null && zip === undefined) tail.push(bytes)
        else if (fault === null && zip !== undefined) {
          expansion.packed(bytes.length)
          yield* zip.push(bytes)
        }
      } catch (error) {
        fault = faultOf(error)
      }
      return { fault }
    },
    end: function* () {
      if (zip !== undefined) {
        fault ??= zip.isComplete() ? members.fault() : "cut_off"
        return { fault }
      }
      try {
        if (fault === null) begin()
      } catch (error) {
        fault = faultOf(error)
      }
      return fault === null ? { fault, needsAnotherPass: true } : { fault }
    }
  }
}

/** Keeps the last bytes of a file, and counts the file's length. */
const makeTail = (most: number) => {
  let chunks: Array<Uint8Array> = []
  let [kept, length] = [0, 0]
  return {
    push: (bytes: Uint8Array): void => {
      chunks.push(bytes.slice())
      kept += bytes.length
      length += bytes.length
      for (let first = chunks[0]; first !== undefined && kept - first.length >= most; first = chunks[0]) {
        kept -= first.length
        chunks.shift()
      }
    },
    bytes: (): Uint8Array => Buffer.concat(chunks),
    length: (): number => length,
    forget: (): void => {
      chunks = []
      kept = 0
    }
  }
}
