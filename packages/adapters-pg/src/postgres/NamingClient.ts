import { Predicate } from "effect"
import pg from "pg"
import { NamedQuery } from "./NamedQuery.js"

/** So many statements are kept prepared on a connection; a program has a few hundred. */
const NAMES_MAX = 1_000
/** A statement earns a name by repetition: lists of changing length make texts that never come again. */
const USES_MIN = 3
const CANDIDATES_MAX = 5_000

const names = new Map<string, string>()
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

/**
 * A connection that gives a repeated statement with parameters a name, so that the server parses and plans it once;
 * `@effect/sql` names none. Not for the embedded database, whose connections share one session and so would share the names.
 */
export class NamingClient extends pg.Client {
  // The method has nine overloads. What is passed on is what came, with a name.
  override query = ((...args: ReadonlyArray<unknown>): unknown => {
    const config = named(args[0], args[1])
    if (config === undefined) return Reflect.apply(super.query, this, args)
    const done = args.at(-1)
    return typeof done === "function"
      ? super.query(new NamedQuery(config.name, config.text, config.values, done as Callback) as never)
      : Reflect.apply(super.query, this, [config, ...args.slice(typeof args[0] === "string" ? 2 : 1)])
  }) as pg.Client["query"]
}

type Callback = ConstructorParameters<typeof NamedQuery>[3]

interface Named {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** With the name that it came with, or the one that it has earned. */
const named = (query: unknown, values: unknown): Named | undefined => {
  if (typeof query === "string") {
    const name = Array.isArray(values) && values.length > 0 ? nameOf(query) : undefined
    return name === undefined ? undefined : { name, text: query, values: values as ReadonlyArray<unknown> }
  }
  return Predicate.hasProperty(query, "name") &&
    Predicate.hasProperty(query, "values") &&
    Array.isArray(query.values) &&
    !Predicate.hasProperty(query, "submit") &&
    typeof query.name === "string"
    ? (query as unknown as Named)
    : undefined
}
