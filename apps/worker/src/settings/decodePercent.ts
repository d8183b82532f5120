/** Decodes percent-encoding, as it occurs in URLs. Undefined when the encoding is broken. */
export const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
