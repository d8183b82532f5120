import { Effect } from "effect"
import type pg from "pg"
import { answered, type NameOf, noConnection, queryOf, refused, type Run } from "./Run.js"

/** Up to so many statements under way a second connection would save less than it costs: each write wakes a process of the server. */
const DEPTH_GOOD = 16
/** When all have so many, what comes goes its own way. */
const DEPTH_MAX = 64

/**
 * Short reads of requests in flight on few connections: they are sent together, without waiting for each other's answers, and the
 * server works them off in order. Nothing that locks, waits or takes long belongs here: it would hold up the others. An interrupted
 * one is let run, it is over in no time.
 */
export const shared = (pool: pg.Pool, linesMax: number, nameOf: NameOf, alone: Run): Run => {
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
    return Effect.async((resume) => {
      line.ask({
        query: queryOf(nameOf, text, params),
        answer: (error, result) => resume(error === null ? answered(result, picked) : refused(error)),
        refuse: (error) => resume(noConnection(error))
      })
    })
  }
}

interface Asked {
  readonly query: pg.QueryConfig
  readonly answer: (error: Error | null, result: pg.QueryResult) => void
  readonly refuse: (error: unknown) => void
}

/** A connection of the pool for as long as somebody asks something of it. */
class Line {
  inFlight = 0

  private readonly pool: pg.Pool
  private client: pg.PoolClient | undefined
  private leave: () => void
  private readonly waiting: Array<Asked> = []
  private collecting = false

  /** `leave`: nobody is to come any more. */
  constructor(pool: pg.Pool, leave: () => void) {
    this.pool = pool
    this.leave = () => {
      this.leave = () => {}
      leave()
    }
  }

  ask(asked: Asked): void {
    this.inFlight++
    if (this.client !== undefined) return this.send(this.client, asked)
    // A pool that has ended says so at once: whoever asked must be waiting by then.
    if (this.waiting.push(asked) === 1) this.connect()
  }

  private connect(): void {
    this.pool.connect((error, client) => {
      const waiting = this.waiting.splice(0)
      if (client === undefined) {
        this.leave()
        for (const asked of waiting) asked.refuse(error)
        return
      }
      this.client = client
      client.once("error", this.onError)
      for (const asked of waiting) this.send(client, asked)
    })
  }

  private send(client: pg.PoolClient, { answer, query }: Asked): void {
    this.collect(client)
    client.query(query, (error: Error | null, result: pg.QueryResult) => {
      answer(error, result)
      this.inFlight--
      if (this.inFlight === 0) this.rest(client)
    })
  }

  /** What is asked in this turn of the event loop goes out in one write. */
  private collect(client: pg.PoolClient): void {
    if (this.collecting) return
    this.collecting = true
    const { stream } = client.connection
    stream.cork()
    setImmediate(() => {
      this.collecting = false
      stream.uncork()
    })
  }

  /** Whoever was answered may ask the next thing at once: the connection is given back a turn later. */
  private rest(client: pg.PoolClient): void {
    setImmediate(() => {
      if (this.inFlight > 0 || this.client === undefined) return
      this.client = undefined
      this.leave()
      client.off("error", this.onError)
      client.release()
    })
  }

  /** Those under way are told by the driver. */
  private readonly onError = (): void => this.leave()
}
