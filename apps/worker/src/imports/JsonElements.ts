/**
 * The deepest nesting that is read. No export is nested deeper. Without this limit, a file of nothing but brackets
 * would cost memory and time for every bracket.
 */
const MAX_DEPTH = 64
/**
 * The most bytes of an element or key, and, unless `open` gets another limit, of a gap between two elements. A larger
 * element, such as a GeoJSON line of some 100,000 positions, is not parsed: `TOO_LARGE` takes its place. A file with a
 * larger key or gap is refused, because no export of another program has such a key or gap. Between two calls of `push`
 * the reader keeps at most this number of bytes.
 */
export const MAX_ELEMENT_BYTES = 4_194_304

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
/** The byte order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf]
const EMPTY = Buffer.alloc(0)

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isOpening = (byte: number | undefined): boolean => byte === OPEN_BRACKET || byte === OPEN_BRACE

class WrongJson extends Error {}

/** Takes the place of an element of more than `MAX_ELEMENT_BYTES`. */
export const TOO_LARGE = Symbol("too large")

/** An array or object whose members are read one by one. `section` is its key in the root. */
interface Container {
  readonly isArray: boolean
  readonly section: string | undefined
}

/** How a reader reads single members of the root objects of a file, besides the arrays and objects of `sections`. */
export interface RootMembers {
  /** The names of the members of a root object that are read. Together they have at most `MAX_ELEMENT_BYTES`. */
  readonly names: ReadonlyArray<string>
  /** Called at the end of each root object, with these members. Returns whether another root object may follow. */
  readonly onEnd: (members: Readonly<Record<string, unknown>>) => boolean
}

/**
 * Reads the elements of a JSON file, one after the other, in bounded memory: the members of the root, or of the
 * `sections` of the root. `push` and `end` throw when the file is no JSON array or object, is nested too deeply, or has
 * a key or a gap between two elements that is too large. `mostBetween` is the largest gap, in bytes. With `root`, the
 * reader also reads single members of the root object, and files with several root objects.
 *
 * A file may have a million elements, so this reader only searches the bytes of an element for its end, and
 * `JSON.parse` reads and checks the element. That takes a tenth of the time of a parser that makes tokens in
 * JavaScript.
 */
