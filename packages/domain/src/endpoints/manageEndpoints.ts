import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/readApps.js"
import { normalise, type Subscribable } from "../events/Event.js"
import { type AppId, Conflict, EndpointId, Entropy, Invalid, NotFound, program, Timestamp } from "../shared/index.js"
import { Vault } from "../shared/Vault.js"
import { EndpointStore } from "./EndpointStore.js"
import { EndpointUrl } from "./EndpointUrl.js"
import * as SigningSecret from "./SigningSecret.js"
import * as WebhookEndpoint from "./WebhookEndpoint.js"
import { type EndpointDescription, MAX_PER_APP } from "./WebhookEndpoint.js"
import { WebhookSender } from "./WebhookSender.js"

/** The app's endpoints, oldest first. Their secrets are not shown. */
export const listEndpoints = program("listEndpoints", function* (account: Account, appId: AppId) {
  yield* getOwnedApp(account, appId)
  return yield* (yield* EndpointStore).list(appId)
})

export interface NewEndpoint {
  /** Any text: `createEndpoint` checks it. */
  readonly url: string
  readonly events: ReadonlyArray<Subscribable>
  readonly description: EndpointDescription | null
}

/**
 * Creates an endpoint and returns its signing secret, once (Spec §4.7). `NotFound` for another account's app, `Invalid`
 * for an address that may not be registered, `Conflict` when the app has five endpoints.
 */
export const createEndpoint = program("createEndpoint", function* (account: Account, appId: AppId, input: NewEndpoint) {
  yield* getOwnedApp(account, appId)
  const url = yield* checkedUrl(input.url)
  const id = EndpointId.make(yield* Entropy.id("ep"))
  const secret = yield* newSecret(appId, id)
  const createdAt = yield* Timestamp.now
  const endpoint: WebhookEndpoint.WebhookEndpoint = {
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

/** A field that is left out stays as it is. */
export interface EndpointEdit {
  readonly url?: string | undefined
  readonly events?: ReadonlyArray<Subscribable> | undefined
  readonly description?: WebhookEndpoint.EndpointDescription | null | undefined
  /** Enables the endpoint again. A developer cannot disable one: only the service does. */
  readonly enabled?: true | undefined
}

/** Changes an endpoint. `NotFound` for another account's, `Invalid` for an address that may not be registered. */
export const updateEndpoint = program(
  "updateEndpoint",
  function* (account: Account, appId: AppId, id: EndpointId, edit: EndpointEdit) {
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
  }
)

/** Returns a new secret, once; the old one signs for 24 hours more (Spec §4.7). `NotFound`: another account's. */
export const rotateSecret = program("rotateSecret", function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getOwnedApp(account, appId)
  const secret = yield* newSecret(appId, id)
  const changed = yield* (yield* EndpointStore).update(appId, id, (before, now) => ({
    ...before,
    secrets: SigningSecret.rotate(before.secrets, secret.sealed, now)
  }))
  const endpoint = yield* Effect.mapError(changed, () => new NotFound({ what: "endpoint" }))
  return { endpoint, secret: secret.text }
})

/** Removes an endpoint. Its waiting deliveries fail. `NotFound` for another account's endpoint, and the second time. */
export const removeEndpoint = program("removeEndpoint", function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getOwnedApp(account, appId)
  if (!(yield* (yield* EndpointStore).remove(appId, id))) return yield* new NotFound({ what: "endpoint" })
})

/** The address exactly as given: rules must name it exactly (Spec §4.6.7). `Invalid` on `url` when refused. */
export const checkedUrl = program("checkedUrl", function* (url: string) {
  const sender = yield* WebhookSender
  const reason = yield* sender.checkUrl(url)
  if (reason !== undefined) return yield* Invalid.of("url", reason)
  return EndpointUrl.make(url)
})

/** A new signing secret: its text, to be shown once, and its sealed form. */
const newSecret = program("newSecret", function* (appId: AppId, id: EndpointId) {
  const vault = yield* Vault
  const text = `${SigningSecret.PREFIX}${yield* Entropy.secret}`
  return { text, sealed: yield* vault.seal(text, SigningSecret.sealContext(appId, id)) }
})
