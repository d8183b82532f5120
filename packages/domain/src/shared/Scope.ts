import { Schema } from "effect"

/** The scopes of a connection that disclose no coordinates (Spec §2.3, decisions §3). */
export const StandardScope = Schema.Literal(
  "location.place.current",
  "location.place.lookup",
  "location.visits.read",
  "location.rules.place",
  "location.rules.zone",
  "location.zone.verify",
  "location.places.watch"
)
export type StandardScope = typeof StandardScope.Type

/**
 * The scopes that disclose coordinates. They need a purpose, and have a separate end date and a grace period (Spec
 * §1.4).
 */
export const SensitiveScope = Schema.Literal("location.latest.read", "location.history.read", "location.lookup")
export type SensitiveScope = typeof SensitiveScope.Type

export const Scope = Schema.Union(StandardScope, SensitiveScope).annotations({ identifier: "Scope" })
export type Scope = typeof Scope.Type

export const standard: ReadonlyArray<StandardScope> = StandardScope.literals
export const sensitive: ReadonlyArray<SensitiveScope> = SensitiveScope.literals
export const all: ReadonlyArray<Scope> = [...standard, ...sensitive]

const sensitiveNames: ReadonlySet<string> = new Set(sensitive)
/** Whether the scope is of the sensitive tier (Spec §2.3). */
export const isSensitive = (scope: Scope): scope is SensitiveScope => sensitiveNames.has(scope)
/** Whether the scope is about the places that the user shares (decision consent-14). */
export const usesPlaces = (scope: Scope): boolean =>
  !isSensitive(scope) && scope !== "location.rules.zone" && scope !== "location.zone.verify"
/** Whether the text is the name of a scope. */
export const isScope: (text: unknown) => text is Scope = Schema.is(Scope)

/** The scopes in catalogue order and without repeats, so that equal sets are equal arrays. */
export const normalise = (scopes: Iterable<Scope>): ReadonlyArray<Scope> => {
  const set = new Set(scopes)
  return all.filter((scope) => set.has(scope))
}

/** A list of scopes in a request. A list without repeats is never longer. */
export const listOf = <A, I, R>(scope: Schema.Schema<A, I, R>): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>, R> =>
  Schema.Array(scope).pipe(Schema.maxItems(all.length, { message: () => `must be at most ${all.length}` }))

/** Whether two normalised lists are equal. */
export const same = (a: ReadonlyArray<Scope>, b: ReadonlyArray<Scope>): boolean =>
  a.length === b.length && a.every((scope, index) => scope === b[index])

/** The scopes that are in both lists, in catalogue order. */
export const intersect = (a: ReadonlyArray<Scope>, b: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  normalise(a.filter((scope) => b.includes(scope)))

/** What a scope allows, in words for the user, for pages and mails. */
export const describe: Readonly<Record<Scope, string>> = {
  "location.place.current": "See which of the places you share you are at now",
  "location.place.lookup": "Ask which of the places you share you were at, at a given moment",
  "location.visits.read": "See your visits to the places you share",
  "location.rules.place": "Be told when you arrive at, leave or stay at a place you share",
  "location.rules.zone": "Be told when you enter, leave or stay in an area the app chooses",
  "location.zone.verify": "Ask whether you are inside an area the app chooses",
  "location.places.watch": "Be told when you change which places you share",
  "location.latest.read": "See your latest exact location",
  "location.history.read": "See your exact location history",
  "location.lookup": "See your exact location at a given moment"
}
