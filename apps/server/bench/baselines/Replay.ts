import { createHash, randomBytes } from "node:crypto"
import type pg from "pg"
import * as People from "../harness/People.js"
import type { Statement } from "../harness/statements.js"

/**
 * Runs recorded statements, as prepared statements. The product sent them for person 0, and the replay sends them for
 * person `n`. Three kinds of parameters change. An id or token of person 0 becomes the id or token of person `n`. A
 * generated id becomes a new random id. A time moves forward by the time that has passed since the recording, so that
 * it is as far from the replay as the recorded time was from the recording. The product combines simultaneous requests
 * into one statement when its parameters are arrays (`unnest`). The replay does the same: its simultaneous runs share
 * such a statement.
 */
export interface Replay {
  /** Runs all statements for person `n`, one after the other. Returns the rows of each statement. */
  readonly run: (n: number) => Promise<ReadonlyArray<ReadonlyArray<Row>>>
}

export type Row = Readonly<Record<string, unknown>>

type Value = string | number | null
/** Makes one parameter of a statement for person `n`. */
type Maker = (n: number) => Value

export const make = (pool: pg.Pool, statements: ReadonlyArray<Statement>): Replay => {
  const steps = statements.map((statement, index) => step(pool, statement, `s${index}`))
  return {
    run: async (n) => {
      const results: Array<ReadonlyArray<Row>> = []
      for (const one of steps) results.push(await one(n))
      return results
    }
  }
}

type Step = (n: number) => Promise<ReadonlyArray<Row>>

const step = (pool: pg.Pool, { text, values }: Statement, name: string): Step => {
  const lists = values.map((value) => (/\bunnest\s*\(/i.test(text) ? elements(value) : undefined))
  if (lists.every((list) => list === undefined)) {
    const makers = values.map(maker)
    return async (n) => (await pool.query({ name, text, values: makers.map((make) => make(n)) })).rows as Array<Row>
  }
  const makers = values.map((value, index) => maker(lists[index]?.[0] ?? (lists[index] === undefined ? value : null)))
  return shared(async (batch) => {
    const parameters = makers.map((make, index) => (lists[index] === undefined ? make(batch[0] ?? 0) : batch.map(make)))
    return (await pool.query({ name, text, values: parameters })).rows as Array<Row>
  })
}

/**
 * Makes a step whose calls can share a statement. All calls that arrive while a statement is in flight are sent in the
 * next statement.
 */
const shared = (write: (batch: ReadonlyArray<number>) => Promise<ReadonlyArray<Row>>): Step => {
  let waiting: Array<{
    readonly n: number
    readonly resolve: (rows: ReadonlyArray<Row>) => void
    readonly reject: (error: unknown) => void
  }> = []
  let isBusy = false
  const flush = async () => {
    isBusy = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const rows = await write(batch.map(({ n }) => n))
        batch.forEach(({ resolve }, index) => resolve(rows.slice(index, index + 1)))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isBusy = false
  }
  return (n) =>
    new Promise((resolve, reject) => {
      waiting.push({ n, resolve, reject })
      // Waits for a microtask, so that all calls that one callback makes share a statement.
      if (!isBusy) queueMicrotask(() => (isBusy ? undefined : flush()))
    })
}

/**
 * Reads an array parameter in the text form of PostgreSQL, `{…}`, and returns its elements. Reads only arrays with one
 * element; returns undefined for every other text.
 */
const elements = (value: string | null): ReadonlyArray<string | null> | undefined => {
  const inner = value === null ? undefined : /^\{(?:"((?:[^"\\]|\\.)*)"|([^",]*))\}$/.exec(value)
  if (inner === null || inner === undefined) return undefined
  const [, quoted, bare] = inner
  return [quoted === undefined ? (bare === "NULL" ? null : (bare ?? "")) : quoted.replaceAll(/\\(.)/g, "$1")]
}

const hash = (token: string): string => createHash("sha256").update(token).digest("hex")

const OF_PERSON: ReadonlyArray<(n: number) => string> = [
  People.user,
  People.connection,
  People.place,
  People.device,
  (n) => `connection ${People.connection(n)}`,
  (n) => `device ${People.device(n)}`,
  (n) => hash(People.accessToken(n)),
  (n) => hash(People.refreshToken(n)),
  (n) => hash(People.deviceToken(n))
]
const ID = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{24}$/
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/

const recordedAt = Date.now()

const maker = (value: string | null): Maker => {
  if (value === null) return () => null
  const own = OF_PERSON.find((of) => of(0) === value)
  if (own !== undefined) return own
  const [, prefix] = ID.exec(value) ?? []
  if (prefix !== undefined) return () => `${prefix}_${randomBytes(12).toString("hex")}`
  if (MOMENT.test(value)) {
    const ago = recordedAt - Date.parse(value)
    return () => new Date(Date.now() - ago).toISOString()
  }
  return () => value
}
