import { Schema } from "effect"

/** One thing wrong with one field of what was submitted. `field` uses the wire's name; the value is never repeated. */
export class Problem extends Schema.Class<Problem>("Problem")({
  field: Schema.String,
  message: Schema.String
}) {}

/** Well-formed input that breaks rules of the specification; all of them at once. Wire: 400 `validation_failed`. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  problems: Schema.NonEmptyArray(Problem)
}) {
  /** One problem with one field. */
  static readonly of = (field: string, message: string): Invalid =>
    new Invalid({ problems: [new Problem({ field, message })] })
}

/** Does not exist, or is not the caller's to see; the two are never told apart. Wire: 404 `not_found`. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { what: Schema.String }) {}

/** The caller is known and may not do this. Wire: 403 `forbidden`. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { reason: Schema.String }) {}

/** Clashes with the present state. Wire: 409 `conflict`. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { reason: Schema.String }) {}
