import { Effect, Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { announceAudit, AuditEvent } from "../audit/index.js"
import type { AdmitsChange } from "../apps/AppStore.js"
import { admitUnderLock, getApp, getAppToChange, refusalToChange } from "../apps/readApps.js"
import { normalise, type Subscribable } from "../events/Event.js"
import {
  type AppId,
  Conflict,
  EndpointId,
  Entropy,
  Invalid,
  isOutdatedForm,
  NotFound,
  OUTDATED_FORM,
  program,
  type ShownState,
  Timestamp
} from "../shared/index.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { type Sealed, Vault } from "../shared/Vault.js"
import { EndpointStore } from "./EndpointStore.js"
import { EndpointUrl, originOf } from "./EndpointUrl.js"
import * as EndpointHeader from "./EndpointHeader.js"
import * as SigningSecret from "./SigningSecret.js"
import * as WebhookEndpoint from "./WebhookEndpoint.js"
import type { EndpointDescription } from "./WebhookEndpoint.js"
import { WebhookSender } from "./WebhookSender.js"

/**
 * The app's endpoints, oldest first, with encrypted secrets. Fails with `NotFound` when the account is not in the app's
 * team.
 */
export const listEndpoints = program("listEndpoints", function* (account: Account, appId: AppId) {
  yield* getApp(account, appId, "read")
  return yield* (yield* EndpointStore).list(appId)
})

export interface NewEndpoint {
  /** May be any text, because `createEndpoint` checks it. */
  readonly url: string
  readonly events: ReadonlyArray<Subscribable>
  readonly description: EndpointDescription | null
  readonly headers?: HeaderChanges | undefined
}

/** The values of headers to set, by name; null removes a header. If names differ only in case, the last one counts. */
export type HeaderChanges = ReadonlyMap<EndpointHeader.HeaderName, EndpointHeader.HeaderValue | null>

/**
 * Creates an endpoint and returns it with its signing secret. The secret cannot be read again (Spec §4.7). Fails with:
 * - `NotFound` when the account is not in the app's team or the app ended meanwhile
 * - `Forbidden` when the account's role may only read
 * - `Invalid` for an address that may not be registered, and for too many headers
 * - `Conflict` when the app was revoked or already has `WebhookEndpoint.MAX_PER_APP` endpoints
 */
export const createEndpoint = program("createEndpoint", function* (account: Account, appId: AppId, input: NewEndpoint) {
  yield* getAppToChange(account, appId)
  const url = yield* checkedUrl(input.url)
  const id = EndpointId.make(yield* Entropy.id("ep"))
  const secret = yield* newSecret(appId, id)
  const headers = EndpointHeader.change([], yield* sealed(appId, id, input.headers))
  if (headers.length > EndpointHeader.MAX) return yield* tooManyHeaders
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
    headers,
    createdAt
  }
  const added = AuditEvent.byOwner(account.id, createdAt, { kind: "endpoint_added", appId, endpointId: id })
  // The look-up of the host name takes time, in which the account may leave the team and an admin may revoke the app.
  let refused = null as Refusal
  const admits: AdmitsChange = (...app) => (refused = refusalToChange(account, ...app)) === null
  const outcome = yield* (yield* EndpointStore).create(endpoint, added, admits)
  if (refused !== null) return yield* refused
  if (outcome === "full") return yield* new Conflict({ reason: AccountLimits.ENDPOINTS.refusal })
  if (outcome === "app_gone") return yield* new NotFound({ what: "app" })
  yield* announceAudit(added)
  return { endpoint, secret: secret.text }
})

/** A field that is left out stays as it is. */
export interface EndpointEdit {
  readonly url?: string | undefined
  readonly events?: ReadonlyArray<Subscribable> | undefined
  readonly description?: WebhookEndpoint.EndpointDescription | null | undefined
  /**
   * When `url` has another origin and headers are stored, this field must name each stored header, or be empty to
   * remove all of them (decision endpoints-11).
   */
  readonly headers?: HeaderChanges | undefined
  /** Enables the endpoint again. A developer cannot disable an endpoint: only the service does. */
  readonly enabled?: true | undefined
}

/** An endpoint as a form showed it (decision apps-11). */
export interface ShownEndpoint {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly description: string | null
}

