import { rowReader } from "@place-access/adapters-pg/postgres/Columns"
import { columnTypes } from "@place-access/adapters-pg/postgres/ColumnTypes"
import { FastCheck as fc } from "effect"
import pg from "pg"
import { expect, it } from "vitest"

const { builtins } = pg.types

/** Texts as the server writes them. */
const columns: ReadonlyArray<readonly [oid: number, text: fc.Arbitrary<string>]> = [
  [builtins.TEXT, fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text))],
  [builtins.VARCHAR, fc.string()],
  [builtins.INT4, fc.integer().map(String)],
  [builtins.INT2, fc.integer({ min: -32_768, max: 32_767 }).map(String)],
  [builtins.INT8, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  [builtins.BOOL, fc.constantFrom("t", "f")],
  [builtins.FLOAT8, fc.oneof(fc.double().map(String), fc.constantFrom("NaN", "Infinity", "-Infinity"))],
  [builtins.NUMERIC, fc.constantFrom("1.50", "-0.1")],
  [builtins.JSONB, fc.json()],
  [builtins.TIMESTAMPTZ, fc.constantFrom("2026-01-02 03:04:05.678+00", "2026-01-02 03:04:05+02", "infinity")],
  [1009, fc.constantFrom("{}", '{a,"b c",NULL}')],
  [builtins.BYTEA, fc.constantFrom("\\x", "\\x00ff")],
  [424_242, fc.string()]
]

const column = fc
  .constantFrom(...columns)
  .chain(([oid, text]) => fc.tuple(fc.constant(oid), fc.option(text, { nil: null })))

const dataRow = (texts: ReadonlyArray<string | null>): Buffer => {
  const count = Buffer.alloc(2)
  count.writeInt16BE(texts.length)
  return Buffer.concat([
    count,
    ...texts.map((text) => {
      const length = Buffer.alloc(4)
      length.writeInt32BE(text === null ? -1 : Buffer.byteLength(text))
      return text === null ? length : Buffer.concat([length, Buffer.from(text)])
    })
  ])
}

it("rows are read as the driver reads them, column by column", () => {
  const parserOf = (oid: number) => columnTypes.getTypeParser(oid as never) as (text: string) => unknown
  fc.assert(
    fc.property(fc.array(column, { maxLength: 20 }), fc.nat(7), (cells, before) => {
      const fields = cells.map(([dataTypeID], index) => ({ name: `c${index}`, dataTypeID }))
      const bytes = Buffer.concat([Buffer.alloc(before), dataRow(cells.map(([, text]) => text))])
      expect(rowReader(fields, parserOf)(bytes, before)).toEqual(
        Object.fromEntries(cells.map(([oid, text], index) => [`c${index}`, text === null ? null : parserOf(oid)(text)]))
      )
    })
  )
})
