import { SqlError } from "@effect/sql/SqlError"
import { StoreError } from "@place-access/domain/shared"
import { Cause, Effect, Either, Option, ParseResult, Predicate } from "effect"

export { isReadOnly } from "./driver/Run.js"

/**
 * SQLSTATEs after which a retry of the same work may succeed. Every state of class 08 (connection) and of class 53
 * (resources: too many connections, disk or memory full) counts as well.
 */
const TRANSIENT_STATES: ReadonlySet<string> = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "55P03", // lock_not_available: lock_timeout
  "57014", // query_canceled: statement_timeout
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now: starting up or shutting down
  "57P05", // idle_session_timeout
  "25P03", // idle_in_transaction_session_timeout
  "25006" // read_only_sql_transaction: see `isReadOnly`
])

const SYSTEM_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN"
])

/**
 * Whether the error came from connecting. While PostgreSQL starts, its Unix socket does not exist yet, and connecting
 * fails with ENOENT.
 */
const isConnecting = (error: unknown): boolean => Predicate.hasProperty(error, "syscall") && error.syscall === "connect"

/**
 * The messages of errors that `pg` and its pool raise without a code, for example when a connection was lost, or when
 * no connection of the pool became free in time.
 */
const CONNECTION_MESSAGE =
  /^(?:Connection terminated|Connection ended|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/

const SQLSTATE = /^[0-9A-Z]{5}$/

const findCause = <A>(error: unknown, pick: (inner: unknown) => A | undefined): A | undefined => {
  let inner = error
  for (let depth = 0; depth < 5 && Predicate.isObject(inner); depth++) {
    const found = pick(inner)
    if (found !== undefined) return found
    inner = Predicate.hasProperty(inner, "cause") ? inner.cause : undefined
  }
  return undefined
}

const codeOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined

/** The SQLSTATE with which the server refused a statement; undefined for every other error. */
export const sqlState = (error: unknown): string | undefined =>
  findCause(error, (inner) => {
    const code = codeOf(inner)
    return code !== undefined && SQLSTATE.test(code) && !SYSTEM_CODES.has(code) ? code : undefined
  })

/**
 * Returns the message of the first error with a code, among the error and its causes: the server's message, or the
 * message about a lost connection. Undefined when none of these errors has a code.
 */
export const said = (error: unknown): string | undefined =>
  findCause(error, (inner) => (inner instanceof Error && codeOf(inner) !== undefined ? inner.message : undefined))

const VIOLATED = /violates (?:\w+ )+constraint "(.+?)(?:_\d+)?"/

/**
 * The name of the constraint that a row violates. When a node of Citus refuses the row, the error has no field
 * `constraint`, so this function reads the name from the message. The message names the shard's constraint, which ends
 * with the shard's number; `VIOLATED` leaves the number out.
 */
const constraintOf = (error: unknown): string | undefined =>
  findCause(error, (inner) => {
    if (!Predicate.hasProperty(inner, "code")) return undefined
    if (Predicate.hasProperty(inner, "constraint") && typeof inner.constraint === "string") return inner.constraint
    return inner instanceof Error ? VIOLATED.exec(inner.message)?.[1] : undefined
  })

/**
 * Whether the server refused a row because another row has the same key (23505). With `constraint`, only a violation of
 * that constraint or index counts.
 */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  sqlState(error) === "23505" && (constraint === undefined || constraintOf(error) === constraint)

/** Whether the server refused a row because the row that it refers to by `constraint` does not exist (23503). */
export const isForeignKeyViolation = (error: unknown, constraint: string): boolean =>
  sqlState(error) === "23503" && constraintOf(error) === constraint

/**
 * The name of the CHECK constraint with which `Partitions` keeps rows of one month out of a DEFAULT partition, while it
 * makes the partition of that month.
 */
const CLOSED_MONTH = /_default_without_\d{4}_\d{2}$/

/**
 * Whether the server refused a row that it had routed to the DEFAULT partition, because another transaction is making,
 * or has just attached, the partition that the row belongs to. PostgreSQL has no separate SQLSTATE for the second case:
 * it reports a check violation without the name of a constraint.
 */
const lostItsPartition = (error: unknown): boolean => {
  if (sqlState(error) !== "23514") return false
  const constraint = constraintOf(error)
  return constraint === undefined || CLOSED_MONTH.test(constraint)
}

/**
 * Whether a node of a cluster refused its part of a LOCK statement, or was lost during the statement. Citus reports the
 * node's reason, such as a lock time-out, only as a warning, so only the error's message identifies this error.
 */
export const isRefusedByNode = (error: unknown): boolean =>
  findCause(error, (inner) =>
    inner instanceof Error && inner.message.startsWith("failure on connection marked as essential") ? true : undefined
  ) === true

/** Whether a statement waited too long for a lock, on this server or on a node of the cluster. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === "55P03" || isRefusedByNode(error)

/**
 * The messages, of Citus or of libpq, that say that a node of a cluster was lost during a statement or during the
 * commit. The SQLSTATE does not say so: Citus often reports a lost node as an internal error (XX000). A server with
 * another `lc_messages` may translate these messages, and then this pattern does not match. Citus writes "could not
 * commit transaction for shard" also when a deferred constraint is violated at the commit, but no table of the schema
 * has a deferred constraint.
 */
const LOST_NODE_MESSAGE =
  /^(?:could not commit transaction for shard|server closed the connection|no connection to the server|could not (?:receive data from|send data to) server|SSL (?:SYSCALL error|connection has been closed|error: unexpected eof)|connection (?:lost|not open))/

const lostANode = (error: unknown): boolean => sqlState(error) === "XX000" && LOST_NODE_MESSAGE.test(said(error) ?? "")

/**
 * Whether a retry of the same work may succeed. Examples are a lock time-out, a statement time-out, a lost race, a lost
 * connection, a full pool or disk, and a server that starts or stops.
 */
export const isTransient = (error: unknown): boolean => {
  const state = sqlState(error)
  if (state !== undefined) {
    const isPassing = TRANSIENT_STATES.has(state) || state.startsWith("08") || state.startsWith("53")
    return isPassing || lostItsPartition(error) || isRefusedByNode(error) || lostANode(error)
  }
  return (
    findCause(error, (inner) => {
      const code = codeOf(inner)
      if (code !== undefined && SYSTEM_CODES.has(code)) return true
      if (code === "ENOENT" && isConnecting(inner)) return true
      return inner instanceof Error && CONNECTION_MESSAGE.test(inner.message) ? true : undefined
    }) === true
  )
}

const toStoreError = (cause: unknown): StoreError =>
  isTransient(cause) ? StoreError.unavailable(cause) : StoreError.broken(cause)

type Database = SqlError | ParseResult.ParseError

const isDatabase = (error: unknown): error is Database => error instanceof SqlError || ParseResult.isParseError(error)

/** The error with which a transaction died, because its COMMIT or ROLLBACK failed. Undefined for every other cause. */
const diedInTransaction = (cause: Cause.Cause<unknown>): SqlError | undefined => {
  const defect = Option.getOrUndefined(Cause.dieOption(cause))
  return defect instanceof SqlError ? defect : undefined
}

/**
 * Fails with an `SqlError` when a transaction dies with this error, for example because its connection was lost.
 * Programs that repeat a transaction, or describe its failure to an operator, need this step after the transaction: a
 * transaction that dies is not repeated, and ends the process with a stack trace.
 */
export const orSqlError = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchAllCause(effect, (cause): Effect.Effect<never, E | SqlError> => {
    const died = diedInTransaction(cause)
    return died === undefined ? Effect.failCause(cause) : Effect.fail(died)
  })

/**
 * Every method of a store ends with this step. An error of the database, or a row that cannot be decoded, becomes a
 * `StoreError`; other errors pass through. A transaction dies with an `SqlError` when its COMMIT or ROLLBACK fails, for
 * example because the connection was lost, or because a statement that was sent together with COMMIT failed (`last`).
 * This function turns the defect into a `StoreError` too. After a lost COMMIT it is unknown whether the transaction was
 * committed: every write must be idempotent or carry a version.
 */
export const orStoreError = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Database> | StoreError, R> =>
  // One `catchAllCause` handles every case. Each further operator would slow down every statement, even one that
  // succeeds.
  Effect.catchAllCause(effect, (cause) => {
    const died = diedInTransaction(cause)
    if (died !== undefined) return Effect.fail(toStoreError(died))
    const failure = Cause.failureOrCause(cause)
    if (Either.isRight(failure)) return Effect.failCause(failure.right)
    const error = failure.left
    return Effect.fail(isDatabase(error) ? toStoreError(error) : (error as Exclude<E, Database>))
  })
