import pg from "pg"
import { emptyOf } from "../rows/Reader.js"
import { listParameter } from "./ListParameter.js"

/** What `pg.Query` is made of that its types do not tell. */
interface Inside {
  name: string | undefined
  readonly _result: Shape
  /** Rows are kept for whoever asked. */
  _accumulateRows: boolean
  prepare(connection: Connection): void
  handleCommandComplete(message: unknown, connection: Connection): void
}

type Connection = Pick<pg.Connection, "describe">

/** Of a result: its columns, how each is read, and a row with nothing in it. */
interface Shape {
  fields: ReadonlyArray<unknown>
  _parsers: ReadonlyArray<unknown> | undefined
  _prebuiltEmptyResultObject: object | null
}

interface Described {
  /** Of each prepared statement; a server that would answer with other columns fails it (0A000). */
  readonly shapes: Map<string, Shape>
  /** The connection, but for what it asks about columns. */
  readonly silent: Connection
}

const connections = new WeakMap<Connection, Described>()

const describedOn = (connection: Connection): Described => {
  const known = connections.get(connection)
  if (known !== undefined) return known
  const silent = Object.assign(Object.create(connection) as Connection, { describe: () => undefined })
  const described: Described = { shapes: new Map(), silent }
  connections.set(connection, described)
  return described
}

type Callback = (error: Error | null, result: pg.QueryResult) => void

const Query = pg.Query as unknown as new (text: string, values: ReadonlyArray<unknown>, callback: Callback) => Inside

/**
 * A statement that stays prepared under a name. What columns it has is asked once on each connection, where `pg` asks, and works out how
 * to read them, each time.
 */
export class NamedQuery extends Query {
  declare name: string

  /** Part by part: `pg` copies the descriptors of whatever object it is given. */
  constructor(name: string, text: string, values: ReadonlyArray<unknown>, callback: Callback) {
    super(
      text,
      values.map((value) => (Array.isArray(value) ? (listParameter(value) ?? value) : value)),
      callback
    )
    this.name = name
  }

  override prepare(connection: Connection): void {
    const { shapes, silent } = describedOn(connection)
    const shape = shapes.get(this.name)
    if (shape === undefined) return super.prepare(connection)
    this._result.fields = shape.fields
    this._result._parsers = shape._parsers
    this._result._prebuiltEmptyResultObject = shape._prebuiltEmptyResultObject
    this._accumulateRows = true
    super.prepare(silent)
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    const { shapes } = describedOn(connection)
    if (!shapes.has(this.name)) {
      const { _parsers, _prebuiltEmptyResultObject, fields } = this._result
      const empty = _prebuiltEmptyResultObject && emptyOf(Object.keys(_prebuiltEmptyResultObject))
      shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject: empty })
    }
    super.handleCommandComplete(message, connection)
  }
}
