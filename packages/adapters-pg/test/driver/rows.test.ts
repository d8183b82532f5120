import { Rows } from "@place-access/adapters-pg"
import { Event } from "@place-access/domain/events"
import { RuleId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, FastCheck as fc, Option, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { RecentColumn } from "../../src/rules/RecentColumn.js"

/**
 * A struct that has a column with a default. `readerOf` does not compile such a struct but uses the schema's own
 * decoder for it. The struct is separate from the `Row` below, so that `readerOf` still compiles the `Row`.
 */
const Defaulted = Schema.Struct({ defaulted: Schema.optionalWith(Schema.Number, { default: () => 7 }) })
/** Every kind of column that the stores use, and some that no store uses yet. */
const columns = {
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
  pair: Schema.Tuple(Schema.String, Schema.Int),
  headed: Schema.Tuple([Schema.String], Schema.Int),
  counts: Schema.Record({ key: Schema.String, value: Schema.Int }),
  named: Schema.Struct({ a: Schema.Int }, Schema.Record({ key: Schema.String, value: Schema.Int })),
  defaults: Defaulted,
  maybe: Schema.optional(Schema.String)
}
const Row = Schema.Struct({ ...columns, anything: Schema.Unknown })
const Alternatives = Schema.Union(
  Schema.Struct({ kind: Schema.Null, version: Rows.Bigint }),
  Schema.Struct({
    kind: Schema.Literal("one"),
    lat: Schema.Finite,
    inner: Schema.Struct({ when: Timestamp.FromIso, counts: columns.counts })
  }),
  Schema.Struct({ kind: UserId, at: Rows.NullableAt, pair: columns.pair })
)
/**
 * In each of these unions, the second member also accepts rows that the first member accepts, but returns another
 * value. So the reader must try the members in order.
 */
const Overlapping = {
  columns: Schema.Union(Schema.Struct({ id: UserId, count: Schema.Int }), Schema.Struct({ id: UserId })),
  scalars: Schema.Struct({ one: Schema.Union(Rows.Bigint, Schema.String) })
}

const scalar = fc.oneof(
  fc.constantFrom("usr_1", "", "a b", "12", "-3", "1.5", "2026-01-02T03:04:05Z", "nmkk0fk00,5k fmkk0g800,0,evt_1"),
  fc.constantFrom(0, -0, 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60),
  fc.constantFrom(true, false, null, undefined, "inside", "outside", 12n),
  fc.constantFrom(new Date(0), new Date(1_767_312_000_000), new Date(Number.NaN))
)
const wrongJson = fc.constantFrom<unknown>(
  { type: "place.enter", ruleId: "rul_1" },
  { type: "places.changed", placesVersion: 1.5 },
  { a: 1, b: 1.5 },
  { defaulted: "7" }
)
const any = fc.oneof(scalar, wrongJson, fc.array(scalar, { maxLength: 3 }))

const at = fc.constantFrom(new Date(0), new Date(5))
const id = fc.constantFrom("usr_1", "12", "-3", "one")
const counts = fc.dictionary(fc.constantFrom("a", "b"), fc.integer())
const pair = fc.tuple(fc.string(), fc.integer())
const good = {
  user_id: id,
  rule_id: fc.constantFrom("rul_1", null),
  version: fc.constantFrom("12", 12),
  count: fc.integer(),
  lat: fc.double({ noNaN: true, noDefaultInfinity: true }),
  is_test: fc.boolean(),
  side: fc.constantFrom("inside", "outside", null),
  created_at: at,
  ended_at: fc.option(at),
  scopes: fc.array(id),
  calls: fc.array(at),
  payload: fc.constantFrom<unknown>(
    { type: "places.changed", placesVersion: 3 },
    { type: "ping" },
    { type: "place.enter", ruleId: "rul_1", target: { placeId: null, label: "Home", radius: 9 } }
  ),
  recent: fc.constantFrom("nmkk0fk00,5k fmkk0g800,0,evt_1", "", null),
  pair,
  headed: fc.tuple(fc.string(), fc.integer(), fc.integer()),
  counts,
  named: counts.map((more) => ({ ...more, a: 1 })),
  defaults: fc.constantFrom({ defaulted: 1 }, {}),
  anything: any,
  maybe: fc.constantFrom("", "a")
}
const sound = fc.record(good, {
  requiredKeys: Object.keys(good).filter((name) => name !== "maybe") as Array<Exclude<keyof typeof good, "maybe">>
})
const either = fc.oneof(
  fc.record({ kind: fc.constant(null), version: good.version }),
  fc.record({
    kind: fc.constant("one"),
    lat: good.lat,
    inner: fc.record({ when: fc.constantFrom("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05Z"), counts })
  }),
  fc.record({ kind: id.filter((one) => one !== "one"), at: good.ended_at, pair })
)

/** Marks a column that is missing in a row. `wrong` generates this mark, or any value. */
const LEFT_OUT = Symbol("left out")
const wrong = fc.oneof({ arbitrary: any, weight: 4 }, { arbitrary: fc.constant(LEFT_OUT), weight: 1 })
const amid = (list: ReadonlyArray<unknown>) =>
  fc.tuple(fc.nat({ max: list.length }), any).map(([place, one]) => list.toSpliced(place, 0, one))
/** Makes rows in which only this column may be wrong. */
const spoiltIn = (column: string, like: fc.Arbitrary<object>) =>
  like.chain((row) => {
    const own = (row as Readonly<Record<string, unknown>>)[column]
    return (Array.isArray(own) ? fc.oneof(wrong, amid(own)) : wrong).map((value) =>
      Object.fromEntries(Object.entries({ ...row, [column]: value }).filter(([, one]) => one !== LEFT_OUT))
    )
  })

const read = <A, I>(schema: Schema.Schema<A, I>, rows: ReadonlyArray<unknown>) =>
  Effect.runSync(Effect.either(Rows.all(schema)(Effect.succeed(rows))))
const readFirst = <A, I>(schema: Schema.Schema<A, I>, rows: ReadonlyArray<unknown>) =>
  Effect.runSync(Effect.either(Rows.first(schema)(Effect.succeed(rows))))

/**
 * Checks that arbitrary rows are read or refused as the schema's own decoder does. Returns how many rows were readable
 * and how many were not.
 */
const compare = <A, I>(
  schema: Schema.Schema<A, I>,
  rows: fc.Arbitrary<unknown>,
  numRuns: number
): readonly [number, number] => {
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
    { numRuns }
  )
  return met
}

