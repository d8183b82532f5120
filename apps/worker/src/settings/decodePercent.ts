/** Decodes percent-encoding, as in an address. Undefined when the encoding is broken. */
export const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
