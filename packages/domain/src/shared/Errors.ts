// The errors that several folders of the domain use. Decision errors-1 says what the message of an error contains.
import { Effect, Schema } from "effect"

/**
 * Brands a schema. A parse error of the schema begins with the brand's name (decision errors-1), unless a filter of the
 * schema has its own message, which pages and answers show to people.
 */
export const brand =
  <B extends string>(name: B) =>
  <S extends Schema.Schema.AnyNoContext>(schema: S): Schema.brand<S, B> =>
    Schema.brand<S, B>(name, {
      parseIssueTitle: (issue) => (issue._tag === "Type" && issue.message !== undefined ? undefined : name)
    })(schema)

/**
 * One problem of one submitted field. `field` is the name on the wire. `message` never repeats the submitted value,
 * except the name of a scope.
 */
export class Problem extends Schema.Class<Problem>("Problem")({
  field: Schema.String,
  message: Schema.String
}) {}

/** The input is well-formed, but not valid; `problems` says why. Wire: 400 `validation_failed`. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  problems: Schema.NonEmptyArray(Problem)
}) {
  override get message(): string {
    return "The input breaks at least one rule"
  }

  /** One problem with one field. */
  static readonly of = (field: string, message: string): Invalid =>
    new Invalid({ problems: [new Problem({ field, message })] })
}

/** The thing does not exist, or the caller may not see it; the answer does not say which. Wire: 404 `not_found`. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { what: Schema.String }) {
  override get message(): string {
    return "The thing does not exist, or the caller may not see it"
  }
}

/** The caller may not do this. Wire: 403 `forbidden`. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { reason: Schema.String }) {
  override get message(): string {
    return "The caller may not do this"
  }
}

/** The request contradicts the present state. Wire: 409 `conflict`. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { reason: Schema.String }) {
  override get message(): string {
    return "The request contradicts the present state"
  }
}

/**
 * The store failed. `transient` true: trying again later may help, and the caller gets 503. The cause is for example a
 * lost connection, a time-out, a serialization failure or a full pool. False: the cause is a bug, and the caller gets
 * 500.
 */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  transient: Schema.Boolean,
  cause: Schema.Defect
}) {
  override get message(): string {
    return this.transient ? "The store failed, and trying again later may help" : "The store failed because of a bug"
  }
  /** A failure for which trying again later may help (503). */
  static readonly unavailable = (cause: unknown): StoreError => new StoreError({ transient: true, cause })
  /** A failure for which trying again does not help, because it is a bug (500). */
  static readonly broken = (cause: unknown): StoreError => new StoreError({ transient: false, cause })
}

/** The result of a method of a store. It needs no services, and its only failure is `StoreError`. */
export type StoreEffect<A> = Effect.Effect<A, StoreError>

/**
 * Repeats an effect immediately after a transient error, at most `times` times. Use it for conflicts that end soon, for
 * example when another transaction changed the row between the read and the write.
 */
export const retryTransient =
  (times: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAll(effect, (error) =>
      times > 0 && error instanceof StoreError && error.transient
        ? retryTransient(times - 1)(effect)
        : Effect.fail(error)
    )

/** How many rows one query of `sweepEach` asks for, in addition to the rows whose removal failed. */
const BATCH = 100

/**
 * Lists rows to remove, batch by batch, and removes each row, until the list has no new row. Returns how many rows were
 * removed. A removal that fails is logged with the text `failure`, and the next run tries again. A row whose removal
 * failed is listed again by the next query, so the query asks for more rows, and the loop skips this row. Otherwise a
 * row whose removal always fails would make the loop endless, and a hundred such rows would hide all other rows.
 */
export const sweepEach = <Row extends { readonly id: string }, E, R, E2, R2>(
  failure: string,
  list: (limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  remove: (row: Row) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<number, E, R | R2> =>
  Effect.gen(function* () {
    const tried = new Set<string>()
    let removed = 0
    for (;;) {
      const rows = (yield* list(BATCH + tried.size - removed)).filter(({ id }) => !tried.has(id))
      if (rows.length === 0) return removed
      for (const { id } of rows) tried.add(id)
      const [, done] = yield* Effect.partition(rows, (row) =>
        Effect.tapError(remove(row), (error) => Effect.logWarning(failure, row.id, error))
      )
      removed += done.length
    }
  })
