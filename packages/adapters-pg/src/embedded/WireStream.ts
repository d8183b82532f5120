import { Duplex } from "node:stream"
import { callbackify } from "node:util"
import * as Wire from "./Wire.js"

/** The part of the embedded database's session (`PgliteSession`) that a client connection uses. */
export interface Backend {
  readonly serverVersion: string
  /** Queues a stream that has a whole request ready. */
  readonly schedule: (stream: WireStream) => void
  /** Removes the stream of a client that is gone, and rolls its open transaction back. */
  readonly abandon: (stream: WireStream) => Promise<void>
}

/**
 * The types of messages that end a request: after one of these, the server works and answers. The stream collects all
 * other messages.
 */
const ENDS_REQUEST: ReadonlySet<number | undefined> = new Set([
  Wire.Client.query,
  Wire.Client.sync,
  Wire.Client.flush,
  Wire.Client.copyDone,
  Wire.Client.copyFail
])

/**
 * One client connection to the embedded database, in place of a socket. It cuts the bytes that the driver writes into
 * requests, which the session runs one by one.
 */
export class WireStream extends Duplex {
  /** False while a transaction is open, and while the server waits for the rest of a request. */
  idle = true

  private readonly backend: Backend
  private readonly requests: Array<Buffer> = []
  private readonly collected: Array<Buffer> = []
  private rest: Buffer = Buffer.alloc(0)
  private started = false

  constructor(backend: Backend) {
    super()
    this.backend = backend
  }

  hasRequest(): boolean {
    return this.requests.length > 0
  }

  nextRequest(): Buffer | undefined {
    return this.requests.shift()
  }

  deliver(bytes: Buffer): void {
    if (!this.destroyed && !this.readableEnded) this.push(bytes)
  }

  /** The other members of net.Socket that `pg` uses. */
  connect(): this {
    queueMicrotask(() => this.emit("connect"))
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  override _read(): void {
    // Nothing to do: `deliver` pushes the bytes when they arrive, and the driver reads them immediately.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    for (let message = this.takeMessage(); message !== undefined; message = this.takeMessage()) {
      if (this.started) this.receive(message)
      else this.startUp(message)
    }
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.leave(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.leave((failure) => done(error ?? failure))
  }

  private leave(done: (error: Error | null) => void): void {
    callbackify(() => this.backend.abandon(this))(done)
    if (!this.destroyed) this.push(null)
  }

  /** Removes the next whole message from the received bytes and returns a copy. */
  private takeMessage(): Buffer | undefined {
    const lengthAt = this.started ? 1 : 0
    if (this.rest.length < lengthAt + 4) return undefined
    const end = lengthAt + this.rest.readInt32BE(lengthAt)
    if (this.rest.length < end) return undefined
    const message = Buffer.from(this.rest.subarray(0, end))
    this.rest = this.rest.subarray(end)
    return message
  }

  /** Delivers the answer in a microtask: the driver does not expect an answer before its write has returned. */
  private answer(bytes: Buffer): void {
    queueMicrotask(() => this.deliver(bytes))
  }

  private startUp(message: Buffer): void {
    const code = message.readInt32BE(4)
    if (code === Wire.SSL_REQUEST || code === Wire.GSS_REQUEST) return this.answer(Buffer.from("N"))
    if (code === Wire.CANCEL_REQUEST) return void this.push(null)
    this.started = true
    this.answer(Wire.welcome(this.backend.serverVersion))
  }

  private receive(message: Buffer): void {
    if (message[0] === Wire.Client.terminate) return void this.end()
    if (isCancel(message)) return this.answer(Wire.completed("SELECT 0"))
    this.collected.push(message)
    if (!ENDS_REQUEST.has(message[0])) return
    this.requests.push(Buffer.concat(this.collected.splice(0)))
    this.backend.schedule(this)
  }
}

/**
 * Whether a message is a cancel request, which the stream answers without passing it to the session. `@effect/sql-pg`
 * cancels an interrupted query from a second connection. The embedded database has one session only, so the cancel
 * request would wait for the transaction that it should end, and the interruption would take longer.
 */
const isCancel = (message: Buffer): boolean =>
  message[0] === Wire.Client.query && message.toString("latin1", 5, 30).startsWith("SELECT pg_cancel_backend(")
