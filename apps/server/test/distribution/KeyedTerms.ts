/** What is known of a value: that it is one that the statement is given, or one of several; and the parameters that it equals. */
export interface Known {
  readonly how: "one" | "several" | null
  readonly parameters: ReadonlySet<number>
}

export const UNKNOWN: Known = { how: null, parameters: new Set() }
export const ONE: Known = { how: "one", parameters: new Set() }
export const SEVERAL: Known = { how: "several", parameters: new Set() }

export const parameter = (number: number): Known => ({ how: "one", parameters: new Set([number]) })

/** Of a value that comes from here or from there. Constants, which have no parameters, may differ. */
export const both = (a: Known, b: Known): Known => {
  if (a.how === null || b.how === null) return UNKNOWN
  const isOne = [a, b].every(({ how, parameters }) => how === "one" && parameters.size > 0)
  return { how: isOne ? "one" : "several", parameters: union(a, b) }
}

export const same = (a: Known, b: Known): boolean =>
  a.how === b.how && a.parameters.size === b.parameters.size && [...a.parameters].every((one) => b.parameters.has(one))

/** Of a value that is one of those. */
export const several = (of: Known): Known => (of.how === null ? UNKNOWN : of)

/** What is known of terms (`relation.column`), with what follows from what. */
export interface Terms {
  readonly known: Map<string, Known>
  /** From a term to those that equal it. */
  readonly followers: Map<string, ReadonlyArray<string>>
}

export const empty = (): Terms => ({ known: new Map(), followers: new Map() })

/** What is learnt of the copy is not learnt of the original: a condition inside a sub-query says nothing of the rows around it. */
export const copy = ({ followers, known }: Terms): Terms => ({ known: new Map(known), followers: new Map(followers) })

export const known = (terms: Terms, term: string): Known => terms.known.get(term) ?? UNKNOWN

/** A term equals a value of which something is known. */
export const learn = (terms: Terms, term: string, news: Known): void => {
  if (news.how === null) return
  const before = known(terms, term)
  const after: Known = {
    how: before.how === "one" || news.how === "one" ? "one" : "several",
    parameters: union(before, news)
  }
  if (after.how === before.how && after.parameters.size === before.parameters.size) return
  terms.known.set(term, after)
  for (const follower of terms.followers.get(term) ?? []) learn(terms, follower, after)
}

/** Whatever is known of `from`, now or later, is known of `term`. */
export const follow = (terms: Terms, term: string, from: string): void => {
  terms.followers.set(from, [...(terms.followers.get(from) ?? []), term])
  learn(terms, term, known(terms, from))
}

const union = (a: Known, b: Known): ReadonlySet<number> => new Set([...a.parameters, ...b.parameters])
