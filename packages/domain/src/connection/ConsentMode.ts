import type { App } from "../apps/App.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection } from "./Connection.js"
import type { Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "./EffectiveScopes.js"

/**
 * Which screen the user sees (Spec §4.1). A connection that holds nothing sensitive has nothing to renew: asking for its
 * scopes again is a change, so that its only expiry can be chosen again.
 */
export const of = (
  requested: ReadonlyArray<Scope.Scope>,
  existing: Connection | undefined,
  app: App,
  now: Timestamp
): Mode => {
  if (existing === undefined || !EffectiveScopes.isLive(existing, app, now)) return "new"
  const held = EffectiveScopes.reported(existing, app, now)
  const asked = Scope.normalise(requested)
  const same = asked.length === held.length && asked.every((scope) => held.includes(scope))
  return same && held.some(Scope.isSensitive) ? "renew_sensitive" : "change"
}
