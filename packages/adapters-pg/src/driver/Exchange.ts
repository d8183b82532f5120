import pg from "pg"
import { columnTypes } from "./ColumnTypes.js"

/**
 * A statement and its callback. `done` is called once, with the result or the error, after all statements of the
 * exchange have ended.
 */
export interface QueryRequest {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly done: (error: Error | null, result: pg.QueryResult) => void
}

/** The statements that the server keeps prepared for one connection, by name. */
export interface StatementNames {
  readonly nameOf: (text: string) => string | undefined
  /**
   * Names that the server has prepared, or will have prepared when it has processed the sent messages. The value is the
   * exchange that prepares the name.
   */
  readonly prepared: Map<string, Sender>
  /**
   * Doubtful names:
   * - names of which it is unknown whether the server has prepared them, because the exchange that was to prepare the
   *   name failed at that statement or at an earlier one;
   * - names whose prepared statement is outdated (`OUTDATED`).
   */
  readonly doubtful: Set<string>
  /**
   * The columns of each named statement's result, so that a repeated statement needs no Describe. When a migration has
   * changed the columns, the server fails the statement (`OUTDATED`), and the entry is removed.
   */
  readonly shapes: Map<string, Shape>
}

/** Identifies an exchange without keeping its statements in memory. */
type Sender = symbol

type Field = Pick<pg.FieldDef, "name" | "dataTypeID">

/** The columns of a result, and the function that reads its rows. */
interface Shape {
  readonly fields: ReadonlyArray<Field>
  readonly read: (texts: ReadonlyArray<string | null>) => object
}

const shapeOf = (fields: ReadonlyArray<Field>): Shape => {
  const names = fields.map(({ name }) => name)
  const parsers = fields.map(({ dataTypeID }) => columnTypes.getTypeParser(dataTypeID))
  return {
    fields,
    // A plain loop, because it runs for every row.
    read: (texts) => {
      const row: Record<string, unknown> = {}
      for (let index = 0; index < names.length; index++) {
        const text = texts[index]
        row[names[index] as string] = typeof text === "string" ? parsers[index]?.(text) : null
      }
      return row
    }
  }
}

/** The result of one statement while it arrives. */
interface Answer {
  shape: Shape | undefined
  readonly rows: Array<object>
  tag: string
  /** The error of a row that could not be read. */
  failure: Error | undefined
}

/**
 * Sends statements a second time, either because the server skipped them after a failure, or because they failed only
 * because of their names.
 */
type Resend = (requests: ReadonlyArray<QueryRequest>) => void

/**
 * The SQLSTATE of a statement whose name the server has not prepared, for example because the exchange that was to
 * prepare the name failed.
 */
const UNKNOWN_NAME = "26000"

/**
 * The SQLSTATE of a prepared statement whose result columns a migration has changed. PostgreSQL also reports a feature
 * that it does not support with this SQLSTATE.
 */
const OUTDATED = "0A000"

export const NO_RESULT: pg.QueryResult = { command: "", rowCount: null, oid: 0, rows: [], fields: [] }
const NOTHING: Shape = { fields: [], read: () => ({}) }

/** The function of `pg` that converts a parameter to text or bytes. */
const { prepareValue } = (pg as unknown as { readonly utils: { readonly prepareValue: (value: unknown) => unknown } })
  .utils

/** In pipeline mode `pg` accepts only objects of its own query class. */
const Query = pg.Query as unknown as new (text: string) => object

/** The methods of `pg.Connection` that write the messages of the extended query protocol. */
interface Connection {
  readonly stream: { readonly cork: () => void; readonly uncork: () => void }
  readonly parse: (query: { readonly name: string; readonly text: string }) => void
  readonly bind: (config: { readonly statement: string; readonly values: ReadonlyArray<unknown> }) => void
  readonly describe: (of: { readonly type: "P"; readonly name: string }) => void
  readonly execute: (config: { readonly portal: string }) => void
  readonly close: (of: { readonly type: "S"; readonly name: string }) => void
  readonly sync: () => void
}

