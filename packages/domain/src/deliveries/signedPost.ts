import { Effect } from "effect"
import {
  EndpointHeader,
  type EndpointUrl,
  SigningSecret,
  type WebhookAnswer,
  WebhookSender
} from "../endpoints/index.js"
import type { AppId, EndpointId } from "../shared/Ids.js"
import { fn, Telemetry, Timestamp, Vault, program, withPort } from "../shared/index.js"
import * as AttemptExchange from "./AttemptExchange.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import * as Signature from "./Signature.js"

export interface WebhookPost {
  readonly url: EndpointUrl.EndpointUrl
  readonly secrets: ReadonlyArray<SigningSecret.SigningSecret>
  /** The encryption context of the secrets (`Vault`): they can be decrypted only with the same context. */
  readonly sealContext: string
  /** The headers that the developer added to the endpoint. Each header has the encryption context of its value. */
  readonly headers?: ReadonlyArray<SealedHeader>
  readonly body: string
}

interface SealedHeader {
  readonly name: string
  readonly sealed: Vault.Sealed
  readonly sealContext: string
}

/** The developer's headers of an endpoint, in the form that `signedPost` needs. */
export const ownHeaders = (
  appId: AppId,
  endpointId: EndpointId,
  headers: ReadonlyArray<EndpointHeader.EndpointHeader>
): ReadonlyArray<SealedHeader> =>
  headers.map(({ name, sealed }) => ({
    name,
    sealed,
    sealContext: EndpointHeader.sealContext(appId, endpointId, name)
  }))

export interface PostedWebhook {
  readonly answer: WebhookAnswer
  readonly startedAt: Timestamp.Timestamp
  readonly endedAt: Timestamp.Timestamp
  readonly exchange: AttemptExchange.AttemptExchange
}

/**
 * Signs the body with every valid secret and posts it (Spec §6.4). The time in the signature is the time of this
 * attempt. Fails with `VaultError` when a secret or a header cannot be decrypted.
 */
export const signedPost = program(
  "signedPost",
  function* ({ body, headers = [], sealContext, secrets, url }: WebhookPost) {
    const sender = yield* WebhookSender
    const startedAt = yield* Timestamp.now
    const texts = yield* unsealLive(secrets, sealContext, startedAt)
    const request: Array<readonly [string, string]> = headersOf(sender, texts, body, startedAt)
    for (const { name, sealContext, sealed } of headers) request.push([name, yield* unsealed(sealed, sealContext)])
    const answer = yield* sender.post(url, request, body)
    const response = answer._tag === "Answered" ? (answer.headers ?? []) : []
    const exchange = AttemptExchange.of(
      url,
      request,
      headers.map(({ name }) => name),
      response
    )
    const sent: PostedWebhook = { answer, startedAt, endedAt: yield* Timestamp.now, exchange }
    yield* Telemetry.measure(() => DeliveryFigures.posted(sent))
    return sent
  }
)

/** Decrypts the secrets that are valid at `now`, newest first. */
export const unsealLive = fn(function* (
  secrets: ReadonlyArray<SigningSecret.SigningSecret>,
  sealContext: string,
  now: Timestamp.Timestamp
) {
  const texts: Array<string> = []
  for (const { sealed } of SigningSecret.live(secrets, now)) texts.push(yield* unsealed(sealed, sealContext))
  return texts
})

const unsealed = (sealed: Vault.Sealed, sealContext: string) =>
  withPort(Vault.Vault, (vault) => {
    const known = unsealedBy(vault)
    const key = `${sealContext}\n${sealed}`
    const text = known.get(key)
    if (text !== undefined) return Effect.succeed(text)
    return Effect.tap(vault.unseal(sealed, sealContext), (opened) => {
      if (known.size >= KNOWN_MAX) known.clear()
      known.set(key, opened)
    })
  })

/**
 * A cache of decrypted secrets and headers for each vault. A cache key consists of the context and the encrypted text,
 * because the same context and encrypted text always decrypt to the same text. Without the cache, each attempt would
 * decrypt the same secret again, and decrypting costs more than signing.
 */
const caches = new WeakMap<typeof Vault.Vault.Service, Map<string, string>>()
const KNOWN_MAX = 1_000

const unsealedBy = (vault: typeof Vault.Vault.Service): Map<string, string> => {
  const found = caches.get(vault)
  if (found !== undefined) return found
  const made = new Map<string, string>()
  caches.set(vault, made)
  return made
}

/**
 * The headers of a webhook with this body: content type, user agent, and one signature for each secret, made at the
 * time `at`.
 */
export const signedHeaders = (secrets: ReadonlyArray<string>, body: string, at: Timestamp.Timestamp) =>
  Effect.map(WebhookSender, (sender) => headersOf(sender, secrets, body, at))

const headersOf = (
  sender: typeof WebhookSender.Service,
  secrets: ReadonlyArray<string>,
  body: string,
  at: Timestamp.Timestamp
) => {
  const message = Signature.message(at, body)
  const signatures = secrets.map((secret) => sender.sign(secret, message))
  return [
    ["content-type", "application/json"],
    ["user-agent", USER_AGENT],
    [Signature.HEADER, Signature.header(at, signatures)]
  ] satisfies Array<[string, string]>
}

const USER_AGENT = "place-access-webhooks/1"