export const open = (
  sections: "root" | ReadonlyArray<string>,
  onElement: (value: unknown, section: string | undefined) => void,
  mostBetween: number = MAX_ELEMENT_BYTES,
  root?: RootMembers
) => {
  const containers: Array<Container> = []
  let expected: "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing" = "value"
  let key: string | undefined
  let members: Record<string, unknown> = {}
  let membersBytes = 0
  let mayFollow = false
  /**
   * The position in the file of the first byte of `kept`. `kept` has the bytes of an element whose end has not been
   * found.
   */
  let keptAt = 0
  let kept: Buffer = EMPTY
  /** The position of the end of the last element that was passed to `onElement`. */
  let readUntil = 0
  let isInside = false
  /** The position of the beginning of the last key or element. */
  let startedAt = 0
  let [depth, isText, isEscaped] = [0, false, false]

  /**
   * The index after the end of the element that is being read; undefined when the element goes on beyond these bytes.
   */
  const endOf = (bytes: Uint8Array, from: number): number | undefined => {
    // Copies variables of the closure into local ones, because the loop takes twice the time with the variables of the
    // closure.
    let [level, isQuoted, isNextPlain] = [depth, isText, isEscaped]
    const deepest = MAX_DEPTH - containers.length
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]
      if (isQuoted) {
        if (isNextPlain) isNextPlain = false
        else if (byte === BACKSLASH) isNextPlain = true
        else if (byte === QUOTE) {
          isQuoted = false
          if (level === 0) return at + 1
        }
      } else if (byte === QUOTE) isQuoted = true
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++level > deepest) throw new WrongJson("nested too deep")
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        // A number has no closing character: it ends where its array or object ends.
        if (level === 0) return at
        if (--level === 0) return at + 1
      } else if (level === 0 && (byte === COMMA || isBlank(byte))) return at
    }
    depth = level
    isText = isQuoted
    isEscaped = isNextPlain
    return undefined
  }

  const isMember = (): boolean =>
    containers.length === 1 && containers[0]?.isArray === false && root?.names.includes(key ?? "") === true
  const isWanted = (): boolean => containers.length === (sections === "root" ? 1 : 2) || isMember()
  const isTooLarge = (until: number): boolean => until - startedAt > MAX_ELEMENT_BYTES

  /**
   * Refuses a key, or a gap between two elements, that is too large. `until` is the position up to which the file has
   * been read.
   */
  const check = (until: number): void => {
    if (expected === "key" && isInside && isTooLarge(until)) throw new WrongJson("a key that is too large")
    const gapEnd = expected !== "key" && isInside && isWanted() ? startedAt : until
    if (gapEnd - readUntil > mostBetween) throw new WrongJson("too large a gap between elements")
  }

  /**
   * Takes the key or element that ends at the position `until`. `text` returns its text, and is not called when an
   * element is too large.
   */
  const take = (text: () => string, until: number): void => {
    check(until)
    isInside = false
    const memberBytes = expected !== "key" && isMember() ? until - startedAt : 0
    const isTooMuch = isTooLarge(until) || membersBytes + memberBytes > MAX_ELEMENT_BYTES
    const value: unknown = isTooMuch ? TOO_LARGE : JSON.parse(text())
    if (expected === "key") {
      if (typeof value !== "string") throw new WrongJson("a key that is no text")
      key = value
      expected = "colon"
      return
    }
    expected = "comma or end"
    if (!isWanted()) return
    readUntil = until
    if (isMember()) {
      members[key ?? ""] = value
      if (!isTooMuch) membersBytes += memberBytes
    } else onElement(value, containers[1]?.section)
  }

  const isContainer = (byte: number | undefined): boolean =>
    containers.length === 0 ||
    (isOpening(byte) &&
      sections !== "root" &&
      containers.length === 1 &&
      containers[0]?.isArray === false &&
      key !== undefined &&
      sections.includes(key))

  const begin = (byte: number | undefined): void => {
    if (!isOpening(byte)) throw new WrongJson("no array and no object")
    const isArray = byte === OPEN_BRACKET
    containers.push({ isArray, section: key })
    expected = isArray ? "value or end" : "key or end"
    if (containers.length === 1) [members, membersBytes] = [{}, 0]
  }

  const close = (byte: number | undefined): void => {
    if (byte !== (containers.pop()?.isArray === true ? CLOSE_BRACKET : CLOSE_BRACE)) throw new WrongJson("another end")
    expected = containers.length === 0 ? "nothing" : "comma or end"
    if (expected === "nothing") mayFollow = byte === CLOSE_BRACE && root?.onEnd(members) === true
  }

  /** Reads a byte between elements that is not a blank. Returns true when a key or an element begins with this byte. */
  const between = (byte: number | undefined): boolean => {
    switch (expected) {
      case "comma or end":
        if (byte === COMMA) expected = containers.at(-1)?.isArray === true ? "value" : "key"
        else close(byte)
        return false
      case "colon":
        if (byte !== COLON) throw new WrongJson("no colon")
        expected = "value"
        return false
      case "value or end":
      case "key or end":
        if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
          close(byte)
          return false
        }
        expected = expected === "key or end" ? "key" : "value"
        return between(byte)
      case "value":
        if (!isContainer(byte)) return true
        begin(byte)
        return false
      case "key":
        return true
      case "nothing":
        if (!mayFollow || byte !== OPEN_BRACE) throw new WrongJson("something after the end")
        begin(byte)
        return false
    }
  }

  const push = (bytes: Uint8Array): void => {
    const all =
      kept.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.concat([kept, bytes])
    let start = 0
    let at = kept.length
    while (at < all.length) {
      if (isInside) {
        const end = endOf(all, at)
        if (end === undefined) break
        const from = start
        take(() => all.toString("utf8", from, end), keptAt + end)
        at = end
        continue
      }
      const byte = all[at]
      if (!isBlank(byte) && !(keptAt + at < MARK.length && byte === MARK[keptAt + at]) && between(byte)) {
        start = at
        startedAt = keptAt + at
        isInside = true
        depth = 0
        isText = isEscaped = false
      } else at++
    }
    const next = keptAt + all.length
    check(next)
    kept = isInside && !isTooLarge(next) ? Buffer.from(all.subarray(start)) : EMPTY
    keptAt = next - kept.length
  }

  return {
    push,
    end: (): void => {
      if (expected !== "nothing") throw new WrongJson("cut off")
    }
  }
}
