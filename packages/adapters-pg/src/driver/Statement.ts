import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type FragmentId, isFragment, type Segment, type Statement } from "@effect/sql/Statement"
import * as SqlStatement from "@effect/sql/Statement"
import { Telemetry } from "@place-access/domain/shared"
import { Effect, Effectable, type Fiber, identity, type Stream } from "effect"
import { isTraced, type Picked, type RunStatement } from "./Run.js"
import * as Transaction from "./Transaction.js"

/** The parts that all statements of one client share. */
export interface Host {
  /**
   * The client of `@effect/sql-pg` over the same pool. It compiles texts that are not cached yet, and runs the rarer
   * forms of a statement, such as a stream.
   */
  readonly library: PgClient
  /** The attributes of the span of every statement. */
  readonly attributes: Readonly<Record<string, unknown>>
}

/**
 * A statement with the interface of `@effect/sql`'s `Statement`, but at a third of the cost of the library's statement.
 * Its text is cached for each shape of the template's arguments, and it makes a span only when a tracer is set.
 */
export class QuickStatement<A> extends Effectable.Class<ReadonlyArray<A>, SqlError> implements Statement<A> {
  private readonly host: Host
  private readonly run: RunStatement
  private readonly strings: TemplateStringsArray
  private readonly args: ReadonlyArray<unknown>

  constructor(host: Host, run: RunStatement, strings: TemplateStringsArray, args: ReadonlyArray<unknown>) {
    super()
    this.host = host
    this.run = run
    this.strings = strings
    this.args = args
  }

  get [SqlStatement.FragmentId](): (_: never) => FragmentId {
    return identity
  }

  get segments(): ReadonlyArray<Segment> {
    return this.library().segments
  }

  compile(): readonly [sql: string, params: ReadonlyArray<unknown>] {
    const shape: Array<unknown> = []
    const params: Array<unknown> = []
    if (!collect(this, shape, params)) return this.library().compile()
    return [textOf(this.strings, shape, () => this.library().compile()[0]), params]
  }

  commit(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return this.execute("execute", "rows") as Effect.Effect<ReadonlyArray<A>, SqlError>
  }

  get raw(): Effect.Effect<unknown, SqlError> {
    return this.execute("executeRaw", "result")
  }

  get withoutTransform(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return this.library().withoutTransform
  }

  get unprepared(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return this.library().unprepared
  }

  get values(): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> {
    return this.library().values
  }

  get stream(): Stream.Stream<A, SqlError> {
    return this.library().stream
  }

  /** The template and its arguments, for `collect`. */
  parts(): readonly [strings: TemplateStringsArray, args: ReadonlyArray<unknown>] {
    return [this.strings, this.args]
  }

  private library(): Statement<A> {
    return this.host.library(this.strings, ...this.args) as unknown as Statement<A>
  }

  private execute(operation: string, picked: Picked): Effect.Effect<unknown, SqlError> {
    return Effect.withFiberRuntime((fiber) => {
      const [text, params] = this.compile()
      const [connection] = Transaction.current(fiber.currentContext) ?? []
      const effect =
        connection === undefined
          ? this.run(text, params, picked)
          : picked === "rows"
            ? connection.execute(text, params, undefined)
            : connection.executeRaw(text, params)
      return isTraced(fiber) ? spanned(this.host, operation, text, effect) : effect
    })
  }

  /**
   * Runs `effect` in one span for all statements that are sent together. `all` lists these statements, beginning with
   * this one.
   */
  spanOf<A2, E>(all: ReadonlyArray<QuickStatement<object>>, effect: Effect.Effect<A2, E>): Effect.Effect<A2, E> {
    return spanned(this.host, "BATCH", all.map((statement) => statement.compile()[0]).join(";\n"), effect)
  }
}

/**
 * Runs `effect` in a span for one round trip to the database. The span's attributes have the names that OpenTelemetry's
 * semantic conventions for databases ask for.
 */
const spanned = <A, E>(
  { attributes }: Host,
  operation: string,
  text: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Telemetry.spanned("sql.execute", { kind: "client" }, (span) => {
    for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
    span.attribute("db.operation.name", operation)
    span.attribute("db.query.text", text)
    return effect
  })

/** Returns `effect`; when the fiber is traced, `effect` runs in one span for all `statements`. */
const batch = <A, E>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  statements: ReadonlyArray<Effect.Effect<unknown, unknown>>,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const all = statements.filter(isStatement)
  return isTraced(fiber) ? (all[0]?.spanOf(all, effect) ?? effect) : effect
}

/**
 * Runs statements that do not depend on each other's answers, and returns the rows of each; an undefined entry gives no
 * rows. In a transaction the statements take one round trip, and the server runs them in order.
 */
