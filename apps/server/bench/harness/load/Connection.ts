import { connect } from "node:net"
import type { Answer } from "./Script.js"

/**
 * A keep-alive connection with at most one request in flight. The connection implements only the part of HTTP that the
 * product's answers need, so that the client takes little time from the cores that it shares with the product. The
 * connection copies an answer only when the answer arrives in pieces.
 */
export interface Connection {
  /**
   * Sends a request. Calls `answered` when the whole answer has arrived. When the connection fails before, `answered`
   * is never called.
   */
  readonly send: (request: string, answered: (answer: Answer) => void) => void
  readonly close: () => void
}

/** The buffer into which all connections read. One buffer is enough, because each read is handled before the next. */
const INCOMING = Buffer.allocUnsafeSlow(64 * 1024)
const NOTHING = Buffer.alloc(0)

/** Opens a connection. Calls `failed` when the connection breaks, or when an `answered` callback throws. */
export const open = (port: number, failed: (error: Error) => void): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let waiting: ((answer: Answer) => void) | undefined
    let pending: Buffer = NOTHING
    let isOpen = false

    const read = (bytes: Buffer): void => {
      const answer = parse(bytes)
      if (answer === undefined) {
        // Copies the bytes, because the next read overwrites the buffer.
        pending = Buffer.from(bytes)
        return
      }
      pending = NOTHING
      const answered = waiting
      waiting = undefined
      answered?.(answer)
    }
    const socket = connect({
      host: "127.0.0.1",
      port,
      noDelay: true,
      onread: {
        buffer: INCOMING,
        callback: (length) => {
          const bytes = INCOMING.subarray(0, length)
          try {
            read(pending.length === 0 ? bytes : Buffer.concat([pending, bytes]))
          } catch (error) {
            failed(error instanceof Error ? error : new Error(String(error)))
          }
          return true
        }
      }
    })
    socket.on("error", (error) => (isOpen ? failed(error) : reject(error)))
    socket.on("close", () => {
      if (waiting !== undefined) failed(new Error("the server closed the connection"))
    })
    socket.once("connect", () => {
      isOpen = true
      resolve({
        send: (request, answered) => {
          waiting = answered
          socket.write(request, "latin1")
        },
        close: () => {
          waiting = undefined
          socket.destroy()
        }
      })
    })
  })

const HEAD_END = Buffer.from("\r\n\r\n")
const CONTENT_LENGTH = Buffer.from("content-length:")
const LINE_FEED = 0x0a
const [ZERO, NINE] = [0x30, 0x39]

/** The answer in the bytes; undefined until the whole answer has arrived. */
const parse = (bytes: Buffer): Answer | undefined => {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const status = numberAt(bytes, 9)
  const from = headEnd + HEAD_END.length
  const to = from + (status === 204 ? 0 : lengthIn(bytes, headEnd))
  return bytes.length < to ? undefined : new Whole(status, bytes, from, to)
}

class Whole implements Answer {
  readonly status: number
  private readonly bytes: Buffer
  private readonly from: number
  private readonly to: number

  constructor(status: number, bytes: Buffer, from: number, to: number) {
    this.status = status
    this.bytes = bytes
    this.from = from
    this.to = to
  }

  body(): string {
    return this.bytes.toString("utf8", this.from, this.to)
  }
}

const lengthIn = (bytes: Buffer, headEnd: number): number => {
  for (let at = 0; at < headEnd; at++) {
    if (bytes[at] === LINE_FEED && namesLength(bytes, at + 1)) return numberAt(bytes, at + 1 + CONTENT_LENGTH.length)
  }
  throw new Error(`an answer without a length:\n${bytes.toString("latin1", 0, headEnd)}`)
}

/**
 * Whether the header that starts at `at` is Content-Length, in upper or lower case. Setting bit 0x20 makes an
 * upper-case letter lower-case, and makes no other byte a letter.
 */
const namesLength = (bytes: Buffer, at: number): boolean => {
  for (let index = 0; index < CONTENT_LENGTH.length; index++) {
    if (((bytes[at + index] ?? 0) | 0x20) !== CONTENT_LENGTH[index]) return false
  }
  return true
}

/** The number that starts at `at`, after any spaces. */
const numberAt = (bytes: Buffer, at: number): number => {
  let index = at
  while (bytes[index] === 0x20) index++
  let value = 0
  for (; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    if (byte < ZERO || byte > NINE) break
    value = value * 10 + byte - ZERO
  }
  return value
}
