import type { PgClient } from "@effect/sql-pg/PgClient"
import { makeWithTransaction, TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Context, Effect, Exit, FiberRef, Scope, Stream } from "effect"
import { Telemetry } from "@place-access/domain/shared"
import type pg from "pg"
import { NO_RESULT, type QueryRequest } from "./Exchange.js"
import { NamingClient } from "./NamingClient.js"
import { cancel } from "./Pooled.js"
import { answered, isReadOnly, isTraced, isVictim, noConnection, type Picked, refused, repeated } from "./Run.js"

/**
 * Transactions with fewer round trips. BEGIN is sent together with the first statement, statements that do not depend
 * on each other's answers are sent together (`send`), and the last statements are sent together with COMMIT
 * (`sendLast`). Statements that are sent together are one `Exchange`. The server runs all of them in order.
 */

type Statement = readonly [text: string, params: ReadonlyArray<unknown>]

/** The state of a transaction's BEGIN; an error when BEGIN has failed. */
type Begin = "waiting" | "sent" | "done" | Error

/**
 * The connection of a transaction. It accepts a statement before the server has answered the earlier statements.
 *
 * BEGIN may fail while the connection stays usable: for example, the embedded database refuses BEGIN when another
 * transaction uses the one session for too long. Statements after a failed BEGIN would run without a transaction, and
 * each would be committed by itself. So BEGIN waits for the first statement and is sent in the same exchange, which
 * fails as a whole. Later statements wait until BEGIN is answered. When BEGIN has failed, nothing more is sent, and
 * every statement fails with the error of BEGIN.
 */
class Line {
  readonly connection: Connection
  /** The error of the first failed statement that no caller waited for. */
  failure: Error | undefined

  private readonly pool: pg.Pool
  private readonly client: NamingClient
  private begin: Begin = "waiting"
  private waiting: Array<QueryRequest> = [{ text: "BEGIN", values: [], done: (error) => this.begun(error) }]
  private isCalled = false

  /** `plain` is the library's connection over the same client. It runs everything that this class does not replace. */
  constructor(pool: pg.Pool, client: NamingClient, plain: Connection) {
    this.pool = pool
    this.client = client
    const replaced: Partial<Connection> & { readonly run: Connection["executeUnprepared"] } = {
      run: (text, params) => this.run(text, params, "rows") as Effect.Effect<ReadonlyArray<never>, SqlError>,
      executeRaw: (text, params) => this.run(text, params, "result"),
      executeValues: (text, params) => Effect.zipRight(this.ready(), plain.executeValues(text, params)),
      executeStream: (text, params, transform) =>
        Stream.unwrap(Effect.as(this.ready(), plain.executeStream(text, params, transform)))
    }
    this.connection = Object.assign(Object.create(plain) as Connection, replaced)
    lines.set(this.connection, this)
  }

  private begun(error: Error | null): void {
    this.begin = error ?? "done"
    if (error === null) return this.call()
    for (const { done } of this.waiting.splice(0)) done(error, NO_RESULT)
  }

  /**
   * Queues one statement. The queue is sent when the running JavaScript returns to Node, so that statements that are
   * queued until then travel together.
   */
  ask(request: QueryRequest): void {
    if (this.begin instanceof Error) return request.done(this.begin, NO_RESULT)
    this.waiting.push(request)
    this.call()
  }

  private call(): void {
    if (this.isCalled) return
    this.isCalled = true
    process.nextTick(this.flush)
  }

  private readonly flush = (): void => {
    this.isCalled = false
    if (this.begin === "sent" || this.waiting.length === 0) return
    if (this.begin === "waiting") this.begin = "sent"
    this.client.send(this.waiting.splice(0))
  }

  private run(text: string, values: ReadonlyArray<unknown>, picked: Picked): Effect.Effect<unknown, SqlError> {
    const ask = this.sent(picked, (done) => this.ask({ text, values, done }))
    // A text without values may contain several statements, so it is sent alone.
    return values.length > 0 || !text.includes(";") ? ask : Effect.zipRight(this.ready(), this.alone(text, picked))
  }

  private alone(text: string, picked: Picked): Effect.Effect<unknown, SqlError> {
    return this.sent(picked, (done) => {
      this.flush()
      this.client.query(text, done)
    })
  }

  private sent(picked: Picked, send: (done: QueryRequest["done"]) => void): Effect.Effect<unknown, SqlError> {
    return Effect.async((resume) => {
      send((error, result) => resume(error === null ? answered(result, picked) : refused(error)))
      return Effect.suspend(() => {
        this.flush()
        return cancel(this.pool, this.client)
      })
    })
  }

