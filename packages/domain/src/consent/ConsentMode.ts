// Which consent page is shown (decision consent-2).
import type { App } from "../apps/App.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection } from "../connection/Connection.js"
import type { Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"

/**
 * Whether the page asks which places the app may ask about. A renewal page does not ask, and neither does a page on
 * which no scope is about places (decision consent-14). When the page does not ask, a connection that continues keeps
 * its places.
 */
export const asksPlaces = (mode: Mode, requested: ReadonlyArray<Scope.Scope>): boolean =>
  mode !== "renew_sensitive" && requested.some(Scope.usesPlaces)

/**
 * The kind of consent page that the user sees (Spec §4.1): `new` without a live connection, `renew_sensitive` when the
 * app asks for exactly the held scopes and at least one held scope is sensitive, else `change`. So an app that holds no
 * sensitive scope gets the mode `change` when it asks for exactly the held scopes. On that page the user can choose a
 * new end date of the connection.
 */
export const of = (
  requested: ReadonlyArray<Scope.Scope>,
  existing: Connection | undefined,
  app: App,
  now: Timestamp
): Mode => {
  if (existing === undefined || !EffectiveScopes.isLive(existing, app, now)) return "new"
  const held = EffectiveScopes.held(existing, app, now)
  const normalised = Scope.normalise(requested)
  const same = normalised.length === held.length && normalised.every((scope) => held.includes(scope))
  return same && held.some(Scope.isSensitive) ? "renew_sensitive" : "change"
}
