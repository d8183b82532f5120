import type { PgClient } from "@effect/sql-pg/PgClient"
import { makeWithTransaction, TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Exit, FiberRef, Scope } from "effect"
import { Telemetry } from "@place-access/domain/shared"
import type pg from "pg"
import type { QueryRequest } from "./Exchange.js"
import { NamingClient } from "./NamingClient.js"
import { cancel } from "./Pooled.js"
import { answered, isTraced, noConnection, type Picked, refused } from "./Run.js"

/**
 * Transactions with fewer round trips: BEGIN travels with the first statement, statements that do not need each other's
 * answers travel together (`send`), and the last statements travel with COMMIT (`sendLast`). Statements that travel
 * together are one `Exchange`. The server runs all of them in order.
 */

type Statement = readonly [text: string, params: ReadonlyArray<unknown>]

/** The connection of a transaction. It takes a statement before the server has answered the earlier ones. */
class Line {
  readonly connection: Connection
  /** The error of the first failed statement that no caller waited for. */
  failure: Error | undefined

  private readonly pool: pg.Pool
  private readonly client: NamingClient
  private waiting: Array<QueryRequest> = []

  /** `plain`: the library's connection over the same client. It does everything that this class does not replace. */
  constructor(pool: pg.Pool, client: NamingClient, plain: Connection) {
    this.pool = pool
    this.client = client
    this.connection = Object.assign(Object.create(plain) as Connection, {
      run: (text: string, params: ReadonlyArray<unknown>) => this.run(text, params, "rows"),
      executeRaw: (text: string, params: ReadonlyArray<unknown>) => this.run(text, params, "result"),
      executeValues: (text: string, params: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          this.flush()
          return plain.executeValues(text, params)
        })
    })
    lines.set(this.connection, this)
  }

  /**
   * Queues one statement. The queue is sent when the running JavaScript returns to Node, so that statements that are
   * queued until then travel together.
   */
  ask(asked: QueryRequest): void {
    if (this.waiting.push(asked) === 1) process.nextTick(this.flush)
  }

  private readonly flush = (): void => {
    const asked = this.waiting
    if (asked.length === 0) return
    this.waiting = []
    this.client.send(asked)
  }

  private run(text: string, values: ReadonlyArray<unknown>, picked: Picked): Effect.Effect<unknown, SqlError> {
    return Effect.async((resume) => {
      const done: QueryRequest["done"] = (error, result) =>
        resume(error === null ? answered(result, picked) : refused(error))
      if (values.length > 0) this.ask({ text, values, done })
      else {
        // A text without values may contain several statements, which cannot travel with others.
        this.flush()
        this.client.query(text, done)
      }
      return Effect.suspend(() => {
        this.flush()
        return cancel(this.pool, this.client)
      })
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
 * Sends statements together and returns the rows of each, or fails with the first failure. Undefined outside of a
 * transaction of this module.
 */
export const send = (
  connection: Connection,
  asked: ReadonlyArray<Statement>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> | undefined => {
  const line = lines.get(connection)
  if (line === undefined) return undefined
  return Effect.uninterruptible(
    Effect.async((resume) => {
      const answers: Array<ReadonlyArray<unknown>> = []
      let failure: Error | undefined
      let left = asked.length
      for (const [index, [text, values]] of asked.entries()) {
        line.ask({
          text,
          values,
          done: (error, result) => {
            if (error === null) answers[index] = result.rows
            // Errors after the first one only say that the transaction is aborted.
            else failure ??= error
            left--
            if (left === 0) resume(failure === undefined ? Effect.succeed(answers) : refused(failure))
          }
        })
      }
      if (left === 0) resume(Effect.succeed(answers))
    })
  )
}

/**
 * Queues statements that no caller waits for: when one of them fails, COMMIT fails. False where that is not possible:
 * outside of a transaction of this module, and in a nested transaction, which has no COMMIT of its own.
 */
export const sendLast = (
  connection: Connection,
  depth: number,
  asked: ReadonlyArray<Statement>,
  answered?: (index: number, rows: ReadonlyArray<unknown>) => void
): boolean => {
  const line = lines.get(connection)
  if (line === undefined || depth > 0) return false
  for (const [index, [text, values]] of asked.entries()) line.note(text, values, (rows) => answered?.(index, rows))
  return true
}

const run = (connection: Connection, text: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(connection.executeUnprepared(text, [], undefined))

const begin = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const line = lines.get(connection)
    if (line === undefined) return run(connection, "BEGIN")
    line.note("BEGIN", [])
    return Effect.void
  })

/**
 * Commits. Fails when a statement that no caller waited for has failed: the server then skips the COMMIT, or answers it
 * by rolling back.
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
          resume(
            failure === null ? Effect.void : Effect.zipRight(Effect.ignore(rollback(connection)), refused(failure))
          )
        }
      })
    )
  })

const rollback = (connection: Connection): Effect.Effect<void, SqlError> => run(connection, "ROLLBACK")

/** The connection of the fiber's transaction, and how deeply that transaction is nested: 0 for an outermost one. */
export const current = (context: Context.Context<never>): readonly [Connection, depth: number] | undefined =>
  Context.getOrElse(context as Context.Context<TransactionConnection>, TransactionConnection, () => undefined)

/** Takes a connection of the pool for one caller, until `release` is called. */
type Reserve = Effect.Effect<{ readonly connection: Connection; readonly release: () => void }, SqlError>

/**
 * Makes a `Reserve` for the pool. `model` is one of the library's connections. Its methods use the client in the
 * property `pg`, so a copy of `model` with another `pg` works for another client.
 */
const reserve = (pool: pg.Pool, model: Connection): Reserve =>
  Effect.async((resume) => {
    pool.connect((error, client) => {
      if (client === undefined) return resume(noConnection(error))
      const plain = Object.assign(Object.create(model) as Connection, { pg: client })
      const connection = client instanceof NamingClient ? new Line(pool, client, plain).connection : plain
      // The pool drops a connection that is broken.
      resume(Effect.succeed({ connection, release: () => client.release() }))
    })
  })

/**
 * Runs an effect in a transaction that is not nested. It does the same as the library's `withTransaction`, with a
 * quarter of its steps of the Effect runtime.
 */
const outermost =
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
              // Uninterruptible from here on: the transaction ends, and its connection is released, whatever happened.
              Effect.zipLeft(FiberRef.set(FiberRef.currentContext, outside)),
              Effect.flatMap((exit) =>
                Effect.flatMap(
                  Effect.exit(Effect.orDie(Exit.isSuccess(exit) ? commit(connection) : rollback(connection))),
                  (ended) => {
                    release()
                    return Exit.isFailure(ended) ? Effect.failCause(ended.cause) : exit
                  }
                )
              )
            )
        )
      )
    )

/** `withTransaction` as in `@effect/sql`, including savepoints for nested transactions. */
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
          Effect.as(Scope.addFinalizer(scope, Effect.sync(release)), [scope, connection] as const)
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
        const span = fiber.getFiberRef(Telemetry.currentSpan)
        return span === null ? whole(effect) : Effect.withParentSpan(whole(effect), span)
      })
  })
