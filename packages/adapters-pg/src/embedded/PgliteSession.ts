import type { PGlite } from "@electric-sql/pglite"
import { PreparedStatements } from "./PreparedStatements.js"
import * as Wire from "./Wire.js"
import { WireStream, type Backend } from "./WireStream.js"

/**
 * How long a connection waits for another connection's transaction before its statement fails with the error of a
 * `lock_timeout`.
 */
const WAIT_LIMIT_MILLIS = 10_000

/**
 * PGlite runs in this thread, and its answers come without a turn of the event loop. So a caller that sends one
 * statement after another, such as a large upload, would keep Node from reading sockets. After the session has worked
 * for this time, it waits for one turn of the event loop.
 */
const TURN_MILLIS = 4

const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume))

/**
 * PGlite has one session, which this class shares between several connections. A connection owns the session from its
 * first request until the server reports that no transaction is open. The other connections queue, first come, first
 * served.
 */
export class PgliteSession implements Backend {
  readonly serverVersion: string

  private readonly db: PGlite
  private readonly waitLimitMillis: number
  private readonly streams = new Set<WireStream>()
  private readonly waiting = new Map<WireStream, NodeJS.Timeout>()
  private readonly statements = new PreparedStatements()
  private owner: WireStream | undefined
  private running = false
  private turnedAt = 0

  constructor(db: PGlite, serverVersion: string, waitLimitMillis: number = WAIT_LIMIT_MILLIS) {
    this.db = db
    this.serverVersion = serverVersion
    this.waitLimitMillis = waitLimitMillis
  }

  /** Whether a statement runs, a transaction is open, or a connection waits for its turn. */
  get isBusy(): boolean {
    return this.running || this.owner !== undefined || this.waiting.size > 0
  }

  /** Opens a connection. `pg` calls this function through its option `stream`. */
  readonly connect = (): WireStream => {
    const stream = new WireStream(this)
    this.streams.add(stream)
    return stream
  }

  schedule(stream: WireStream): void {
    if (this.owner !== stream && !this.waiting.has(stream)) {
      // Uses Node's timer. With Effect's clock, a caller would wait without a limit under a test clock that stands
      // still.
      // @effect-diagnostics-next-line globalTimers:off
      const timer = setTimeout(() => this.refuse(stream), this.waitLimitMillis)
      timer.unref()
      this.waiting.set(stream, timer)
    }
    void this.drain()
  }

  async abandon(stream: WireStream): Promise<void> {
    this.streams.delete(stream)
    this.leaveQueue(stream)
    if (this.owner !== stream) return
    if (!stream.idle) await this.rollBack()
    this.owner = undefined
    void this.drain()
  }

  private leaveQueue(stream: WireStream): void {
    clearTimeout(this.waiting.get(stream))
    this.waiting.delete(stream)
  }

  /**
   * Refuses the next request of a connection that waited too long for the transaction of another connection. The
   * connection gets the error of a lock time-out, after which callers may retry.
   */
  private refuse(stream: WireStream): void {
    this.leaveQueue(stream)
    if (stream.nextRequest() === undefined) return
    stream.deliver(Wire.refused("55P03", "another transaction held the embedded database for too long"))
    if (stream.hasRequest()) this.schedule(stream)
  }

  private async drain(): Promise<void> {
    if (this.running) return
    this.running = true
    try {
      for (let stream = this.nextOwner(); stream !== undefined; stream = this.nextOwner()) {
        const request = stream.nextRequest()
        if (request === undefined) {
          if (!stream.idle) return // a transaction is open, so wait for its next request
          this.owner = undefined
          continue
        }
        await this.serve(stream, request)
        if (performance.now() - this.turnedAt > TURN_MILLIS) {
          await turn()
          this.turnedAt = performance.now()
        }
      }
    } catch (error) {
      this.fail(error)
    } finally {
      this.running = false
    }
  }

  private nextOwner(): WireStream | undefined {
    if (this.owner === undefined) {
      const [next] = this.waiting.keys()
      if (next !== undefined) this.leaveQueue(next)
      this.owner = next
    }
    return this.owner
  }

  private async serve(stream: WireStream, request: Buffer): Promise<void> {
    const { messages, preparing } = this.statements.needed(request)
    const bytes = await this.run(messages)
    const { hasFailed, notifications, status } = Wire.readAnswer(bytes)
    this.statements.note(preparing, hasFailed)
    stream.idle = status === "I"
    stream.deliver(bytes)
    // LISTEN belongs to the session, so every connection gets every notification. `pg` ignores a notification on a
    // connection that did not listen.
    for (const other of this.streams) {
      if (other !== stream) for (const notification of notifications) other.deliver(notification)
    }
    if (!stream.idle) return
    // The connection goes to the end of the queue, so that a busy connection does not starve the others.
    this.owner = undefined
    if (stream.hasRequest()) this.schedule(stream)
  }

  private async run(request: Buffer): Promise<Buffer> {
    const chunks: Array<Buffer> = []
    await this.db.runExclusive(() =>
      this.db.execProtocolRawStream(request, {
        syncToFs: true,
        // The bytes are in WASM memory, which the next call overwrites, so they are copied.
        onRawData: (bytes) => void chunks.push(Buffer.from(bytes))
      })
    )
    return Buffer.concat(chunks)
  }

  /**
   * Rolls back the open transaction, if there is one. Sends Sync first: after a refused message the server ignores
   * every message up to the next Sync.
   */
  private async rollBack(): Promise<void> {
    const { status } = Wire.readAnswer(await this.run(Wire.sync))
    if (status !== "I") await this.run(Wire.query("ROLLBACK"))
  }

  /**
   * Ends the session after the database itself failed: every client gets the error and does not wait for an answer
   * forever.
   */
  private fail(error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error))
    this.owner = undefined
    for (const stream of this.streams) stream.destroy(cause)
  }
}
