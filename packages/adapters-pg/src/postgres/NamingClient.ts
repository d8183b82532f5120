import { parse } from "pg-protocol"
import pg from "pg"
import { Backend } from "./Backend.js"
import { type Asked, Exchange, type Known } from "./Exchange.js"

/** So many statements are kept prepared on a connection; a program has a few hundred. */
const NAMES_MAX = 1_000
/** A statement earns a name by repetition: lists of changing length make texts that never come again. */
const USES_MIN = 3
const CANDIDATES_MAX = 5_000

/** They begin and end every transaction. */
const names = new Map<string, string>([
  ["BEGIN", "begin"],
  ["COMMIT", "commit"]
])
const uses = new Map<string, number>()

/** The name of a statement that was seen often enough; the same on every connection. */
export const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= NAMES_MAX) return known
  const count = (uses.get(text) ?? 0) + 1
  if (count < USES_MIN) {
    if (uses.size >= CANDIDATES_MAX) uses.clear()
    uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

/** What of `pg.Client` its types do not tell. */
interface Inside {
  readonly connection: pg.Connection & {
    attachListeners: (stream: Stream) => void
  }
  readonly _getActiveQuery: () => unknown
  readonly getTypeParser: (oid: number, format: "text") => (text: string) => unknown
}

type Stream = pg.Connection["stream"]
type Message = { readonly name: string }

/**
 * A connection, in pipeline mode, that sends statements together (`send`) and gives repeated ones a name, so that the server parses and
 * plans them once; `@effect/sql` names none. Not for the embedded database, whose connections share one session and so would share the names.
 */
export class NamingClient extends pg.Client {
  private readonly known: Known

  constructor(config?: pg.ClientConfig) {
    super(config)
    const inside = this as unknown as Inside
    this.known = {
      nameOf,
      parserOf: (oid) => inside.getTypeParser(oid, "text"),
      prepared: new Map(),
      shapes: new Map()
    }
    const { connection } = inside
    const backend = new Backend((type, bytes, start, end) => {
      const active = inside._getActiveQuery()
      return active instanceof Exchange && active.take(type, bytes, start, end)
    })
    // As the driver's own does with all of them.
    void parse(backend.others as unknown as Parameters<typeof parse>[0], (message: Message) =>
      connection.emit(message.name === "error" ? "errorMessage" : message.name, message)
    )
    connection.attachListeners = (stream) => void stream.on("data", (chunk: Buffer) => backend.read(chunk))
  }

  /**
   * In one write. Each is told how it went when all have ended. `areReads`: they have nothing to do with one another and write nothing, so
   * that one that fails fails alone.
   */
  send(asked: ReadonlyArray<Asked>, areReads = false): void {
    const exchange = (asked: ReadonlyArray<Asked>): void =>
      super.query(new Exchange(asked, this.known, areReads ? exchange : undefined) as never)
    exchange(asked)
  }

  // For nine overloads: nothing can be said of an answer that fits them all.
  override query(...args: Array<unknown>): never {
    if (!sendsItself(args)) return Reflect.apply(super.query, this, args) as never
    const [text, values] = args
    const done = args.at(-1)
    if (typeof done === "function") return this.send([{ text, values, done: done as Asked["done"] }]) as never
    return new Promise((resolve, reject) =>
      this.send([{ text, values, done: (error, result) => (error === null ? resolve(result) : reject(error)) }])
    ) as never
  }
}

/** One statement: without values it may be several, which only `pg`'s own way of asking takes. */
export const sendsItself = (
  args: ReadonlyArray<unknown>
): args is readonly [text: string, values: ReadonlyArray<unknown>, ...ReadonlyArray<unknown>] =>
  typeof args[0] === "string" && Array.isArray(args[1]) && args[1].length > 0