/**
 * Changes an endpoint. Fails with:
 * - `NotFound` when the account is not in the app's team or the app has no such endpoint
 * - `Forbidden` when the account's role may only read
 * - `Invalid` for an address that may not be registered, and for more than `EndpointHeader.MAX` headers
 * - `Invalid` for an address of another origin, unless `headers` names each stored header or is empty
 * - `Conflict` when the app was revoked
 * - `Conflict` with `OUTDATED_FORM` when the address, the events or the description have changed since the form showed
 *   them (`shown`), and the edit would change one of these fields
 */
export const updateEndpoint = program(
  "updateEndpoint",
  function* (account: Account, appId: AppId, id: EndpointId, edit: EndpointEdit, shown: ShownState<ShownEndpoint>) {
    yield* getAppToChange(account, appId)
    const url = edit.url === undefined ? undefined : yield* editedUrl(appId, id, edit.url)
    const headers = yield* sealed(appId, id, edit.headers)
    let refusal = null as Refusal | Invalid
    const admits: AdmitsChange = (...app) => (refusal = refusalToChange(account, ...app)) === null
    let moved: AuditEvent.AuditEvent | undefined
    const change: EndpointChange = (before, now) => {
      const isMoved = url !== undefined && originOf(url) !== originOf(before.url)
      const stored = isMoved && edit.headers?.size === 0 ? [] : before.headers
      const after = EndpointHeader.change(stored, headers)
      // The headers are checked here, under the lock of the endpoint's row. Otherwise two simultaneous changes could
      // exceed the limit together, or send a header to a server for which nobody set it.
      const edited = {
        ...before,
        headers: after,
        url: url ?? before.url,
        events: edit.events === undefined ? before.events : normalise(edit.events),
        description: edit.description === undefined ? before.description : edit.description
      }
      const isOutdated = isOutdatedForm<ShownEndpoint>((state) => isShownAs(before, state), shown, edited)
      const keeps = isMoved && stored.some(({ name }) => !headers.has(name))
      refusal = isOutdated ? outdated : keeps ? keptHeaders : after.length > EndpointHeader.MAX ? tooManyHeaders : null
      if (refusal !== null) return before
      if (edited.url !== before.url) {
        moved = AuditEvent.byOwner(account.id, now, { kind: "endpoint_moved", appId, endpointId: id })
      }
      return edit.enabled === true ? WebhookEndpoint.enable(edited) : edited
    }
    const changed = yield* (yield* EndpointStore).update(appId, id, change, () => moved, admits)
    if (refusal !== null) return yield* refusal
    const endpoint = yield* Effect.mapError(changed, () => new NotFound({ what: "endpoint" }))
    if (moved !== undefined) yield* announceAudit(moved)
    return endpoint
  }
)

const isShownAs = (before: WebhookEndpoint.WebhookEndpoint, { description, events, url }: ShownEndpoint): boolean =>
  url === before.url && description === before.description && events.join(" ") === before.events.join(" ")

/**
 * Checks the new address of an endpoint. The present address is not looked up again, so that the other fields can be
 * changed while the host name of the present address does not resolve.
 */
const editedUrl = (appId: AppId, id: EndpointId, url: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* EndpointStore).find(appId, id)
    const present = yield* Effect.mapError(found, () => new NotFound({ what: "endpoint" }))
    return url === present.url ? present.url : yield* checkedUrl(url)
  })

const outdated = new Conflict({ reason: OUTDATED_FORM })

const tooManyHeaders = Invalid.of("headers", `must be at most ${EndpointHeader.MAX}`)

/** Without this refusal, somebody who may not read a header's value could have it sent to a server of their own. */
const keptHeaders = Invalid.of("headers", "must all be set again or removed, because the address has another origin")

/** The `changes` with encrypted values, by the header's name in lower case. */
const sealed = (appId: AppId, id: EndpointId, changes: HeaderChanges = new Map()) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const written = new Map<EndpointHeader.HeaderName, Sealed | null>()
    for (const [given, value] of changes) {
      const name = EndpointHeader.lowerCase(given)
      written.set(name, value && (yield* vault.seal(value, EndpointHeader.sealContext(appId, id, name))))
    }
    return written
  })

