import { Effect } from "effect"
import { type EndpointUrl, SigningSecret, type WebhookAnswer, WebhookSender } from "../endpoints/index.js"
import { Telemetry, Timestamp, Vault, program, withPort } from "../shared/index.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import * as Signature from "./Signature.js"

export interface WebhookPost {
  readonly url: EndpointUrl.EndpointUrl
  readonly secrets: ReadonlyArray<SigningSecret.SigningSecret>
  /** The context with which the secrets were sealed (`Vault`). */
  readonly sealContext: string
  readonly body: string
}

export interface PostedWebhook {
  readonly answer: WebhookAnswer
  readonly startedAt: Timestamp.Timestamp
  readonly endedAt: Timestamp.Timestamp
}

/** Signs the body with every valid secret, for the attempt's own time `t`, and posts it (Spec §6.4). */
export const signedPost = program("signedPost", function* ({ body, sealContext, secrets, url }: WebhookPost) {
  const sender = yield* WebhookSender
  const startedAt = yield* Timestamp.now
  const texts = yield* unsealLive(secrets, sealContext, startedAt)
  const answer = yield* sender.post(url, headersOf(sender, texts, body, startedAt), body)
  const sent: PostedWebhook = { answer, startedAt, endedAt: yield* Timestamp.now }
  yield* Telemetry.measure(() => DeliveryFigures.posted(sent))
  return sent
})

/** Unseals the secrets that are valid at `now`, newest first. */
export const unsealLive = (
  secrets: ReadonlyArray<SigningSecret.SigningSecret>,
  sealContext: string,
  now: Timestamp.Timestamp
) =>
  withPort(Vault.Vault, (vault) => {
    const known = unsealedBy(vault)
    const live = SigningSecret.live(secrets, now)
    const texts = live.flatMap(({ sealed }) => known.get(`${sealContext}\n${sealed}`) ?? [])
    if (texts.length === live.length) return Effect.succeed(texts)
    return Effect.forEach(live, ({ sealed }) =>
      Effect.tap(vault.unseal(sealed, sealContext), (text) => {
        if (known.size >= KNOWN_MAX) known.clear()
        known.set(`${sealContext}\n${sealed}`, text)
      })
    )
  })

/**
 * A cache of unsealed secrets for each vault, by context and sealed text, which never means another secret. An endpoint
 * signs with one secret for years, and unsealing costs more than signing.
 */
const unsealed = new WeakMap<typeof Vault.Vault.Service, Map<string, string>>()
const KNOWN_MAX = 1_000

const unsealedBy = (vault: typeof Vault.Vault.Service): Map<string, string> => {
  const found = unsealed.get(vault)
  if (found !== undefined) return found
  const made = new Map<string, string>()
  unsealed.set(vault, made)
  return made
}

/** The headers of a body that is signed with each secret at the time `at`. */
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
  ] as const
}

const USER_AGENT = "place-access-webhooks/1"
