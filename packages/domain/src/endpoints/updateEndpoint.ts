import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import { normalise, type Subscribable } from "../events/Event.js"
import type { AppId, EndpointId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { checkedUrl } from "./checkedUrl.js"
import { EndpointStore } from "./EndpointStore.js"
import * as WebhookEndpoint from "./WebhookEndpoint.js"

/** What is absent stays as it is. */
export interface EndpointEdit {
  readonly url?: string | undefined
  readonly events?: ReadonlyArray<Subscribable> | undefined
  readonly description?: WebhookEndpoint.Description | null | undefined
  /** Only the service disables. */
  readonly enabled?: true | undefined
}

/** `NotFound` for what is not the account's; `Invalid` for an address that may not be registered. */
export const updateEndpoint = Effect.fn("updateEndpoint")(function* (
  account: Account,
  appId: AppId,
  id: EndpointId,
  edit: EndpointEdit
) {
  yield* getOwnedApp(account, appId)
  const url = edit.url === undefined ? undefined : yield* checkedUrl(edit.url)
  const changed = yield* (yield* EndpointStore).update(appId, id, (before) => {
    const edited = {
      ...before,
      url: url ?? before.url,
      events: edit.events === undefined ? before.events : normalise(edit.events),
      description: edit.description === undefined ? before.description : edit.description
    }
    return edit.enabled === true ? WebhookEndpoint.enable(edited) : edited
  })
  return yield* Effect.mapError(changed, () => new NotFound({ what: "endpoint" }))
})
