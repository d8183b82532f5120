import { EventEmitter } from "node:events"

/** Gets each message of the server's: its type, and where in `bytes` it begins and ends, and what follows the length. */
export type Take = (type: number, bytes: Buffer, start: number, end: number) => boolean

const HEAD = 5

/**
 * Takes apart what the server sends. A message that `take` has no use for is passed on to whoever listens to `others`, whole, as the bytes
 * that came: that is how `pg` reads the rest.
 */
export class Backend {
  readonly others = new EventEmitter()
  private readonly take: Take
  /** Of a message that is not whole yet. */
  private pending: Array<Buffer> = []
  private pendingLength = 0
  /** So long must it be until there is something to read. */
  private needed = HEAD

  constructor(take: Take) {
    this.take = take
  }

  read(chunk: Buffer): void {
    let bytes = chunk
    if (this.pendingLength > 0) {
      this.pending.push(chunk)
      this.pendingLength += chunk.length
      if (this.pendingLength < this.needed) return
      bytes = Buffer.concat(this.pending, this.pendingLength)
      this.pending = []
      this.pendingLength = 0
    }
    let at = 0
    this.needed = HEAD
    while (bytes.length - at >= HEAD) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (end > bytes.length) {
        this.needed = end - at
        break
      }
      if (!this.take(bytes[at] as number, bytes, at + HEAD, end)) this.others.emit("data", bytes.subarray(at, end))
      at = end
    }
    if (at === bytes.length) return
    this.pending.push(bytes.subarray(at))
    this.pendingLength = bytes.length - at
  }
}