  /**
   * Waits until BEGIN has succeeded. Sends BEGIN, if it was not sent yet, together with an empty text, a statement that
   * does nothing.
   */
  private ready(): Effect.Effect<unknown, SqlError> {
    return Effect.suspend(() => (this.begin === "done" ? Effect.void : this.run("", [], "rows")))
  }

  /**
   * Rolls back if BEGIN has succeeded. ROLLBACK is sent alone, because after a failed statement the server skips the
   * rest of an exchange.
   */
  rollback(): Effect.Effect<void, SqlError> {
    return Effect.suspend(() => {
      if (this.begin === "waiting") this.begun(new Error("The transaction was rolled back before its first statement"))
      if (this.begin instanceof Error) return Effect.void
      if (this.begin === "done") return Effect.asVoid(this.alone("ROLLBACK", "rows"))
      return Effect.zipRight(Effect.ignore(this.ready()), this.rollback())
    })
  }

  /** Queues a statement that no caller waits for. COMMIT reports its failure. */
  note(text: string, values: ReadonlyArray<unknown>, answered?: (rows: ReadonlyArray<unknown>) => void): void {
    this.ask({
      text,
      values,
      done: (error, result) => {
        if (error === null) answered?.(result.rows)
        else this.failure ??= error
      }
    })
  }
}

const lines = new WeakMap<Connection, Line>()

/**
 * Sends statements together and returns the rows of each, or fails with the first failure. Returns undefined outside of
 * a transaction of this module.
 */
export const send = (
  connection: Connection,
  statements: ReadonlyArray<Statement>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> | undefined => {
  const line = lines.get(connection)
  if (line === undefined) return undefined
  return Effect.uninterruptible(
    Effect.async((resume) => {
      const answers: Array<ReadonlyArray<unknown>> = []
      let failure: Error | undefined
      let left = statements.length
      for (const [index, [text, values]] of statements.entries()) {
        line.ask({
          text,
          values,
          done: (error, result) => {
            if (error === null) answers[index] = result.rows
            // Only the first error tells the cause; later errors only say that the transaction is aborted.
            else failure ??= error
            left--
            if (left === 0) resume(failure === undefined ? Effect.succeed(answers) : refused(failure))
          }
        })
      }
      if (statements.length === 0) resume(Effect.succeed(answers))
    })
  )
}

/**
 * Queues statements that no caller waits for: when one of them fails, COMMIT fails. Returns false, and queues nothing,
 * outside of a transaction of this module and in a nested transaction, which has no COMMIT.
 */
export const sendLast = (
  connection: Connection,
  depth: number,
  statements: ReadonlyArray<Statement>,
  answered?: (index: number, rows: ReadonlyArray<unknown>) => void
): boolean => {
  const line = lines.get(connection)
  if (line === undefined || depth > 0) return false
  for (const [index, [text, values]] of statements.entries()) line.note(text, values, (rows) => answered?.(index, rows))
  return true
}

const run = (connection: Connection, text: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(connection.executeUnprepared(text, [], undefined))

/** Sends BEGIN. A `Line` has BEGIN in its queue from the start, so on a `Line` nothing is sent. */
const begin = (connection: Connection): Effect.Effect<void, SqlError> =>
  lines.has(connection) ? Effect.void : run(connection, "BEGIN")

/**
 * Commits. Fails when a statement that no caller waited for has failed, because the server then skips the COMMIT or
 * rolls back.
 */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const line = lines.get(connection)
    if (line === undefined) return run(connection, "COMMIT")
    return Effect.async<void, SqlError>((resume) =>
      line.ask({
        text: "COMMIT",
        values: [],
        done: (error) => {
          const failure = line.failure ?? error
          resume(failure === null ? Effect.void : Effect.zipRight(Effect.ignore(line.rollback()), refused(failure)))
        }
      })
    )
  })

const rollback = (connection: Connection): Effect.Effect<void, SqlError> =>
  lines.get(connection)?.rollback() ?? run(connection, "ROLLBACK")

/**
 * The connection of the fiber's transaction, and how deep this transaction is nested: 0 for an outermost transaction.
 * Undefined outside of transactions.
 */
export const current = (context: Context.Context<never>): readonly [Connection, depth: number] | undefined =>
  Context.getOrElse(context as Context.Context<TransactionConnection>, TransactionConnection, () => undefined)

