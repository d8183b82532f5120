import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import { normalise, type Subscribable } from "../events/Event.js"
import * as Entropy from "../shared/Entropy.js"
import { type AppId, EndpointId } from "../shared/Ids.js"
import { Conflict } from "../shared/Invalid.js"
import * as Timestamp from "../shared/Timestamp.js"
import { checkedUrl } from "./checkedUrl.js"
import { EndpointStore } from "./EndpointStore.js"
import { newSecret } from "./newSecret.js"
import { type Description, MAX_PER_APP, type WebhookEndpoint } from "./WebhookEndpoint.js"

export interface NewEndpoint {
  /** Any text: checked here. */
  readonly url: string
  readonly events: ReadonlyArray<Subscribable>
  readonly description: Description | null
}

/**
 * The endpoint and its signing secret, which is never told again (Spec §4.7). `NotFound` for somebody else's app, `Invalid`
 * for an address that may not be registered, `Conflict` when the app has five endpoints.
 */
export const createEndpoint = Effect.fn("createEndpoint")(function* (
  account: Account,
  appId: AppId,
  input: NewEndpoint
) {
  yield* getOwnedApp(account, appId)
  const url = yield* checkedUrl(input.url)
  const id = EndpointId.make(yield* Entropy.id("ep"))
  const secret = yield* newSecret(appId, id)
  const createdAt = yield* Timestamp.now
  const endpoint: WebhookEndpoint = {
    appId,
    id,
    url,
    events: normalise(input.events),
    description: input.description,
    disabledAt: null,
    epoch: 0,
    strikes: 0,
    secrets: [{ sealed: secret.sealed, createdAt, expiresAt: null }],
    createdAt
  }
  if (!(yield* (yield* EndpointStore).create(endpoint))) {
    return yield* new Conflict({ reason: `an app can have ${MAX_PER_APP} webhook endpoints; remove one first` })
  }
  return { endpoint, secret: secret.text }
})
