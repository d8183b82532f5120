import { Either, Encoding } from "effect"

const REPLACEMENT = 0xfffd

/** Encodes text as UTF-8. Half of a surrogate pair becomes U+FFFD, as the standard says (WHATWG Encoding §8.1). */
export const encode = (text: string): Uint8Array => {
  const bytes: Array<number> = []
  for (const character of text) {
    const point = character.codePointAt(0) ?? REPLACEMENT
    push(bytes, point >= 0xd800 && point <= 0xdfff ? REPLACEMENT : point)
  }
  return Uint8Array.from(bytes)
}

const push = (bytes: Array<number>, point: number): void => {
  if (point < 0x80) bytes.push(point)
  else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63))
  else if (point < 0x1_0000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
  else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
}

export const decode = (bytes: Uint8Array): string =>
  Either.getOrThrow(Encoding.decodeBase64String(Encoding.encodeBase64(bytes)))
