import pg from "pg"
import { type Field, type ParserOf, rowReader, type RowReader } from "./Columns.js"
import { Frontend } from "./Frontend.js"

/** A statement, and who is told how it went: once, when what it did is committed or was undone. */
export interface Asked {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly done: (error: Error | null, result: pg.QueryResult) => void
}

/** What one connection knows of the statements that it keeps prepared. */
export interface Known {
  readonly nameOf: (text: string) => string | undefined
  readonly parserOf: ParserOf
  /** Names that the server has, or will have when it comes to what was sent; by whom each was sent. */
  readonly prepared: Map<string, Sender>
  /** A server that would answer with other columns fails the statement (0A000). */
  readonly shapes: Map<string, Shape>
}

/** An exchange, without what it holds. */
type Sender = symbol

interface Shape {
  readonly fields: ReadonlyArray<Field>
  readonly read: RowReader
}

/** Of an answer while it comes in. */
interface Answer {
  shape: Shape | undefined
  readonly rows: Array<object>
  tag: string
  /** Of a row that could not be read. */
  failure: Error | undefined
}

/** Asks for what a statement that failed has kept from being run. */
type Again = (asked: ReadonlyArray<Asked>) => void

const PARSE_COMPLETE = 0x31
const BIND_COMPLETE = 0x32
const NO_DATA = 0x6e
const DATA_ROW = 0x44
const COMMAND_COMPLETE = 0x43
const EMPTY_QUERY = 0x49

/** The server does not know the name: what should have prepared it was not come to. */
const UNKNOWN_NAME = "26000"

const NO_RESULT: pg.QueryResult = { command: "", rowCount: null, oid: 0, rows: [], fields: [] }
const NOTHING: Shape = { fields: [], read: () => ({}) }

/** One after the other: what one puts together is sent before the next begins. */
const frontend = new Frontend()

/** In pipeline mode `pg` takes queries of its own alone. */
const Query = pg.Query as unknown as new (text: string) => object

/**
 * Statements that go out in one write and that one Sync ends: the server works them off in order and answers them in one write, too,
 * where `pg` has a Sync, and so a write of the server's and perhaps a transaction, for each. When one fails, those after it are not
 * come to. Outside of a transaction block they are one transaction together. Given to `pg.Client.query`, which calls its methods.
 */
export class Exchange extends Query {
  private readonly asked: ReadonlyArray<Asked>
  private readonly known: Known
  private readonly again: Again | undefined
  private readonly sender: Sender = Symbol()
  private readonly names: Array<string | undefined> = []
  /** Who prepared, or was to prepare, what each goes by. */
  private readonly reliesOn: Array<Sender | undefined> = []
  private readonly answers: Array<Answer>
  /** That are prepared on the way, in order; the server has `parses` of them. */
  private readonly parsing: Array<string> = []
  private parses = 0
  /** What comes in is the answer to this one. */
  private at = 0

  /** `again`: for statements that have nothing to do with one another and write nothing; left out: they fail together. */
  constructor(asked: ReadonlyArray<Asked>, known: Known, again?: Again) {
    super("")
    this.asked = asked
    this.known = known
    this.again = again
    this.answers = asked.map(() => ({ shape: undefined, rows: [], tag: "", failure: undefined }))
  }

  submit({ stream }: Pick<pg.Connection, "stream">): Error | null {
    const { prepared, shapes } = this.known
    try {
      for (const [index, { text, values }] of this.asked.entries()) {
        const name = this.known.nameOf(text)
        this.names.push(name)
        const answer = this.answers[index] as Answer
        answer.shape = name === undefined ? undefined : shapes.get(name)
        if (name === undefined || !prepared.has(name)) {
          frontend.parse(name ?? "", text)
          this.parsing.push(name ?? "")
          if (name !== undefined) prepared.set(name, this.sender)
        }
        this.reliesOn.push(name === undefined ? undefined : prepared.get(name))
        frontend.bind(name ?? "", values)
        if (answer.shape === undefined) frontend.describe()
        frontend.execute()
      }
      frontend.sync()
    } catch (error) {
      // Nothing was sent.
      frontend.clear()
      this.forgetUnprepared()
      return error as Error
    }
    stream.write(frontend.take())
    return null
  }

