import type { PgClient } from "@effect/sql-pg/PgClient"
import { makeWithTransaction, TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Layered } from "@place-access/domain/shared"
import { Context, Effect, Exit, FiberRef, Scope } from "effect"
import type pg from "pg"
import { NOBODY, noConnection, refused } from "./Run.js"

/**
 * Transactions that wait less for the network: BEGIN travels with the first statement, statements that do not depend on each other's
 * answers travel together (`send`), and the last ones with COMMIT (`sendLast`). The server works them off in order, as before.
 */

interface Line {
  readonly client: pg.PoolClient
  /** Of the first statement that failed and that nobody waited for. */
  failure: Error | undefined
  gathering: boolean
}

const lines = new WeakMap<Connection, Line>()

/** That of a transaction whose connection takes statements before it has answered those that came before. */
const lineOf = (connection: Connection): Line | undefined => {
  const known = lines.get(connection)
  if (known !== undefined) return known
  const { pg: client } = connection as { readonly pg?: pg.PoolClient }
  if (client?.pipeline !== true) return undefined
  const line: Line = { client, failure: undefined, gathering: false }
  lines.set(connection, line)
  return line
}

/** What is sent until the program waits for something goes out in one write. */
const gather = (line: Line): void => {
  if (line.gathering) return
  line.gathering = true
  const { stream } = line.client.connection
  stream.cork()
  process.nextTick(() => {
    line.gathering = false
    stream.uncork()
  })
}

type Asked = readonly [text: string, params: ReadonlyArray<unknown>]

const query = (
  line: Line,
  [text, params]: Asked,
  done: (error: Error | null, result: pg.QueryResult) => void
): void => {
  line.client.query(text, params as Array<unknown>, done)
}

/** The rows of each; the first failure, if there is one. Undefined where statements can only be run one by one. */
export const send = (
  connection: Connection,
  asked: ReadonlyArray<Asked>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> | undefined => {
  const line = lineOf(connection)
  if (line === undefined) return undefined
  return Effect.uninterruptible(
    Effect.async((resume) => {
      gather(line)
      const answers: Array<ReadonlyArray<unknown>> = []
      let failure: Error | undefined
      let left = asked.length
      for (const [index, one] of asked.entries()) {
        query(line, one, (error, result) => {
          if (error === null) answers[index] = result.rows
          // Those after it only say that the transaction is over.
          else failure ??= error
          left--
          if (left === 0) resume(failure === undefined ? Effect.succeed(answers) : refused(failure))
        })
      }
    })
  )
}

/** Nobody waits for these: whether they failed is known at COMMIT, which then fails. False where that cannot be. */
export const sendLast = (
  connection: Connection,
  asked: ReadonlyArray<Asked>,
  answered?: (index: number, rows: ReadonlyArray<unknown>) => void
): boolean => {
  const line = lineOf(connection)
  if (line === undefined) return false
  gather(line)
  for (const [index, one] of asked.entries()) {
    query(line, one, (error, result) => {
      if (error === null) answered?.(index, result.rows)
      else line.failure ??= error
    })
  }
  return true
}

const noting = (line: Line) => (error: Error | null) => {
  if (error !== null) line.failure ??= error
}

const control = (line: Line, text: string): Effect.Effect<void, SqlError> =>
  Effect.async((resume) => {
    gather(line)
    line.client.query(text, (error: Error | null) => {
      // The server answers the COMMIT of a failed transaction with ROLLBACK and without an error.
      const failure = line.failure ?? error
      resume(failure === null ? Effect.void : refused(failure))
    })
  })

const run = (connection: Connection, text: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(connection.executeUnprepared(text, [], undefined))

const begin = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const line = lineOf(connection)
    if (line === undefined) return run(connection, "BEGIN")
    gather(line)
    line.client.query("BEGIN", noting(line))
    return Effect.void
  })

const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const line = lineOf(connection)
    return line === undefined ? run(connection, "COMMIT") : control(line, "COMMIT")
  })

const rollback = (connection: Connection): Effect.Effect<void, SqlError> => run(connection, "ROLLBACK")

/** That of the transaction that the fiber is in. */
export const connectionOf = (context: Context.Context<never>): Connection | undefined =>
  Context.getOrElse(context as Context.Context<TransactionConnection>, TransactionConnection, () => undefined)?.[0]

/** A connection that nobody else has, until it is released. */
type Reserve = Effect.Effect<readonly [connection: Connection, release: () => void], SqlError>

/** `model`: one of the library's connections. What else it does of what it can, it does on the client that it is given. */
const reserve = (pool: pg.Pool, model: Connection): Reserve =>
  Effect.async((resume) => {
    pool.connect((error, client) => {
      if (client === undefined) return resume(noConnection(error))
      const connection = Object.assign(Object.create(model) as Connection, { pg: client })
      // A broken one leaves the pool.
      resume(Effect.succeed([connection, () => client.release()]))
    })
  })

/** The outermost transaction, where nobody traces: as the library's, in a quarter of the steps. */
const outermost =
  (reserve: Reserve) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(reserve, ([connection, release]) =>
        Effect.flatMap(
          FiberRef.getAndUpdate(FiberRef.currentContext, (context) =>
            Layered.add(context, TransactionConnection, [connection, 0])
          ),
          (outside) =>
            begin(connection).pipe(
              Effect.zipRight(restore(effect)),
              Effect.exit,
              // Nothing comes between: what was begun is ended and given back, whatever happened.
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

/** As `@effect/sql`'s, savepoints for transactions in transactions included. */
export const make = (
  pool: pg.Pool,
  library: PgClient,
  attributes: Readonly<Record<string, unknown>>
): Effect.Effect<PgClient["withTransaction"], SqlError> =>
  Effect.map(Effect.scoped(library.reserve), (model) => {
    const quick = outermost(reserve(pool, model))
    const whole = makeWithTransaction({
      transactionTag: TransactionConnection,
      spanAttributes: Object.entries(attributes),
      acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
        Effect.map(Scope.extend(library.reserve, scope), (connection) => [scope, connection] as const)
      ),
      begin,
      commit,
      savepoint: (connection, id) => run(connection, `SAVEPOINT effect_sql_${id}`),
      rollback,
      rollbackSavepoint: (connection, id) => run(connection, `ROLLBACK TO SAVEPOINT effect_sql_${id}`)
    })
    return <R, E, A>(effect: Effect.Effect<A, E, R>) =>
      Effect.withFiberRuntime<A, E | SqlError, R>((fiber) =>
        fiber.currentTracer === NOBODY && connectionOf(fiber.currentContext) === undefined
          ? quick(effect)
          : whole(effect)
      )
  })
