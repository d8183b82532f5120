import pg from "pg"
import { listParameter } from "./ListParameter.js"

/** As `pg` turns parameters into text, or bytes into bytes. */
const { prepareValue } = (pg as unknown as { readonly utils: { readonly prepareValue: (value: unknown) => unknown } })
  .utils

const PARSE = 0x50
const BIND = 0x42
const NO_PORTAL = 0
/** Of the portal without a name, which each Bind makes anew. */
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, NO_PORTAL])
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, NO_PORTAL, 0, 0, 0, 0])
const SYNC = Buffer.from([0x53, 0, 0, 0, 4])

const ROOM = 16 * 1_024
/** A buffer that a large statement needed is not kept. */
const ROOM_KEPT = 1_024 * 1_024
/** Texts so short are written here: a call into the runtime costs more. */
const SHORT = 40

/**
 * What a client sends (PostgreSQL's "Message Formats", protocol 3.0), one message behind the other, to be sent in one piece: `pg` makes
 * several buffers for each statement, and the stream an entry for each of them.
 */
export class Frontend {
  private bytes = Buffer.allocUnsafe(ROOM)
  private end = 0

  /** Prepares `text` under `name`; the empty name is anybody's. */
  parse(name: string, text: string): void {
    const start = this.begin(PARSE)
    this.cString(name)
    this.cString(text)
    this.int16(0)
    this.finish(start)
  }

  /** Throws what `pg` throws for values that have no text. */
  bind(name: string, values: ReadonlyArray<unknown>): void {
    const start = this.begin(BIND)
    this.cString("")
    this.cString(name)
    const prepared = values.map(parameter)
    if (prepared.some(Buffer.isBuffer)) {
      this.int16(prepared.length)
      for (const value of prepared) this.int16(Buffer.isBuffer(value) ? 1 : 0)
    } else this.int16(0)
    this.int16(prepared.length)
    for (const value of prepared) this.parameter(value)
    this.int16(0)
    this.finish(start)
  }

  describe(): void {
    this.copy(DESCRIBE)
  }

  execute(): void {
    this.copy(EXECUTE)
  }

  sync(): void {
    this.copy(SYNC)
  }

  /** All since the last time. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.end))
    this.clear()
    return taken
  }

  clear(): void {
    this.end = 0
    if (this.bytes.length > ROOM_KEPT) this.bytes = Buffer.allocUnsafe(ROOM)
  }

  private room(length: number): void {
    if (this.end + length <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.bytes.length + length))
    this.bytes.copy(larger, 0, 0, this.end)
    this.bytes = larger
  }

  private begin(type: number): number {
    this.room(5)
    const start = this.end
    this.bytes[start] = type
    this.end = start + 5
    return start
  }

  /** The length counts itself and not the type. */
  private finish(start: number): void {
    this.bytes.writeInt32BE(this.end - start - 1, start + 1)
  }

  private int16(value: number): void {
    this.room(2)
    this.bytes[this.end++] = value >> 8
    this.bytes[this.end++] = value
  }

  private copy(other: Buffer): void {
    this.room(other.length)
    this.end += other.copy(this.bytes, this.end)
  }

  private cString(text: string): void {
    this.text(text)
    this.room(1)
    this.bytes[this.end++] = 0
  }

  private parameter(value: string | Buffer | null): void {
    this.room(4)
    const start = this.end
    this.end += 4
    if (value === null) return void this.bytes.writeInt32BE(-1, start)
    if (typeof value === "string") this.text(value)
    else this.copy(value)
    this.bytes.writeInt32BE(this.end - start - 4, start)
  }

  private text(text: string): void {
    // In UTF-8 a unit of a string takes three bytes at most.
    this.room(3 * text.length)
    const { bytes, end } = this
    if (text.length <= SHORT) {
      let at = 0
      for (; at < text.length; at++) {
        const unit = text.charCodeAt(at)
        if (unit > 0x7f) break
        bytes[end + at] = unit
      }
      if (at === text.length) {
        this.end = end + at
        return
      }
    }
    this.end = end + bytes.write(text, end, "utf8")
  }
}

const parameter = (value: unknown): string | Buffer | null => {
  if (typeof value === "string") return value
  if (value === null || value === undefined) return null
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  const list = Array.isArray(value) ? listParameter(value) : undefined
  return list ?? (prepareValue(value) as string | Buffer | null)
}
