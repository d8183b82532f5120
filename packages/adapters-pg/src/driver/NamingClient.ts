import pg from "pg"
import { type QueryRequest, Exchange, type StatementNames } from "./Exchange.js"

/** The most statements that stay prepared on a connection. The program has a few hundred different statements. */
const NAMES_MAX = 1_000
/**
 * A text gets a name at its third use. A statement with a list of parameters has another text for each length of the
 * list, and most of those texts are used only once or twice.
 */
const USES_MIN = 3
const CANDIDATES_MAX = 5_000

/** BEGIN and COMMIT have names from the start, because every transaction sends them. */
const names = new Map<string, string>([
  ["BEGIN", "begin"],
  ["COMMIT", "commit"]
])
const uses = new Map<string, number>()

/**
 * The name of a statement, the same on every connection. Undefined until `USES_MIN` uses of its text are counted; when
 * `uses` is full, the counts begin again at 0. Undefined for every new text once there are `NAMES_MAX` names.
 */
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

/**
 * A connection in pipeline mode. It sends several statements together (`send`). It names repeated statements, so that
 * the server parses each of them once and can reuse its plan; `@effect/sql` gives no names to statements. The
 * connections of the embedded database share one session, and therefore the prepared statements of that session
 * (`embedded/PreparedStatements.ts`).
 */
export class NamingClient extends pg.Client {
  private readonly known: StatementNames = { nameOf, prepared: new Map(), doubtful: new Set(), shapes: new Map() }

  /**
   * Sends the statements in one write. Every callback is called after all statements have ended. `areReads`: the
   * statements are independent of each other and write nothing, so when one statement fails, the other statements still
   * run.
   */
  send(requests: ReadonlyArray<QueryRequest>, areReads = false): void {
    const exchange = (requests: ReadonlyArray<QueryRequest>): void =>
      super.query(new Exchange(requests, this.known, areReads ? exchange : undefined) as never)
    exchange(requests)
  }

  // `query` of `pg` has nine overloads; only the return type `never` fits all of them.
  override query(...args: Array<unknown>): never {
    if (!sendsItself(args)) return Reflect.apply(super.query, this, args) as never
    const [text, values] = args
    const done = args.at(-1)
    if (typeof done === "function") return this.send([{ text, values, done: done as QueryRequest["done"] }]) as never
    return new Promise((resolve, reject) =>
      this.send([{ text, values, done: (error, result) => (error === null ? resolve(result) : reject(error)) }])
    ) as never
  }
}

/**
 * Whether `send` can run the call, which must be one statement with values. A text without values may contain several
 * statements, and only the `query` of `pg` can send such a text.
 */
export const sendsItself = (
  args: ReadonlyArray<unknown>
): args is readonly [text: string, values: ReadonlyArray<unknown>, ...ReadonlyArray<unknown>] =>
  typeof args[0] === "string" && Array.isArray(args[1]) && args[1].length > 0
