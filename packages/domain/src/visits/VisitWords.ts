import * as Words from "../shared/Words.js"

const NAMED_MAX = 3

/**
 * The text of the access log about a page of visits: `12 visits to “Gym” and “Home”`. The text never contains a
 * coordinate (Spec §1.7). With the quotation marks, the place “Bed and Breakfast” does not look like two places, also
 * in translations (decision languages-2).
 */
export const of = (visits: ReadonlyArray<{ readonly place: { readonly label: string } }>): string => {
  if (visits.length === 0) return "that there were no visits to tell of"
  const labels = [...new Set(visits.map(({ place }) => place.label))].sort()
  return `${Words.count(visits.length, "visit")} to ${listed(labels)}`
}

const listed = (labels: ReadonlyArray<string>): string => {
  const more = labels.length - NAMED_MAX
  const quoted = labels.map((label) => `“${label}”`)
  const shown = more > 1 ? [...quoted.slice(0, NAMED_MAX), `${more} other places`] : quoted
  const last = shown.at(-1) ?? ""
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(", ")} and ${last}`
}
