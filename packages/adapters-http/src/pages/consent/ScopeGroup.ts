import { Scope } from "@place-access/domain/shared"

/**
 * The groups in which pages show permissions to users (decision consent-14). `places`: about the places that the user
 * shares. `areas`: about areas that the app chooses; the choice of shared places does not limit this group.
 * `sensitive`: exact location.
 */
export type ScopeGroup = "places" | "areas" | "sensitive"

export const of = (scope: Scope.Scope): ScopeGroup =>
  Scope.isSensitive(scope) ? "sensitive" : Scope.usesPlaces(scope) ? "places" : "areas"

/** Whether one of the scopes is in the group. */
export const has = (scopes: ReadonlyArray<Scope.Scope>, group: ScopeGroup): boolean =>
  scopes.some((scope) => of(scope) === group)
