import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import { normalise, type Subscribable } from "../events/Event.js"
import * as Entropy from "../shared/Entropy.js"
import { type AppId, type EndpointId, ListenerId } from "../shared/Ids.js"
import { Conflict, Invalid, NotFound } from "../shared/Invalid.js"
import * as Timestamp from "../shared/Timestamp.js"
import { type Listener, MAX_PER_APP, seenAt } from "./Listener.js"
import { ListenerStore } from "./ListenerStore.js"
import { ownSecrets } from "./ownSecrets.js"

export interface NewListener {
  readonly endpointId: EndpointId | null
  readonly events: ReadonlyArray<Subscribable>
}

/** A listener that is there, and who listens. */
export interface Opened {
  readonly listener: Listener
  readonly account: Account
  /** What its events are signed with; null when that is an endpoint's, which is not shown again. */
  readonly secret: string | null
}

/**
 * From now on the app's events wait for it. `NotFound` for somebody else's app and an endpoint that is not the app's, `Conflict` for
 * a revoked app and when five listen already, `Invalid` for events beside an endpoint, which has its own.
 */
export const openListener = Effect.fn("openListener")(function* (account: Account, appId: AppId, input: NewListener) {
  const app = yield* getOwnedApp(account, appId)
  const { endpointId } = input
  if (endpointId !== null) {
    if (input.events.length > 0) {
      return yield* Invalid.of("events", "must be left out with endpoint_id: the endpoint's own are used")
    }
    const found = yield* (yield* EndpointStore).find(appId, endpointId)
    yield* Effect.mapError(found, () => new NotFound({ what: "endpoint" }))
  }
  if (app.revokedAt !== null) return yield* new Conflict({ reason: "the app was revoked: it is told nothing any more" })
  const id = ListenerId.make(yield* Entropy.id("lst"))
  const createdAt = yield* Timestamp.now
  const listener: Listener = {
    appId,
    id,
    endpointId,
    events: normalise(input.events),
    createdAt,
    seenUntil: seenAt(createdAt)
  }
  const [secret = null] = endpointId === null ? yield* ownSecrets(listener, account) : []
  if (!(yield* (yield* ListenerStore).open(listener))) {
    return yield* new Conflict({
      reason: `${MAX_PER_APP} are listening to this app already; stop one, or wait a minute if it was cut off`
    })
  }
  const opened: Opened = { listener, account, secret }
  return opened
})
