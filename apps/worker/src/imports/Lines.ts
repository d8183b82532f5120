/**
 * Cuts bytes into lines of UTF-8. `push` throws at a line of more than `most` bytes, however the bytes are cut into
 * pieces: the bytes of a line stay in memory until its end.
 */
export interface Lines {
  readonly push: (bytes: Uint8Array) => void
  readonly end: () => void
}

const TOO_LONG = "a line is too long"

/**
 * `onLine` gets a line without its end, also an empty one. `isOpen`: the file ends without a line break, so this line
 * may be cut off.
 */
export const open = (most: number, onLine: (text: string, isOpen: boolean) => void): Lines => {
  let rest: Buffer = Buffer.alloc(0)
  return {
    push: (bytes) => {
      const all = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes])
      let from = 0
      for (let to = all.indexOf(10); to >= 0; to = all.indexOf(10, from)) {
        if (to - from > most) throw new Error(TOO_LONG)
        onLine(all.toString("utf8", from, to > from && all[to - 1] === 13 ? to - 1 : to), false)
        from = to + 1
      }
      rest = all.subarray(from)
      if (rest.length > most) throw new Error(TOO_LONG)
    },
    end: () => {
      if (rest.length > 0) onLine(rest.toString("utf8"), true)
      rest = Buffer.alloc(0)
    }
  }
}