/** Takes a connection of the pool for one caller, until `release` is called with the end of the transaction. */
type Reserve = Effect.Effect<
  { readonly connection: Connection; readonly release: (end: Exit.Exit<unknown, unknown>) => void },
  SqlError
>

/**
 * Makes a `Reserve` for the pool. `model` is one of the library's connections. Its methods use the client in the
 * property `pg`, so a copy of `model` with another client in `pg` runs on that client.
 */
const reserve = (pool: pg.Pool, model: Connection): Reserve =>
  Effect.async((resume) => {
    pool.connect((error, client) => {
      if (client === undefined) return resume(noConnection(error))
      const plain = Object.assign(Object.create(model) as Connection, { pg: client })
      const connection = client instanceof NamingClient ? new Line(pool, client, plain).connection : plain
      // The pool itself removes a broken connection. Only a connection that accepts no writes must be removed here.
      const release = (end: Exit.Exit<unknown, unknown>) =>
        client.release(Exit.isFailure(end) && isReadOnly(Cause.squash(end.cause)))
      resume(Effect.succeed({ connection, release }))
    })
  })

/**
 * Runs an effect in a transaction that is not nested, and runs the whole transaction again when a deadlock ended it.
 */
const outermost =
  (reserve: Reserve) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.catchAllCause(inTransaction(reserve)(effect), (cause) => {
      const failed = Effect.failCause(cause)
      if (!isVictim(Cause.squash(cause))) return failed
      const repeat = Effect.suspend(() => outermost(reserve)(effect))
      return repeated(failed, repeat)
    })

/**
 * Runs an effect in a transaction that is not nested. The function does the same as the library's `withTransaction`,
 * with a quarter of the steps of the Effect runtime.
 */
const inTransaction =
  (reserve: Reserve) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(reserve, ({ connection, release }) =>
        Effect.flatMap(
          FiberRef.getAndUpdate(FiberRef.currentContext, (context) =>
            Context.add(context, TransactionConnection, [connection, 0] as const)
          ),
          (outside) =>
            begin(connection).pipe(
              Effect.zipRight(restore(effect)),
              Effect.exit,
              // The steps from here on are uninterruptible, so that the transaction ends and its connection is released
              // in every case.
              Effect.zipLeft(FiberRef.set(FiberRef.currentContext, outside)),
              Effect.flatMap((exit) =>
                Effect.flatMap(
                  Effect.exit(Effect.orDie(Exit.isSuccess(exit) ? commit(connection) : rollback(connection))),
                  (ended) => {
                    const end = Exit.isFailure(ended) ? Exit.failCause(ended.cause) : exit
                    release(end)
                    return end
                  }
                )
              )
            )
        )
      )
    )

/**
 * Makes the `withTransaction` of our client. It behaves like that of `@effect/sql`, also with savepoints for nested
 * transactions.
 */
export const make = (
  pool: pg.Pool,
  library: PgClient,
  attributes: Readonly<Record<string, unknown>>
): Effect.Effect<PgClient["withTransaction"], SqlError> =>
  Effect.map(Effect.scoped(library.reserve), (model) => {
    const line = reserve(pool, model)
    const quick = outermost(line)
    const whole = makeWithTransaction({
      transactionTag: TransactionConnection,
      spanAttributes: Object.entries(attributes),
      acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
        Effect.flatMap(line, ({ connection, release }) =>
          Effect.as(
            Scope.addFinalizerExit(scope, (end) => Effect.sync(() => release(end))),
            [scope, connection] as const
          )
        )
      ),
      begin,
      commit,
      savepoint: (connection, id) => run(connection, `SAVEPOINT effect_sql_${id}`),
      rollback,
      rollbackSavepoint: (connection, id) => run(connection, `ROLLBACK TO SAVEPOINT effect_sql_${id}`)
    })
    const spanned: typeof quick = (effect) =>
      Telemetry.spanned("sql.transaction", { kind: "client" }, (span) => {
        for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
        return quick(effect)
      })
    return <R, E, A>(effect: Effect.Effect<A, E, R>) =>
      Effect.withFiberRuntime<A, E | SqlError, R>((fiber) => {
        if (current(fiber.currentContext) === undefined) return isTraced(fiber) ? spanned(effect) : quick(effect)
        const span = Telemetry.spanOf(fiber)
        return span === null ? whole(effect) : Effect.withParentSpan(whole(effect), span)
      })
  })
