import { Schema } from "effect"

const Happened = Schema.Struct({
  at: Schema.String,
  what: Schema.String,
  type: Schema.optional(Schema.String),
  subject: Schema.optional(Schema.String),
  url: Schema.optional(Schema.String),
  status: Schema.optional(Schema.Number),
  failure: Schema.optional(Schema.String)
})

/** What the server of a test world answers to `npm run clock`. */
const Moved = Schema.Struct({
  now: Schema.String,
  rate: Schema.Number,
  happened: Schema.Array(Happened),
  /** How many entries the list lacks, because it would be too long; undefined: the list is complete. */
  left_off: Schema.optional(Schema.Number)
})

export const Answer = Schema.parseJson(Moved)

const line = ({ at, failure, status, subject, type, url, what }: typeof Happened.Type): string =>
  [at, what.padEnd(7), type ?? subject, url, status ?? failure].filter((part) => part !== undefined).join("  ")

/** The answer as lines for people. */
export const sentences = ({ happened, left_off, now, rate }: typeof Answer.Type): string => {
  const pace = rate === 0 ? "stands still" : `runs ${rate} times as fast as real time`
  const rest =
    left_off === undefined
      ? []
      : [`${left_off} more ${left_off === 1 ? "is" : "are"} left out: move the clock in smaller steps.`]
  return [...happened.map(line), ...rest, `The clock shows ${now} and ${pace}.`].join("\n")
}
