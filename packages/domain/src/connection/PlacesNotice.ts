import type { OutboxEvent } from "../events/Event.js"
import type { EventId, Timestamp } from "../shared/index.js"
import type { Connection } from "./Connection.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"

/**
 * The event about a change to the set of places that are shared with the app (Spec §6.1). `before` is the connection
 * before the change, undefined for a new connection; `connection` is the connection after the change. There is no event
 * in three cases: the connection is new, the set did not change, or the app has no scope to watch places.
 */
export const events = (
  before: Pick<Connection, "placesVersion"> | undefined,
  { app, connection }: WithApp,
  id: EventId,
  now: Timestamp.Timestamp
): ReadonlyArray<OutboxEvent> =>
  before === undefined ||
  before.placesVersion === connection.placesVersion ||
  !EffectiveScopes.effective(connection, app, now).includes("location.places.watch")
    ? []
    : [
        {
          userId: connection.userId,
          id,
          connectionId: connection.id,
          appId: connection.appId,
          payload: { type: "places.changed", placesVersion: connection.placesVersion },
          occurredAt: now,
          webhookUrl: null,
          maxEventAgeS: null
        }
      ]
