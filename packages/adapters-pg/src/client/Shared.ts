import { Effect } from "effect"
import type pg from "pg"
import type { Asked } from "../postgres/Exchange.js"
import { NamingClient } from "../postgres/NamingClient.js"
import { answered, noConnection, refused, type Run } from "./Run.js"

/** Up to so many statements under way a second connection would save less than it costs: each write wakes a process of the server. */
const DEPTH_GOOD = 16
/** When all have so many, what comes goes its own way. */
const DEPTH_MAX = 64

/**
 * Short reads of requests in flight on few connections: those of one turn of the event loop are one exchange, and exchanges do not wait
 * for each other's answers. Nothing that locks, waits, writes or takes long belongs here: it would hold up the others. An
 * interrupted one is let run, it is over in no time.
 */
export const shared = (pool: pg.Pool, linesMax: number, alone: Run): Run => {
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

interface Waiting extends Asked {
  readonly refuse: (error: unknown) => void
}

/** A connection of the pool for as long as somebody asks something of it. */
class Line {
  inFlight = 0

  private readonly pool: pg.Pool
  private client: NamingClient | undefined
  private leave: () => void
  private waiting: Array<Waiting> = []
  private isCalled = false

  /** `leave`: nobody is to come any more. */
  constructor(pool: pg.Pool, leave: () => void) {
    this.pool = pool
    this.leave = () => {
      this.leave = () => {}
      leave()
    }
  }

  ask(asked: Waiting): void {
    this.inFlight++
    this.waiting.push(asked)
    if (this.isCalled) return
    this.isCalled = true
    // A pool that has ended says so at once: whoever asked must be waiting by then.
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
    const asked = this.taken().map(({ done, text, values }) => ({
      text,
      values,
      done: (error: Error | null, result: pg.QueryResult) => {
        done(error, result)
        this.inFlight--
        if (this.inFlight === 0) setImmediate(this.rest)
      }
    }))
    this.client?.send(asked, true)
  }

  /** Whoever was answered may ask the next thing at once: the connection is given back a turn later. */
  private readonly rest = (): void => {
    const { client } = this
    if (this.inFlight > 0 || client === undefined) return
    this.client = undefined
    this.leave()
    client.off("error", this.onError)
    ;(client as NamingClient & Pick<pg.PoolClient, "release">).release()
  }

  /** Those under way are told by the driver. */
  private readonly onError = (): void => this.leave()
}
