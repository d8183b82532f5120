import { Frontend } from "@place-access/adapters-pg/postgres/Frontend"
import { FastCheck as fc } from "effect"
import { expect, it } from "vitest"

/** What a server reads of a Bind: whether each value is bytes, and the value. */
const boundBy = (message: Buffer) => {
  let at = 5
  const int16 = () => message.readInt16BE((at += 2) - 2)
  const int32 = () => message.readInt32BE((at += 4) - 4)
  const cString = () => {
    const end = message.indexOf(0, at)
    const text = message.toString("utf8", at, end)
    at = end + 1
    return text
  }
  const [portal, name] = [cString(), cString()]
  const formats = Array.from({ length: int16() }, int16)
  const values = Array.from({ length: int16() }, (_, index) => {
    const length = int32()
    if (length < 0) return null
    at += length
    const bytes = message.subarray(at - length, at)
    return formats[index] === 1 ? Buffer.from(bytes) : bytes.toString("utf8")
  })
  const results = int16()
  expect([message[0], message.readInt32BE(1), portal, results, at]).toEqual([
    0x42,
    message.length - 1,
    "",
    0,
    message.length
  ])
  return { name, values }
}

/** Of all lengths around those at which texts are written in another way, with and without characters beyond ASCII. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }).filter((one) => !/\p{Surrogate}/u.test(one)),
  fc
    .nat(45)
    .chain((length) => fc.constantFrom("a".repeat(length), `${"a".repeat(length)}é`, `${"a".repeat(length)}😀`)),
  fc.nat(100_000).map((length) => "ü".repeat(length))
)
const value = fc.oneof(
  text,
  fc.constant(null),
  fc.constant(undefined),
  fc.double(),
  fc.boolean(),
  fc.uint8Array().map(Buffer.from)
)

it("values are bound as the texts that they are, bytes as bytes, null and undefined as null", () => {
  const frontend = new Frontend()
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{0,50}$/), fc.array(value, { maxLength: 8 }), (name, values) => {
      frontend.bind(name, values)
      expect(boundBy(frontend.take())).toEqual({
        name,
        values: values.map((one) =>
          one === undefined || one === null ? null : Buffer.isBuffer(one) ? one : String(one)
        )
      })
    })
  )
})

it("lists, moments and objects are bound as the driver would", () => {
  const frontend = new Frontend()
  frontend.bind("", [["a", 1, null, 'b"c'], [new Date(0)], new Date(0), { a: 1 }])
  const [list, dates, date, object] = boundBy(frontend.take()).values
  expect([list, object]).toEqual(['{"a",1,NULL,"b\\"c"}', '{"a":1}'])
  expect(new Date(String(date))).toEqual(new Date(0))
  expect(new Date(String(dates).slice(2, -2))).toEqual(new Date(0))
})

it("messages lie one behind the other, and what was taken is not there again", () => {
  const frontend = new Frontend()
  frontend.parse("s1", "SELECT 1")
  frontend.bind("s1", [])
  frontend.describe()
  frontend.execute()
  frontend.sync()
  const types: Array<string> = []
  const sent = frontend.take()
  for (let at = 0; at < sent.length; at += 1 + sent.readInt32BE(at + 1)) types.push(String.fromCharCode(sent[at] ?? 0))
  expect(types.join("")).toBe("PBDES")
  expect(frontend.take()).toHaveLength(0)
  frontend.sync()
  frontend.clear()
  expect(frontend.take()).toHaveLength(0)
})
