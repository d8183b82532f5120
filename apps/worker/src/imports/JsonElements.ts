import { type StackElement, Tokenizer, TokenParser, TokenType } from "@streamparser/json"

/**
 * No export is nested deeper. Without a limit, every level of a file of nothing but brackets would cost memory, and
 * time at each value.
 */
const MAX_DEPTH = 64
/**
 * No export has a larger element, nor a larger gap between two elements. The parser holds this much in memory at once.
 */
const MAX_ELEMENT_BYTES = 1_048_576
/** The size of an element is checked after each slice of this size. */
const SLICE_BYTES = 65_536

/**
 * Reads the elements at `paths` of a JSON file, one after the other, in bounded memory. Both methods throw when the
 * file is no JSON, nested too deep, or has too large an element.
 */
export const open = (
  paths: ReadonlyArray<string>,
  onElement: (value: unknown, stack: ReadonlyArray<StackElement>) => void
) => {
  let depth = 0
  let unread = 0
  const tokens = new Tokenizer()
  const values = new TokenParser({ paths: [...paths], keepStack: false })
  tokens.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) {
      if (++depth > MAX_DEPTH) throw new Error("nested too deep")
    } else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth--
    values.write(token)
  }
  values.onValue = ({ stack, value }) => {
    unread = 0
    onElement(value, stack)
  }
  return {
    push: (bytes: Uint8Array): void => {
      for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
        const slice = bytes.subarray(from, from + SLICE_BYTES)
        unread += slice.length
        tokens.write(slice)
        if (unread > MAX_ELEMENT_BYTES) throw new Error("an element that is too large")
      }
    },
    end: (): void => {
      tokens.end()
      if (!values.isEnded) values.end()
    }
  }
}
