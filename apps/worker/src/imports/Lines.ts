/**
 * Cuts bytes into lines of UTF-8. The bytes may come in pieces of any size. `push` throws at a line of more than `most`
 * bytes, because the bytes of a line stay in memory until its end.
 */
export interface Lines {
  readonly push: (bytes: Uint8Array) => void
  readonly end: () => void
}

const TOO_LONG = "a line is too long"

/**
 * Calls `onLine` for each line, without the line's end; a line may be empty. A line ends with a line feed, with a
 * carriage return, or with both. `isOpen` is true when the file ends within this line, without a line break: then the
 * line may be cut off.
 */
export const open = (most: number, onLine: (text: string, isOpen: boolean) => void): Lines => {
  let rest: Buffer = Buffer.alloc(0)
  return {
    push: (bytes) => {
      const all = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes])
      const feeds = finder(all, LINE_FEED)
      const returns = finder(all, RETURN)
      let from = 0
      for (;;) {
        const feed = feeds(from)
        const end = Math.min(feed, returns(from))
        if (end - from > most) throw new Error(TOO_LONG)
        // When a carriage return is the last of these bytes, its line feed may come with the next bytes. So the line is
        // not ended yet.
        if (end === all.length || (end !== feed && end === all.length - 1)) break
        onLine(all.toString("utf8", from, end), false)
        from = end === feed || all[end + 1] !== LINE_FEED ? end + 1 : end + 2
      }
      rest = all.subarray(from)
    },
    end: () => {
      const hasReturn = rest.at(-1) === RETURN
      if (rest.length > 0) onLine(rest.toString("utf8", 0, hasReturn ? rest.length - 1 : rest.length), !hasReturn)
      rest = Buffer.alloc(0)
    }
  }
}

const LINE_FEED = 10
const RETURN = 13

/**
 * Returns a function that finds the next position of `byte`, at or after an index; the length of the bytes when there
 * is none. The index must never decrease. The function searches only when the index has passed the byte that it found
 * last.
 */
const finder = (bytes: Buffer, byte: number): ((from: number) => number) => {
  let found = -1
  return (from) => {
    if (found < from) {
      const next = bytes.indexOf(byte, from)
      found = next < 0 ? bytes.length : next
    }
    return found
  }
}