/**
 * Sends several statements in one write, with one Sync at the end. The server runs them in order and sends their
 * results together: in one write, unless the results are large. When one statement fails, the server skips the later
 * ones. Outside of a transaction block, all statements of the exchange are one transaction. Without this class, `pg`
 * sends a Sync after each statement: the server then sends each result in a separate write, and may commit after each
 * statement.
 *
 * The caller passes an exchange to `pg.Client.query`, which calls `submit` and the `handle…` methods.
 */
export class Exchange extends Query {
  private readonly requests: ReadonlyArray<QueryRequest>
  private readonly known: StatementNames
  private readonly resend: Resend | undefined
  private readonly sender: Sender = Symbol()
  private readonly names: Array<string | undefined> = []
  /**
   * For each statement, the exchange that prepared its name or was to prepare it; undefined for a statement without a
   * name.
   */
  private readonly reliesOn: Array<Sender | undefined> = []
  private readonly answers: Array<Answer>
  /** The index of the statement whose result is arriving. */
  private at = 0

  /**
   * Without `resend`, the statements after a failed statement fail with the same error. With `resend`, only the failed
   * statement fails, and `resend` sends the later statements a second time. A statement that failed only because of its
   * name (`blamesName`) is sent a second time too. So pass `resend` only with statements that are independent of each
   * other and write nothing.
   */
  constructor(requests: ReadonlyArray<QueryRequest>, known: StatementNames, resend?: Resend) {
    super("")
    this.requests = requests
    this.known = known
    this.resend = resend
    this.answers = requests.map(() => ({ shape: undefined, rows: [], tag: "", failure: undefined }))
  }

  submit(connection: Connection): Error | null {
    let values: ReadonlyArray<ReadonlyArray<unknown>>
    try {
      values = this.requests.map((one) => one.values.map(prepareValue))
    } catch (error) {
      // Nothing was sent: `pg` passes the returned error to `handleError`.
      return error as Error
    }
    connection.stream.cork()
    for (const [index, { text }] of this.requests.entries()) this.send(connection, index, text, values[index] ?? [])
    connection.sync()
    connection.stream.uncork()
    return null
  }