describe("rows", () => {
  it("are read as the schema's own decoder reads them: the same values, when nothing is wrong with them", () => {
    expect(compare(Row, sound, 1_000)).toEqual([1_000, 0])
    expect(compare(Alternatives, either, 500)).toEqual([500, 0])
  })

  it.each(Object.keys(columns))("are refused as the decoder refuses them when %s alone is wrong", (column) => {
    const [, refused] = compare(Row, spoiltIn(column, sound), 200)
    expect(refused).toBeGreaterThan(50)
  })

  it("of several kinds are refused as the decoder refuses them when one column is wrong, or they are no rows", () => {
    for (const column of ["kind", "version", "lat", "inner", "at", "pair"]) {
      const [, refused] = compare(Alternatives, spoiltIn(column, either), 300)
      expect(refused).toBeGreaterThan(20)
    }
    expect(compare(Alternatives, any, 200)).toEqual([0, 200])
    expect(compare(Row, any, 200)).toEqual([0, 200])
  })

  it("that fit several alternatives are read as the first of them", () => {
    const { columns, scalars } = Overlapping
    expect(read(columns, [{ id: "usr_1", count: 1 }, { id: "usr_1" }])).toStrictEqual(
      Either.right([{ id: "usr_1", count: 1 }, { id: "usr_1" }])
    )
    expect(read(scalars, [{ one: "12" }, { one: "a b" }])).toStrictEqual(Either.right([{ one: 12 }, { one: "a b" }]))
    compare(columns, spoiltIn("count", fc.record({ id, count: good.count })), 200)
    compare(scalars, fc.record({ one: scalar }), 200)
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

describe("a timestamp as a parameter", () => {
  it("is the text that a Date has, to the millisecond, on any day and in any order", () => {
    const edge = fc.constantFrom(0, 86_399_999, 86_400_000, 951_782_400_000, 4_102_444_799_999, 253_402_300_799_999)
    const time = fc.oneof(edge, fc.integer({ min: 0, max: 253_402_300_799_999 }))
    fc.assert(
      fc.property(fc.array(time, { minLength: 1 }), (times) => {
        expect(times.map(Rows.at)).toEqual(times.map((one) => new Date(one).toISOString()))
      })
    )
  })

  it("is a Date where ISO 8601 is not what the server reads", () => {
    for (const time of [-1, 253_402_300_800_000]) expect(Rows.at(time)).toEqual(new Date(time))
  })
})
