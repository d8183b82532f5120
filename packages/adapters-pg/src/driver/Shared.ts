import { Effect } from "effect"
import type pg from "pg"
import type { QueryRequest } from "./Exchange.js"
import { NamingClient } from "./NamingClient.js"
import { answered, isReadOnly, noConnection, refused, type RunStatement } from "./Run.js"

/**
 * A second connection is opened only when the first one has this number of statements in flight, because each
 * connection wakes another process of the server.
 */
const DEPTH_GOOD = 16
/**
 * When each shared connection has this number of statements in flight, a further statement gets a separate connection
 * of the pool.
 */
const DEPTH_MAX = 64

/**
 * Runs the short reads of all requests on a few shared connections. The reads of one turn of the event loop are one
 * exchange, and no exchange waits for the answers of an earlier one. A statement that locks, waits, writes or takes
 * long must not run here, because it would delay the reads of other requests. An interrupted read is not cancelled,
 * because it is short.
 */
export const shared = (pool: pg.Pool, linesMax: number, alone: RunStatement): RunStatement => {
  const lines: Array<Line> = []
  const lineFor = (): Line | undefined => {
    const roomy = lines.find((line) => line.inFlight < DEPTH_GOOD)
    if (roomy !== undefined) return roomy
    if (lines.length < linesMax) {
      const line = new Line(pool, () => void lines.splice(lines.indexOf(line), 1))
      lines.push(line)
      return line
    }
    return lines.find((line) => line.inFlight < DEPTH_MAX)
  }
  return (text, params, picked) => {
    const line = lineFor()
    if (line === undefined) return alone(text, params, picked)
    return Effect.async((resume) =>
      line.ask({
        text,
        values: params,
        done: (error, result) => resume(error === null ? answered(result, picked) : refused(error)),
        refuse: (error) => resume(noConnection(error))
      })
    )
  }
}

interface Waiting extends QueryRequest {
  readonly refuse: (error: unknown) => void
}

/** A connection that the pool has lent to this module while reads are in flight on it. */
class Line {
  inFlight = 0

  private readonly pool: pg.Pool
  private client: NamingClient | undefined
  private leave: () => void
  private waiting: Array<Waiting> = []
  private isCalled = false
  private isReadOnly = false

  /** This connection calls `leave` once. From then on, no further read may be sent over the connection. */
  constructor(pool: pg.Pool, leave: () => void) {
    this.pool = pool
    this.leave = () => {
      this.leave = () => {}
      leave()
    }
  }

  ask(read: Waiting): void {
    this.inFlight++
    this.waiting.push(read)
    if (this.isCalled) return
    this.isCalled = true
    // When the pool has ended, `connect` immediately refuses all reads that are in `waiting`. So the read must be in
    // that list before `connect` is called.
    if (this.client === undefined) this.connect()
    else setImmediate(this.send)
  }

  private connect(): void {
    this.pool.connect((error, client) => {
      if (!(client instanceof NamingClient)) {
        this.leave()
        for (const { refuse } of this.taken()) refuse(error)
        return
      }
      this.client = client
      client.once("error", this.onError)
      setImmediate(this.send)
    })
  }

  private taken(): ReadonlyArray<Waiting> {
    const { waiting } = this
    this.waiting = []
    this.isCalled = false
    return waiting
  }

  private readonly send = (): void => {
    const requests = this.taken().map(({ done, text, values }) => ({
      text,
      values,
      done: (error: Error | null, result: pg.QueryResult) => {
        done(error, result)
        if (isReadOnly(error)) {
          this.isReadOnly = true
          this.leave()
        }
        this.inFlight--
        if (this.inFlight === 0) setImmediate(this.rest)
      }
    }))
    this.client?.send(requests, true)
  }

  /**
   * Gives the connection back to the pool. This function runs one turn of the event loop after the last answer, because
   * a caller often sends its next statement immediately.
   */
  private readonly rest = (): void => {
    const { client } = this
    if (this.inFlight > 0 || client === undefined) return
    this.client = undefined
    this.leave()
    client.off("error", this.onError)
    ;(client as NamingClient & Pick<pg.PoolClient, "release">).release(this.isReadOnly)
  }

  /** No further read may join a broken connection. For the reads in flight, `pg` itself reports the failure. */
  private readonly onError = (): void => this.leave()
}
