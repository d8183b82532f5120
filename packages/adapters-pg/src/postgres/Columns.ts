import pg from "pg"
import { objectOf } from "../rows/Shape.js"

/** A column of an answer, as the server describes it. */
export type Field = Pick<pg.FieldDef, "name" | "dataTypeID">

/** How a column of a type is read from its text. */
export type ParserOf = (oid: number) => (text: string) => unknown

/** What lies behind the length of a DataRow, from `at` on. */
export type RowReader = (bytes: Buffer, at: number) => object

type ColumnReader = (bytes: Buffer, start: number, end: number) => unknown

/** Rows of these columns, read straight from what came: `pg` makes a list of texts of each row first, and an object key by key of that. */
export const rowReader = (fields: ReadonlyArray<Field>, parserOf: ParserOf): RowReader => {
  const columns = fields.map(({ dataTypeID }) => columnReader(dataTypeID, parserOf(dataTypeID)))
  const make = objectOf(fields.map(({ name }) => name))
  const values: Array<unknown> = Array.from(fields, () => null)
  return (bytes, from) => {
    // Behind the count of columns.
    let at = from + 2
    for (let index = 0; index < columns.length; index++) {
      const length = bytes.readInt32BE(at)
      at += 4
      if (length < 0) values[index] = null
      else {
        values[index] = (columns[index] as ColumnReader)(bytes, at, at + length)
        at += length
      }
    }
    return make(values)
  }
}

/** What needs no text in between, where it is read as `pg` reads it unless told otherwise. */
const columnReader = (oid: number, parse: (text: string) => unknown): ColumnReader =>
  (parse === pg.types.getTypeParser(oid) && quick.get(oid)) ||
  ((bytes, start, end) => parse(bytes.toString(undefined, start, end)))

const text: ColumnReader = (bytes, start, end) => bytes.toString(undefined, start, end)

const MINUS = 0x2d
const ZERO = 0x30
const TRUE = 0x74

/** Of at most ten digits. */
const integer: ColumnReader = (bytes, start, end) => {
  const isNegative = bytes[start] === MINUS
  let value = 0
  for (let at = isNegative ? start + 1 : start; at < end; at++) value = value * 10 + ((bytes[at] as number) - ZERO)
  return isNegative ? -value : value
}

const { builtins } = pg.types

const quick: ReadonlyMap<number, ColumnReader> = new Map([
  [builtins.TEXT, text],
  [builtins.VARCHAR, text],
  [builtins.INT8, text],
  [builtins.INT4, integer],
  [builtins.INT2, integer],
  [builtins.BOOL, (bytes, start) => bytes[start] === TRUE]
])
