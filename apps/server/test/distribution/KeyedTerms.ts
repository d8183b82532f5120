/**
 * What a statement says about the value of an SQL expression. A given value is a parameter or a constant. `how` says
 * whether the expression equals one given value, or one of several given values; null: the statement does not say.
 * `parameters` has the numbers of the parameters among the given values.
 */
export interface KnownValue {
  readonly how: "one" | "several" | null
  readonly parameters: ReadonlySet<number>
}

export const UNKNOWN: KnownValue = { how: null, parameters: new Set() }
export const ONE: KnownValue = { how: "one", parameters: new Set() }
export const SEVERAL: KnownValue = { how: "several", parameters: new Set() }

export const parameter = (number: number): KnownValue => ({ how: "one", parameters: new Set([number]) })

/**
 * What is known about a value that may come from either of two sources, such as the two parts of a UNION. The value
 * counts as one value only if both sources are parameters. Two constants may be different, so the value then counts as
 * one of several.
 */
export const both = (a: KnownValue, b: KnownValue): KnownValue => {
  if (a.how === null || b.how === null) return UNKNOWN
  const isOne = [a, b].every(({ how, parameters }) => how === "one" && parameters.size > 0)
  return { how: isOne ? "one" : "several", parameters: union(a, b) }
}

export const same = (a: KnownValue, b: KnownValue): boolean =>
  a.how === b.how && a.parameters.size === b.parameters.size && [...a.parameters].every((one) => b.parameters.has(one))

/** What is known about a value that equals one of the values that `of` describes. */
export const several = (of: KnownValue): KnownValue => (of.how === null ? UNKNOWN : of)

/** What is known about each term (`relation.column`), and which terms are equal. */
export interface Terms {
  readonly known: Map<string, KnownValue>
  /** For each term, the terms that equal it. */
  readonly followers: Map<string, ReadonlyArray<string>>
}

export const empty = (): Terms => ({ known: new Map(), followers: new Map() })

/**
 * A copy for a sub-query. What is learned in the sub-query must not change the original, because a condition of a
 * sub-query is not true for the rows of the query around it.
 */
export const copy = ({ followers, known }: Terms): Terms => ({ known: new Map(known), followers: new Map(followers) })

export const known = (terms: Terms, term: string): KnownValue => terms.known.get(term) ?? UNKNOWN

/** Records in `terms` what is now known about the value of `term`, and passes it on to the terms that follow `term`. */
export const learn = (terms: Terms, term: string, news: KnownValue): void => {
  if (news.how === null) return
  const before = known(terms, term)
  const after: KnownValue = {
    how: before.how === "one" || news.how === "one" ? "one" : "several",
    parameters: union(before, news)
  }
  if (after.how === before.how && after.parameters.size === before.parameters.size) return
  terms.known.set(term, after)
  for (const follower of terms.followers.get(term) ?? []) learn(terms, follower, after)
}

/** Makes `term` equal `from`: passes on everything that is known about `from` or becomes known later. */
export const follow = (terms: Terms, term: string, from: string): void => {
  terms.followers.set(from, [...(terms.followers.get(from) ?? []), term])
  learn(terms, term, known(terms, from))
}

const union = (a: KnownValue, b: KnownValue): ReadonlySet<number> => new Set([...a.parameters, ...b.parameters])