export const together = (
  statements: ReadonlyArray<Statement<object> | undefined>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> =>
  Effect.withFiberRuntime((fiber) => {
    const [connection] = Transaction.current(fiber.currentContext) ?? []
    const given = statements.flatMap((statement) => (statement === undefined ? [] : [statement]))
    const sent =
      connection === undefined
        ? undefined
        : Transaction.send(
            connection,
            given.map((statement) => statement.compile())
          )
    const answered = sent === undefined ? Effect.forEach(given, (statement) => statement) : batch(fiber, given, sent)
    return Effect.map(answered, (answers) => {
      let next = 0
      return statements.map((statement) => (statement === undefined ? [] : (answers[next++] ?? [])))
    })
  })

/**
 * Runs effects in order, as the last work of a transaction: the statements at the end of the list are sent together
 * with the COMMIT. When one of them fails, nothing is committed, and the transaction fails with that error. In a nested
 * transaction, which has no COMMIT, and outside of transactions, the effects only run in order. In a trace, the span of
 * these statements ends when they are sent, and only the transaction's span includes the time until their answers.
 */
export const last = <E>(effects: ReadonlyArray<Effect.Effect<unknown, E>>): Effect.Effect<void, E> =>
  Effect.withFiberRuntime((fiber) => {
    const [connection, depth = 0] = Transaction.current(fiber.currentContext) ?? []
    if (connection === undefined) return Effect.forEach(effects, (effect) => effect, { discard: true })
    const waits = effects.findLastIndex((effect) => !isStatement(effect)) + 1
    const rest = effects.slice(waits)
    const sendRest = () =>
      Transaction.sendLast(
        connection,
        depth,
        rest.filter(isStatement).map((statement) => statement.compile())
      )
        ? batch(fiber, rest, Effect.void)
        : Effect.forEach(rest, (effect) => effect, { discard: true })
    if (waits === 0) return sendRest()
    return Effect.zipRight(
      Effect.forEach(effects.slice(0, waits), (effect) => effect, { discard: true }),
      Effect.suspend(sendRest)
    )
  })

/**
 * Runs statements that do not depend on each other's answers, as the last work of a transaction: they are sent together
 * with its COMMIT, unless the transaction is nested. The returned function gives their rows, once the transaction has
 * succeeded. When a statement fails, nothing is committed, and the transaction fails with that error.
 */
export const togetherLast = (
  statements: ReadonlyArray<Statement<object>>
): Effect.Effect<() => ReadonlyArray<ReadonlyArray<unknown>>, SqlError> =>
  Effect.withFiberRuntime((fiber) => {
    const [connection, depth = 0] = Transaction.current(fiber.currentContext) ?? []
    const answers: Array<ReadonlyArray<unknown>> = []
    const isSent =
      connection !== undefined &&
      Transaction.sendLast(
        connection,
        depth,
        statements.map((statement) => statement.compile()),
        (index, rows) => {
          answers[index] = rows
        }
      )
    return isSent
      ? batch(
          fiber,
          statements,
          Effect.succeed(() => answers)
        )
      : Effect.map(together(statements), (rows) => () => rows)
  })

const isStatement = <E>(
  effect: Effect.Effect<unknown, E>
): effect is QuickStatement<object> & Effect.Effect<unknown, E> => effect instanceof QuickStatement

const PARAMETER = Symbol("parameter")
const IDENTIFIER = Symbol("identifier")

/**
 * Collects in `shape`, in order, everything that determines the text of the statement, and in `params` the values that
 * do not change the text. Returns false when only the library's compiler understands a part.
 */
const collect = (statement: QuickStatement<unknown>, shape: Array<unknown>, params: Array<unknown>): boolean => {
  const [strings, args] = statement.parts()
  shape.push(strings)
  for (const arg of args) {
    // Checks for lists before other objects, because most objects among the arguments are lists.
    if (typeof arg !== "object" || arg === null || Array.isArray(arg)) {
      shape.push(PARAMETER)
      params.push(arg)
    } else if (arg instanceof QuickStatement) {
      if (!collect(arg, shape, params)) return false
    } else if (isFragment(arg)) {
      for (const segment of arg.segments) if (!collectSegment(segment, shape, params)) return false
    } else if (isIdentifier(arg)) {
      shape.push(IDENTIFIER, arg.value)
    } else if ("_tag" in arg) {
      return false
    } else {
      shape.push(PARAMETER)
      params.push(arg)
    }
  }
  return true
}

const collectSegment = (segment: Segment, shape: Array<unknown>, params: Array<unknown>): boolean => {
  switch (segment._tag) {
    case "Literal":
      if (segment.params !== undefined && segment.params.length > 0) return false
      shape.push(segment.value)
      return true
    case "Parameter":
      shape.push(PARAMETER)
      params.push(segment.value)
      return true
    case "Identifier":
      shape.push(IDENTIFIER, segment.value)
      return true
    default:
      return false
  }
}

const isIdentifier = (arg: object): arg is SqlStatement.Identifier =>
  "_tag" in arg && arg._tag === "Identifier" && "value" in arg && typeof arg.value === "string"

interface Text {
  readonly shape: ReadonlyArray<unknown>
  readonly text: string
}

/**
 * The most shapes that are cached for one template. A shape is everything in the arguments that changes the statement's
 * text. Each use moves a shape one place forward, and a new shape takes the last place of a full cache. So shapes that
 * are used often stay, and shapes that are used once, such as those of a list of changing length, push only each other
 * out.
 */
const SHAPES_MAX = 8

const texts = new WeakMap<TemplateStringsArray, Array<Text>>()

const textOf = (strings: TemplateStringsArray, shape: ReadonlyArray<unknown>, compile: () => string): string => {
  const known = texts.get(strings) ?? []
  const at = known.findIndex((one) => isSame(one.shape, shape))
  const found = known[at]
  if (found !== undefined) {
    const before = known[at - 1]
    if (before !== undefined) [known[at - 1], known[at]] = [found, before]
    return found.text
  }
  const text = compile()
  if (known.length === 0) texts.set(strings, known)
  known[Math.min(known.length, SHAPES_MAX - 1)] = { shape, text }
  return text
}

const isSame = (left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>): boolean => {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return true
}
