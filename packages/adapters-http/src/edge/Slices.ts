import { Data, Effect } from "effect"

/**
 * Long work on one large body, in slices: after each slice, the other requests of the process run. A phone that was
 * offline for weeks sends 8 MiB in one request. Parsing such a body in one piece would block the process for a second.
 */

/**
 * The approximate number of characters of JSON in one slice. Parsing them takes about two milliseconds. A slice ends
 * only between two elements of a list, so a slice can be longer.
 */
const CHARACTERS = 131_072
/** At most this number of entries are converted in one slice. */
const ENTRIES = 1_000
/**
 * The most values that one list entry may have, and that all members of the root which are not lists may have together.
 * Each of these parts is parsed in one slice, so it must be bounded. The other entries of a slice need no bound of
 * their own: together they have at most `CHARACTERS` characters, and so at most this number of values.
 */
export const VALUES = CHARACTERS

/** The text has more than `VALUES` values in one list entry, or in the members of the root that are not lists. */
export class TooManyValues extends Data.TaggedError("TooManyValues") {}

/** Gives the event loop one turn, in which other requests can run. */
const turn: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

/**
 * Converts every entry of a list and passes the result to `next`. A list of more than `ENTRIES` entries is converted in
 * slices, between which other requests run.
 */
export const mapped = <A, B, C, E, R>(
  list: ReadonlyArray<A>,
  convert: (one: A) => B,
  next: (converted: ReadonlyArray<B>) => Effect.Effect<C, E, R>
): Effect.Effect<C, E, R> =>
  list.length <= ENTRIES ? next(list.map(convert)) : Effect.flatMap(inSlices(list, convert), next)

const inSlices = <A, B>(list: ReadonlyArray<A>, convert: (one: A) => B): Effect.Effect<ReadonlyArray<B>> =>
  Effect.gen(function* () {
    const converted: Array<B> = []
    for (let from = 0; from < list.length; from += ENTRIES) {
      for (const one of list.slice(from, from + ENTRIES)) converted.push(convert(one))
      yield* turn
    }
    return converted
  })

/** Whether a text is so long that `JSON.parse` would block other requests. Such a text is parsed with `parse`. */
export const isLong = (text: string): boolean => text.length > 2 * CHARACTERS

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Parses a long JSON text in pieces, with the same values and the same refusals as `JSON.parse`. Also refuses a text
 * with more than `VALUES` values in one element, or in the rest that is parsed at the end.
 *
 * When the root is a list, the root is cut between its elements. When the root is an object, the members that are lists
 * are cut between their elements. Each piece is parsed by itself. Everything else is parsed at the end. In the text
 * that is parsed at the end, `[n]` stands in place of each cut list; `n` is the index of the list.
 *
 * `onPart` gets every value once: the elements of a piece as a list, each other member as an object, and a root that is
 * neither a list nor an object unchanged. `characters`: the length of a piece.
 */
export const parse = <E>(
  text: string,
  onPart: (part: unknown) => Effect.Effect<void, E>,
  characters = CHARACTERS
): Effect.Effect<unknown, E | SyntaxError | TooManyValues> =>
  Effect.gen(function* () {
    const opening = /^[\t\n\r ]*([[{])/.exec(text)?.[1]
    /**
     * How many brackets are open between two elements of a list that is cut: 1 when the root is the list, 2 when the
     * list is a member of the root object. 0 when the root is neither a list nor an object, so that no list is cut.
     */
    const inList = opening === "{" ? 2 : opening === "[" ? 1 : 0
    const lists: Array<Array<unknown>> = []
    let rest = ""
    let restFrom = 0
    let list: Array<unknown> | undefined
    let pieceFrom = 0
    let pausedAt = 0
    let [depth, isText] = [0, false]
    /**
     * How many values have been read so far: in the present element of a list, and in `rest`. Each comma and each
     * opening bracket counts as one value.
     */
    let [valuesOfElement, valuesOfRest] = [0, 0]
    const hasTooMany = () => (list === undefined ? ++valuesOfRest : ++valuesOfElement) > VALUES && inList > 0

    const take = (until: number, isLast: boolean) =>
      Effect.gen(function* () {
        const piece = text.slice(pieceFrom, until)
        const parsed = yield* parsedNow(`[${piece}]`)
        const elements = parsed as Array<unknown>
        // Between two commas there must be an element; an empty list has no comma.
        if (elements.length === 0 && !(isLast && list?.length === 0))
          return yield* Effect.fail(new SyntaxError("comma"))
        yield* onPart(elements)
        for (const element of elements) list?.push(element)
        pieceFrom = until + 1
      })

    for (let at = 0; at < text.length; at++) {
      if (at - pausedAt >= characters) {
        pausedAt = at
        yield* turn
      }
      const code = text.charCodeAt(at)
      if (isText) {
        if (code === BACKSLASH) at++
        else if (code === QUOTE) isText = false
      } else if (code === QUOTE) isText = true
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        if (hasTooMany()) return yield* new TooManyValues()
        depth++
        if (depth === inList && code === OPEN_BRACKET && list === undefined) {
          rest += `${text.slice(restFrom, at)}[${lists.length}]`
          lists.push((list = []))
          pieceFrom = at + 1
          valuesOfElement = 0
        }
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth--
        if (depth === inList - 1 && list !== undefined) {
          if (code !== CLOSE_BRACKET) return yield* Effect.fail(new SyntaxError("bracket"))
          yield* take(at, true)
          list = undefined
          restFrom = at + 1
        }
      } else if (code === COMMA) {
        if (depth === inList && list !== undefined) {
          valuesOfElement = 0
          if (at - pieceFrom < characters) continue
          yield* take(at, false)
          pausedAt = at
          yield* turn
        } else if (hasTooMany()) return yield* new TooManyValues()
      }
    }
    if (list !== undefined) return yield* Effect.fail(new SyntaxError("end"))
    const root = yield* parsedNow(rest + text.slice(restFrom))
    if (opening === "[") return lists[0]
    if (opening === undefined) {
      yield* onPart(root)
      return root
    }
    const members = root as Record<string, unknown>
    for (const [index, [key, value]] of Object.entries(members).entries()) {
      if (index % ENTRIES === ENTRIES - 1) yield* turn
      if (Array.isArray(value)) members[key] = lists[Number(value[0])]
      else yield* onPart({ [key]: value })
    }
    return members
  })

const parsedNow = (text: string) =>
  Effect.try({ try: (): unknown => JSON.parse(text), catch: (error) => error as SyntaxError })
