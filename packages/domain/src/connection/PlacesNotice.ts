import type { OutboxEvent } from "../events/Event.js"
import type { EventId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection } from "./Connection.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"

/**
 * Tells the app that the set of its places changed (Spec §6.1). Nothing when it did not, when it is the first one, or when
 * the app may not watch it. `after` is the connection as it is from now on.
 */
export const events = (
  before: Pick<Connection, "placesVersion"> | undefined,
  { app, connection }: WithApp,
  id: EventId,
  now: Timestamp
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
