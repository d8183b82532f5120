import type { OutboxEvent } from "../events/Event.js"
import type { EventId, Timestamp } from "../shared/index.js"
import type { Connection } from "./Connection.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"

/**
 * The event about a change to the app's set of places (Spec §6.1). `connection` is after the change. Empty when the set
 * did not change, for the first set (`before` undefined), and when the app may not watch places.
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
