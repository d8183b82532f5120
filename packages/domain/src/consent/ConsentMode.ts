// Which consent page is shown (decision consent-2).
import type { App } from "../apps/App.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection } from "../connection/Connection.js"
import type { Mode } from "./ConsentRequest.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"

/**
 * The kind of consent page that the user sees (Spec §4.1): `new` without a live connection, `renew_sensitive` when the
 * app asks for exactly the held scopes and one of them is sensitive, else `change`. So when an app without sensitive
 * scopes asks again, the mode is `change`, and the user can choose the end of the connection again.
 */
export const of = (
  requested: ReadonlyArray<Scope.Scope>,
  existing: Connection | undefined,
  app: App,
  now: Timestamp
): Mode => {
  if (existing === undefined || !EffectiveScopes.isLive(existing, app, now)) return "new"
  const held = EffectiveScopes.held(existing, app, now)
  const asked = Scope.normalise(requested)
  const same = asked.length === held.length && asked.every((scope) => held.includes(scope))
  return same && held.some(Scope.isSensitive) ? "renew_sensitive" : "change"
}
