/** A part of a page that a search can find. */
export interface SearchEntry {
  /** The address, with the anchor of the section. */
  readonly to: string
  readonly page: string
  readonly heading: string
  /** The text of the section, in small letters. */
  readonly text: string
}

/**
 * At most `most` entries that fit the question, the best entry first. For every word of the question, an entry must
 * contain this word or a longer word that begins with this word. A word in a heading counts more than a word in a text.
 * The browser runs this function too: `docsScript` contains the function's source text. So the function uses nothing
 * from outside of itself. The function also contains no named function, because `npm run dev` would wrap a named
 * function in a helper that the browser does not have.
 */
export const rank = (entries: ReadonlyArray<SearchEntry>, question: string, most: number): Array<SearchEntry> => {
  const words = question
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== "")
  if (words.length === 0) return []
  return entries
    .map((entry) => {
      // Each word of a field gets a blank before it. So a search for a blank and a word finds every word that begins
      // with the searched word.
      const fields = [entry.heading, entry.page, entry.text].map(
        (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, " ")}`
      )
      const points = words.map((word) => [20, 8, 1].find((_, index) => fields[index]?.includes(` ${word}`)) ?? 0)
      return { entry, points: points.includes(0) ? 0 : points.reduce((sum, one) => sum + one, 0) }
    })
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, most)
    .map(({ entry }) => entry)
}
