// This module finds the language that a browser asks for (RFC 9110 §12.5.4; decision accounts-20).
import { Language } from "@place-access/domain/shared"

/** How many characters of the header are read. No browser sends a longer header. */
const LONGEST = 1_000

/**
 * One entry of the header. `tag`: the first part of the entry's language tag in lower case, such as `de` for `de-AT`;
 * or `*`.
 */
interface Range {
  readonly tag: string
  readonly weight: number
}

const RANGE = /^(\*|([a-z]{1,8})(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** Malformed entries are left out, so that the other entries still count. */
const rangesOf = (header: string): ReadonlyArray<Range> => {
  const entries = header.slice(0, LONGEST).split(",")
  // The end of the last entry may be missing in a header that was cut: for example, its weight. So the last entry does
  // not count.
  const whole = header.length > LONGEST ? entries.slice(0, -1) : entries
  return whole.flatMap((entry) => {
    const found = RANGE.exec(entry.trim())
    if (found === null) return []
    const [, all = "", first = all, weight = "1"] = found
    return [{ tag: first.toLowerCase(), weight: Number(weight) }]
  })
}

/**
 * Returns the language of the service that has the highest weight in `Accept-Language`. Of languages with equal
 * weights, the first counts. Null when the header names none of the service's languages, or when none is left after the
 * languages with `q=0`. `*` stands for the service's languages that the header does not name. `*` counts only in a
 * header that also names one of the service's languages. Programs send `*` too, so `*` alone says nothing about a
 * person.
 */
export const negotiate = (header: string | undefined): Language.Language | null => {
  const ranges = rangesOf(header ?? "")
  const named = new Set(ranges.map(({ tag }) => tag))
  if (!Language.all.some((language) => named.has(language))) return null
  const [best] = ranges
    .filter(({ weight }) => weight > 0)
    .flatMap(({ tag, weight }) =>
      Language.all
        .filter((language) => (tag === "*" ? !named.has(language) : tag === language))
        .map((language) => ({ language, weight }))
    )
    .sort((a, b) => b.weight - a.weight)
  return best?.language ?? null
}