/**
 * Adds a new signing secret and returns it. The secret cannot be read again. The previous secret also signs for another
 * 24 hours (Spec §4.7). Fails with:
 * - `NotFound` when the account is not in the app's team or the app has no such endpoint
 * - `Forbidden` when the account's role may only read
 * - `Conflict` when the app was revoked (decision apps-2)
 */
export const rotateSecret = program("rotateSecret", function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getAppToChange(account, appId)
  const { sealed, text } = yield* newSecret(appId, id)
  const change: SecretsChange = (before, now) => SigningSecret.rotate(before, sealed, now)
  return { endpoint: yield* changeSecrets(account, appId, id, "secret_rotated", change, refusalToChange), secret: text }
})

/**
 * Replaces all signing secrets by a new secret and returns the new secret. Developers use this when somebody else may
 * have a secret: waiting deliveries are signed with the new secret alone. A worker that read the endpoint before the
 * change may sign with the old secrets for up to 30 s (decision deliveries-2). Fails as `rotateSecret` does.
 */
export const replaceSecret = program("replaceSecret", function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getAppToChange(account, appId)
  const { sealed, text } = yield* newSecret(appId, id)
  const change: SecretsChange = (_, now) => SigningSecret.replace(sealed, now)
  return { endpoint: yield* changeSecrets(account, appId, id, "secret_ended", change, refusalToChange), secret: text }
})

/**
 * Immediately ends all signing secrets except the newest. Without this call, the previous secret signs for another 24
 * hours after a rotation. A worker that read the endpoint before the change may sign with the old secrets for up to 30
 * s, as after `replaceSecret`. Idempotent. Fails as `rotateSecret` does, but not for a revoked app.
 */
export const endPreviousSecrets = program(
  "endPreviousSecrets",
  function* (account: Account, appId: AppId, id: EndpointId) {
    yield* getApp(account, appId, "develop")
    yield* changeSecrets(account, appId, id, "secret_ended", SigningSecret.endPrevious, (...args) =>
      Option.getOrNull(Either.getLeft(admitUnderLock(...args, "develop")))
    )
  }
)

type Refusal = ReturnType<typeof refusalToChange>

type EndpointChange = Parameters<(typeof EndpointStore.Service)["update"]>[2]

type SecretsChange = (
  before: WebhookEndpoint.WebhookEndpoint["secrets"],
  now: Timestamp.Timestamp
) => WebhookEndpoint.WebhookEndpoint["secrets"]

/**
 * Changes the secrets and stores an audit event in the same transaction (decision audit-1). When `change` returns the
 * given secrets, nothing has changed, and there is no event. `refusal` decides under the lock of the app whether the
 * account may still do this.
 */
const changeSecrets = <E>(
  account: Account,
  appId: AppId,
  endpointId: EndpointId,
  kind: "secret_rotated" | "secret_ended",
  change: SecretsChange,
  refusal: (account: Account, ...app: Parameters<AdmitsChange>) => E | null
) =>
  Effect.gen(function* () {
    let refused = null as E | null
    const admits: AdmitsChange = (...app) => (refused = refusal(account, ...app)) === null
    let stored: AuditEvent.AuditEvent | undefined
    const changed = yield* (yield* EndpointStore).update(
      appId,
      endpointId,
      (before, now) => {
        const secrets = change(before.secrets, now)
        const event = AuditEvent.byOwner(account.id, now, { kind, secret: "signing", appId, endpointId })
        stored = secrets === before.secrets ? undefined : event
        return { ...before, secrets }
      },
      () => stored,
      admits
    )
    if (refused !== null) return yield* Effect.fail(refused)
    const endpoint = yield* Effect.mapError(changed, () => new NotFound({ what: "endpoint" }))
    if (stored !== undefined) yield* announceAudit(stored)
    return endpoint
  })

/** Removes an endpoint. Its waiting deliveries fail. Fails as `endPreviousSecrets` does. */
export const removeEndpoint = program("removeEndpoint", function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getApp(account, appId, "develop")
  if (!(yield* (yield* EndpointStore).remove(appId, id))) return yield* new NotFound({ what: "endpoint" })
})

/**
 * Checks whether the address may be registered, and returns it unchanged: a rule names an endpoint by exactly this text
 * (Spec §4.6.7). Fails with `Invalid` on `url` when the address may not be registered.
 */
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
