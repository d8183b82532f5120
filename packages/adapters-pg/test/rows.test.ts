import { Rows } from "@place-access/adapters-pg"
import { Event } from "@place-access/domain/events"
import { RuleId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, FastCheck as fc, Option, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { RecentColumn } from "../src/rules/RecentColumn.js"

/** Every kind of column that rows have, and some that none has yet. */
const Row = Schema.Struct({
  user_id: UserId,
  rule_id: Schema.NullOr(RuleId),
  version: Rows.Bigint,
  count: Schema.Int,
  lat: Schema.Finite,
  is_test: Schema.Boolean,
  side: Schema.NullOr(Schema.Literal("inside", "outside")),
  created_at: Rows.At,
  ended_at: Rows.NullableAt,
  scopes: Schema.Array(UserId),
  calls: Schema.Array(Rows.At),
  payload: Event.Payload,
  recent: RecentColumn,
  anything: Schema.Unknown,
  maybe: Schema.optional(Schema.String),
  defaulted: Schema.optionalWith(Schema.Number, { default: () => 7 })
})
const Inner = Schema.Struct({
  when: Timestamp.FromIso,
  counts: Schema.Record({ key: Schema.String, value: Schema.Int })
})
const Alternatives = Schema.Union(
  Schema.Struct({ kind: Schema.Null, version: Rows.Bigint }),
  Schema.Struct({ kind: Schema.Literal("one"), lat: Schema.Finite, inner: Inner }),
  Schema.Struct({ kind: UserId, at: Rows.NullableAt, pair: Schema.Tuple(Schema.String, Schema.Int) })
)

const text = fc.constantFrom(
  "usr_1",
  "",
  "a b",
  "12",
  "-3",
  "1.5",
  "one",
  "2026-01-02T03:04:05Z",
  "nmkk0fk00,5k fmkk0g800,0,evt_1"
)
const scalar = fc.oneof(
  text,
  fc.constantFrom(0, -0, 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60),
  fc.constantFrom(true, false, null, undefined, "inside", "outside", 12n),
  fc.constantFrom(new Date(0), new Date(1_767_312_000_000), new Date(Number.NaN))
)
const json = fc.constantFrom<unknown>(
  { type: "places.changed", placesVersion: 3 },
  { type: "ping" },
  { type: "place.enter", ruleId: "rul_1", target: { placeId: null, label: "Home", radius: 9 } },
  { type: "place.enter", ruleId: "rul_1" },
  { when: "2026-01-02T03:04:05.678Z", counts: { a: 1, b: 2 } },
  { when: "yesterday", counts: {} },
  { when: "2026-01-02T03:04:05Z", counts: { a: 1.5 } }
)
const any = fc.oneof(scalar, json, fc.array(scalar, { maxLength: 3 }))

const good = {
  user_id: text.filter((one) => /^[a-z_0-9-]+$/.test(one)),
  rule_id: fc.constantFrom("rul_1", null),
  version: fc.constantFrom("12", 12),
  count: fc.integer(),
  lat: fc.double({ noNaN: true, noDefaultInfinity: true }),
  is_test: fc.boolean(),
  side: fc.constantFrom("inside", "outside", null),
  created_at: fc.constantFrom(new Date(0), new Date(5)),
  ended_at: fc.constantFrom(new Date(5), null),
  scopes: fc.array(fc.constantFrom("a", "b")),
  calls: fc.array(fc.constantFrom(new Date(5))),
  payload: json,
  recent: fc.constantFrom("nmkk0fk00,5k fmkk0g800,0,evt_1", "", null),
  anything: any,
  defaulted: fc.constantFrom(1, 2)
}
const likeRow = fc.record(good, { requiredKeys: [] })
const likeEither = fc.record(
  {
    kind: fc.constantFrom(null, "one", "two", "", undefined),
    version: fc.constantFrom("1", 2),
    lat: fc.constantFrom(1, Number.NaN),
    inner: json,
    at: fc.constantFrom(null, new Date(1)),
    pair: fc.constantFrom(["a", 1], ["a"], [1, "a"])
  },
  { requiredKeys: [] }
)
/** A row as it should be but for some of its columns. */
const spoilt = (like: fc.Arbitrary<object>) =>
  fc
    .tuple(like, fc.array(fc.tuple(fc.constantFrom(...Object.keys(good), "kind", "maybe"), any), { maxLength: 2 }))
    .map(([row, changes]) => ({ ...row, ...Object.fromEntries(changes) }))
const whole = fc.record(good)

const read = <A, I>(schema: Schema.Schema<A, I>, rows: ReadonlyArray<unknown>) =>
  Effect.runSync(Effect.either(Rows.all(schema)(Effect.succeed(rows))))
const readFirst = <A, I>(schema: Schema.Schema<A, I>, rows: ReadonlyArray<unknown>) =>
  Effect.runSync(Effect.either(Rows.first(schema)(Effect.succeed(rows))))

/** What is read, and how often: [rows that could be read, rows that could not]. */
const compare = <A, I>(schema: Schema.Schema<A, I>, rows: fc.Arbitrary<unknown>): readonly [number, number] => {
  const met: [number, number] = [0, 0]
  const decode = Schema.decodeUnknownEither(schema)
  fc.assert(
    fc.property(rows, (row) => {
      const expected = decode(row)
      const found = read(schema, [row])
      const first = readFirst(schema, [row])
      if (Either.isRight(expected)) {
        expect(found).toStrictEqual(Either.right([expected.right]))
        expect(first).toStrictEqual(Either.right(Option.some(expected.right)))
      } else {
        expect(Either.isLeft(found)).toBe(true)
        expect(String(Either.getLeft(first))).toBe(String(Either.getLeft(expected)))
      }
      met[Either.isRight(expected) ? 0 : 1]++
    }),
    { numRuns: 1_000 }
  )
  return met
}

describe("rows", () => {
  it("are read as the schema's own decoder reads them: the same values, and the same rows refused", () => {
    const [readable, refused] = compare(Row, fc.oneof(whole, spoilt(whole), spoilt(likeRow), any))
    expect(Math.min(readable, refused)).toBeGreaterThan(50)
    const [ones, none] = compare(Alternatives, fc.oneof(spoilt(likeEither), any))
    expect(Math.min(ones, none)).toBeGreaterThan(50)
  })

  it("one that cannot be read fails with what the decoder says, wherever it stands", () => {
    const schema = Schema.Struct({ count: Schema.Int })
    const rows = [{ count: 1 }, { count: "two" }, { count: 3 }]
    expect(String(Either.getLeft(read(schema, rows)))).toBe(
      String(Either.getLeft(Schema.decodeUnknownEither(Schema.Array(schema))(rows)))
    )
    expect(readFirst(schema, [])).toStrictEqual(Either.right(Option.none()))
  })
})
