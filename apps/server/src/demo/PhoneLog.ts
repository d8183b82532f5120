import { Data, Either, Schema } from "effect"

/** A line of a recorded phone log, as the phone stored it. Times are in milliseconds since 1970. */
export interface RecordedFix {
  readonly capturedAt: number
  /** When the phone stored the reading. The phone cannot have sent the reading earlier. */
  readonly writtenAt: number
  readonly lat: number
  readonly lon: number
  readonly accuracyM: number
  readonly speedMps: number
  readonly courseDeg: number
  readonly altitudeM: number
}

export class LogUnreadable extends Data.TaggedError("LogUnreadable")<{ readonly message: string }> {}

const COLUMNS = {
  capturedAt: "capture_ts",
  writtenAt: "write_ts",
  lat: "latitude",
  lon: "longitude",
  accuracyM: "accuracy_m",
  speedMps: "speed_mps",
  courseDeg: "bearing_deg",
  altitudeM: "altitude_m"
} as const
type Column = keyof typeof COLUMNS

const decodeNumber = Schema.decodeUnknownEither(Schema.compose(Schema.NumberFromString, Schema.Finite))

/**
 * Reads comma-separated lines with a header line. The columns may be in any order, and unknown columns are skipped.
 * Times in the text are in seconds.
 */
export const parse = (text: string): Either.Either<ReadonlyArray<RecordedFix>, LogUnreadable> =>
  Either.gen(function* () {
    const numbered = text.split(/\r?\n/).map((line, index) => ({ line, position: index + 1 }))
    const [head, ...lines] = numbered.filter(({ line }) => line.trim() !== "")
    const names = (head?.line ?? "").split(",").map((name) => name.trim())
    const missing = Object.values(COLUMNS).filter((name) => !names.includes(name))
    if (missing.length > 0) return yield* unreadable(`the columns ${missing.join(", ")} are missing`)
    if (lines.length === 0) return yield* unreadable("it has no readings")
    const readings: Array<RecordedFix> = []
    for (const { line, position } of lines) {
      const cellOf = cells(names, line, position)
      const cell = (column: Column) => cellOf(COLUMNS[column])
      readings.push({
        capturedAt: Math.round((yield* cell("capturedAt")) * 1000),
        writtenAt: Math.round((yield* cell("writtenAt")) * 1000),
        lat: yield* cell("lat"),
        lon: yield* cell("lon"),
        accuracyM: yield* cell("accuracyM"),
        speedMps: yield* cell("speedMps"),
        courseDeg: yield* cell("courseDeg"),
        altitudeM: yield* cell("altitudeM")
      })
    }
    return readings
  })

/** Returns a function that reads the number in a column of a line. `position` is the line number that errors name. */
export const cells = (names: ReadonlyArray<string>, line: string, position: number) => {
  const texts = line.split(",")
  return (column: string): Either.Either<number, LogUnreadable> =>
    Either.mapLeft(
      decodeNumber(texts[names.indexOf(column)]?.trim()),
      () => new LogUnreadable({ message: `line ${position}: ${column} is no number` })
    )
}

const unreadable = (message: string) => Either.left(new LogUnreadable({ message }))

/** Readings that a phone sends together. */
export interface Upload {
  /** When the phone sends the upload. */
  readonly at: number
  readonly readings: ReadonlyArray<RecordedFix>
}

/**
 * The time at which the phone can send a reading: after it was stored, and not before it was measured. The clocks of
 * some phones say that a reading was stored before it was measured.
 */
const sendable = ({ capturedAt, writtenAt }: RecordedFix): number => Math.max(capturedAt, writtenAt)

/**
 * Groups the readings into uploads. An upload contains the readings that can be sent at most `gapMillis` after its
 * first reading, in the order in which they can be sent. The phone sends the upload when its last reading can be sent.
 */
export const uploads = (readings: ReadonlyArray<RecordedFix>, gapMillis: number): ReadonlyArray<Upload> => {
  const result: Array<Upload> = []
  for (const one of readings.toSorted((a, b) => sendable(a) - sendable(b))) {
    const last = result.at(-1)
    const first = last?.readings[0]
    if (last !== undefined && first !== undefined && sendable(one) - sendable(first) <= gapMillis) {
      result[result.length - 1] = { at: sendable(one), readings: [...last.readings, one] }
    } else {
      result.push({ at: sendable(one), readings: [one] })
    }
  }
  return result
}

export const shift = (readings: ReadonlyArray<RecordedFix>, millis: number): ReadonlyArray<RecordedFix> =>
  readings.map((one) => ({ ...one, capturedAt: one.capturedAt + millis, writtenAt: one.writtenAt + millis }))

/** The time at which the first reading was measured, and the time at which the last one could be sent. */
export const span = (readings: ReadonlyArray<RecordedFix>): { readonly from: number; readonly to: number } => {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const one of readings) {
    from = Math.min(from, one.capturedAt)
    to = Math.max(to, sendable(one))
  }
  return { from, to }
}
