import { Effect, Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Slices from "../../src/edge/Slices.js"

const parse = (text: string, characters?: number) =>
  Effect.runPromise(Effect.either(Slices.parse(text, () => Effect.void, characters)))

/** The result of `JSON.parse`; "refused" when `JSON.parse` throws. */
const expected = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return "refused"
  }
}

const found = async (text: string, characters: number): Promise<unknown> =>
  Either.getOrElse(await parse(text, characters), () => "refused")

const text = fc
  .oneof(
    fc.dictionary(fc.constantFrom("a", "locations", "__proto__", 'é"\\', "0"), fc.jsonValue({ maxDepth: 3 })),
    fc.jsonValue({ maxDepth: 3 })
  )
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 1)))

/** The length of a piece. It may be one character, so that pieces end at every possible place of a text. */
const characters = fc.integer({ min: 1, max: 20 })

describe("a long JSON text in slices", () => {
  it("gives what JSON.parse gives", async () => {
    await fc.assert(
      fc.asyncProperty(text, characters, async (whole, length) => {
        expect(await found(whole, length)).toStrictEqual(expected(whole))
      }),
      { numRuns: 300 }
    )
  })

  it("is refused where JSON.parse refuses it: a character removed, doubled or changed", async () => {
    const damage = fc.record({
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      by: fc.constantFrom("", ",", "]", "}", "[", "{", '"', "\\", "1", ":", ",,")
    })
    await fc.assert(
      fc.asyncProperty(text, characters, damage, async (whole, length, { by, place }) => {
        const at = Math.floor(place * whole.length)
        const damaged = `${whole.slice(0, at)}${by}${whole.slice(at + 1)}`
        expect(await found(damaged, length)).toStrictEqual(expected(damaged))
      }),
      { numRuns: 600 }
    )
  })

  it("the slices together have every value once", async () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    const seen: Array<unknown> = []
    const whole = JSON.stringify({ a: numbers, b: { c: [1] }, d: numbers.slice(0, 2), e: null })
    await Effect.runPromise(Slices.parse(whole, (part) => Effect.sync(() => void seen.push(part))))
    const lists = seen.filter(Array.isArray)
    expect(lists.length).toBeGreaterThan(3)
    expect(lists.flat()).toEqual([...numbers, 0, 1])
    expect(seen.filter((part) => !Array.isArray(part))).toEqual([{ b: { c: [1] } }, { e: null }])
  })

  it("shows a root that is a list in pieces too, so that a list that is too long is refused early", async () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    const seen: Array<unknown> = []
    const whole = JSON.stringify(numbers)
    const parsed = Slices.parse(whole, (part) => Effect.sync(() => void seen.push(part)))
    expect(await Effect.runPromise(parsed)).toEqual(numbers)
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.flat()).toEqual(numbers)
  })

  it("lets others run between its pieces", async () => {
    let turns = 0
    const count = (): void => {
      turns++
      waiting = setImmediate(count)
    }
    let waiting = setImmediate(count)
    await parse(JSON.stringify({ a: Array.from({ length: 400_000 }, (_, index) => index) }))
    clearImmediate(waiting)
    expect(turns).toBeGreaterThan(10)
  })

  it("refuses before parsing what would be parsed at once and has too many values [fixes-8]", async () => {
    const members = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":1`).join(",")
    const many = members(Slices.VALUES + 1)
    const deep = "[".repeat(Slices.VALUES + 2)
    const wholes = [`{${many}}`, `{"a":{${many}}}`, `[{${many}}]`, `{"a":[{${many}}]}`, `{"a":${deep}`, `[${deep}`]
    for (const whole of wholes) {
      const parsed = await parse(whole)
      expect(Either.isLeft(parsed) && parsed.left).toBeInstanceOf(Slices.TooManyValues)
    }
    const lists = Array.from({ length: Slices.VALUES }, (_, index) => `"${index}":[]`).join(",")
    expect(Either.isLeft(await parse(`{${lists}}`))).toBe(true)
    const noJson = await parse(`a=${",".repeat(Slices.VALUES + 2)}`)
    expect(Either.isLeft(noJson) && noJson.left).toBeInstanceOf(SyntaxError)
    const few = `{${members(Slices.VALUES - 1)}}`
    expect(await found(few, 1_000)).toEqual(JSON.parse(few))
  })

  it("takes two entries that have too many values only together [fixes-8]", async () => {
    const entry = (count: number) => `[${Array.from({ length: count }, () => "1").join(",")}]`
    const [first, second] = [entry(Slices.VALUES / 2 - 10), entry(Slices.VALUES - 10)]
    for (const whole of [`[${first},${second}]`, `{"a":[${first},${second}],"b":[${second}]}`]) {
      expect(Either.getOrUndefined(await parse(whole))).toEqual(JSON.parse(whole))
    }
  })

  it("lets others run between the members of the root", async () => {
    let turns = 0
    const count = (): void => {
      turns++
      waiting = setImmediate(count)
    }
    let waiting = setImmediate(count)
    await parse(JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [index, 1]))))
    clearImmediate(waiting)
    expect(turns).toBeGreaterThan(80)
  })
})