  /** A message of the server's, which lies from `start` to `end`; false: `pg` is to read it. */
  take(type: number, bytes: Buffer, start: number, end: number): boolean {
    const answer = this.answers[this.at]
    if (answer === undefined) return false
    switch (type) {
      case DATA_ROW:
        this.row(answer, bytes, start)
        return true
      case COMMAND_COMPLETE:
        // Without the NUL at its end.
        answer.tag = bytes.toString("latin1", start, end - 1)
        this.over(answer)
        return true
      case BIND_COMPLETE:
        return true
      case PARSE_COMPLETE:
        this.parses++
        return true
      case NO_DATA:
        answer.shape = NOTHING
        return true
      case EMPTY_QUERY:
        this.over(answer)
        return true
      default:
        return false
    }
  }

  private row(answer: Answer, bytes: Buffer, start: number): void {
    if (answer.failure !== undefined) return
    try {
      answer.rows.push((answer.shape ?? NOTHING).read(bytes, start))
    } catch (error) {
      answer.failure = error as Error
    }
  }

  private over({ shape }: Answer): void {
    const name = this.names[this.at]
    if (name !== undefined && shape !== undefined && !this.known.shapes.has(name)) this.known.shapes.set(name, shape)
    this.at++
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<Field> }): void {
    const answer = this.answers[this.at]
    if (answer !== undefined) answer.shape = { fields, read: rowReader(fields, this.known.parserOf) }
  }

  handleReadyForQuery(): void {
    for (const index of this.asked.keys()) this.tell(index)
  }

  /** The server's, or the connection's; nothing more comes. */
  handleError(error: Error): void {
    this.forgetUnprepared()
    // What fails after the last one is their common end, which fails them all; so does the connection.
    const failed = error instanceof pg.DatabaseError && this.at < this.asked.length ? this.at : undefined
    for (let index = 0; index < (failed ?? 0); index++) this.tell(index)
    if (failed === undefined || this.again === undefined) {
      for (const { done } of this.asked.slice(failed)) done(error, NO_RESULT)
      return
    }
    const isUnknown = (error as pg.DatabaseError).code === UNKNOWN_NAME
    if (isUnknown) this.forget(this.names[failed], this.reliesOn[failed])
    else this.asked[failed]?.done(error, NO_RESULT)
    const left = this.asked.slice(isUnknown ? failed : failed + 1)
    if (left.length > 0) this.again(left)
  }

  /** The driver asks this of everything that it sends; nothing of ours copies. */
  handleCopyInResponse(connection: { readonly sendCopyFail: (why: string) => void }): void {
    connection.sendCopyFail("nothing is copied")
  }

  private tell(index: number): void {
    const { failure, rows, shape, tag } = this.answers[index] as Answer
    this.asked[index]?.done(failure ?? null, {
      command: tag.slice(0, wordEnd(tag)),
      rowCount: countOf(tag),
      oid: 0,
      rows,
      fields: (shape ?? NOTHING).fields as Array<pg.FieldDef>
    })
  }

  /** Those that the server was not told, or did not come to. */
  private forgetUnprepared(): void {
    for (const name of this.parsing.slice(this.parses)) this.forget(name, this.sender)
  }

  /** Unless somebody else has prepared it since. */
  private forget(name: string | undefined, sender: Sender | undefined): void {
    if (name !== undefined && this.known.prepared.get(name) === sender) this.known.prepared.delete(name)
  }
}

const wordEnd = (tag: string): number => {
  const space = tag.indexOf(" ")
  return space < 0 ? tag.length : space
}

/** `SELECT 3`, `INSERT 0 3`; `BEGIN` has none. */
const countOf = (tag: string): number | null => {
  const space = tag.lastIndexOf(" ")
  const count = space < 0 ? Number.NaN : Number(tag.slice(space + 1))
  return Number.isNaN(count) ? null : count
}