  private send(connection: Connection, index: number, text: string, values: ReadonlyArray<unknown>): void {
    const { doubtful, prepared, shapes } = this.known
    const name = this.known.nameOf(text)
    const statement = name ?? ""
    this.names.push(name)
    if (name === undefined || !prepared.has(name)) {
      // The server refuses to prepare a name twice, so a name that may be prepared already (`doubtful`) is closed
      // first. Closing an unknown name is no error.
      if (name !== undefined && doubtful.delete(name)) connection.close({ type: "S", name })
      connection.parse({ name: statement, text })
      if (name !== undefined) prepared.set(name, this.sender)
    }
    this.reliesOn.push(name === undefined ? undefined : prepared.get(name))
    connection.bind({ statement, values })
    const answer = this.answers[index] as Answer
    answer.shape = name === undefined ? undefined : shapes.get(name)
    if (answer.shape === undefined) connection.describe({ type: "P", name: "" })
    connection.execute({ portal: "" })
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<Field> }): void {
    const answer = this.answers[this.at]
    if (answer !== undefined) answer.shape = shapeOf(fields)
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    const answer = this.answers[this.at]
    if (answer === undefined || answer.failure !== undefined) return
    try {
      answer.rows.push((answer.shape ?? NOTHING).read(fields))
    } catch (error) {
      answer.failure = error as Error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const answer = this.answers[this.at]
    if (answer === undefined) return
    answer.tag = text
    this.over(answer)
  }

  /** `pg` calls this method for a text that contains no statement. */
  handleEmptyQuery(): void {
    const answer = this.answers[this.at]
    if (answer !== undefined) this.over(answer)
  }

  /**
   * Ends the result of the current statement. The server sends no RowDescription for a statement without columns, so
   * this method gives such a result its shape.
   */
  private over(answer: Answer): void {
    const name = this.names[this.at]
    answer.shape ??= NOTHING
    if (name !== undefined && !this.known.shapes.has(name)) this.known.shapes.set(name, answer.shape)
    this.at++
  }

  handleReadyForQuery(): void {
    for (const index of this.requests.keys()) this.tell(index)
  }

  /** An error of the server or of the connection. No further result arrives. */
  handleError(error: Error): void {
    this.forgetUnprepared()
    // An error that arrives after the last statement's result comes from the commit at the Sync, so all statements
    // fail. When the connection is lost, all of them fail too.
    const failed = error instanceof pg.DatabaseError && this.at < this.requests.length ? this.at : undefined
    for (let index = 0; index < (failed ?? 0); index++) this.tell(index)
    const isNameToBlame = failed !== undefined && this.blamesName(failed, (error as pg.DatabaseError).code)
    if (isNameToBlame) this.forget(this.names[failed], this.reliesOn[failed])
    if (failed === undefined || this.resend === undefined) {
      for (const { done } of this.requests.slice(failed)) done(error, NO_RESULT)
      return
    }
    if (!isNameToBlame) this.requests[failed]?.done(error, NO_RESULT)
    const left = this.requests.slice(isNameToBlame ? failed : failed + 1)
    if (left.length > 0) this.resend(left)
  }

  /** `pg` calls this method when a statement starts a COPY. This service sends no COPY. */
  handleCopyInResponse(connection: { readonly sendCopyFail: (why: string) => void }): void {
    connection.sendCopyFail("nothing is copied")
  }

  private tell(index: number): void {
    const { failure, rows, shape, tag } = this.answers[index] as Answer
    this.requests[index]?.done(failure ?? null, {
      command: tag.slice(0, wordEnd(tag)),
      rowCount: countOf(tag),
      oid: 0,
      rows,
      fields: (shape ?? NOTHING).fields as Array<pg.FieldDef>
    })
  }

  /**
   * Marks the names that this exchange was to prepare for the failed statement and the later statements as doubtful.
   * After a failure it is unknown whether the server has prepared these names.
   */
  private forgetUnprepared(): void {
    for (const name of this.names.slice(this.at)) this.forget(name, this.sender)
  }

  /**
   * Whether the statement failed only because of its name, so that preparing the name a second time may help. With
   * `OUTDATED`, this is true only if an earlier exchange prepared the name. If this exchange prepared it, the server
   * does not support the statement, and sending it would fail forever.
   */
  private blamesName(index: number, code: string | undefined): boolean {
    return code === UNKNOWN_NAME || (code === OUTDATED && this.isPreparedBefore(index))
  }

  private isPreparedBefore(index: number): boolean {
    const sender = this.reliesOn[index]
    return sender !== undefined && sender !== this.sender
  }

  /** Marks the name of a prepared statement as doubtful, unless a later exchange has prepared the name. */
  private forget(name: string | undefined, sender: Sender | undefined): void {
    if (name === undefined || this.known.prepared.get(name) !== sender) return
    this.known.prepared.delete(name)
    this.known.doubtful.add(name)
    // A migration may change the columns of the result before the statement is prepared under this name once more, so
    // the columns that this process knows are forgotten.
    this.known.shapes.delete(name)
  }
}

const wordEnd = (tag: string): number => {
  const space = tag.indexOf(" ")
  return space < 0 ? tag.length : space
}

/** The row count at the end of a command tag: 3 for `SELECT 3` and `INSERT 0 3`, null for `BEGIN`. */
const countOf = (tag: string): number | null => {
  const space = tag.lastIndexOf(" ")
  const count = space < 0 ? Number.NaN : Number(tag.slice(space + 1))
  return Number.isNaN(count) ? null : count
}
