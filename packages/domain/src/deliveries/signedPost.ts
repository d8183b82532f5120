import { Effect } from "effect"
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import type { Answer } from "./Delivery.js"
import * as DeliveryFigures from "./DeliveryFigures.js"
import * as Signature from "./Signature.js"
import { WebhookSender } from "./WebhookSender.js"

export interface Outgoing {
  readonly url: EndpointUrl
  readonly secrets: ReadonlyArray<SigningSecret.SigningSecret>
  /** What the secrets are bound to. */
  readonly sealContext: string
  readonly body: string
}

export interface Sent {
  readonly answer: Answer
  readonly startedAt: Timestamp.Timestamp
  readonly endedAt: Timestamp.Timestamp
}

/** Signs with every secret that is valid now and posts (Spec §6.4): each attempt gets its own `t`. */
export const signedPost = ({ body, sealContext, secrets, url }: Outgoing) =>
  Telemetry.span("signedPost")(
    Effect.flatMap(WebhookSender, (sender) =>
      Effect.flatMap(Timestamp.now, (startedAt) =>
        Effect.flatMap(unsealLive(secrets, sealContext, startedAt), (texts) =>
          Effect.flatMap(sender.post(url, headersOf(sender, texts, body, startedAt), body), (answer) =>
            Effect.flatMap(Timestamp.now, (endedAt) => {
              const sent: Sent = { answer, startedAt, endedAt }
              return Effect.as(
                Telemetry.measure(() => DeliveryFigures.posted(sent)),
                sent
              )
            })
          )
        )
      )
    )
  )

/** The texts of those that sign at `now`, newest first. */
export const unsealLive = (
  secrets: ReadonlyArray<SigningSecret.SigningSecret>,
  sealContext: string,
  now: Timestamp.Timestamp
) =>
  Effect.flatMap(Vault, (vault) => {
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
 * Of each vault what was unsealed, by what it was bound to and the sealed text itself, which never means anything else: an endpoint signs
 * with the same secret for years, and unsealing it costs more than signing.
 */
const unsealed = new WeakMap<typeof Vault.Service, Map<string, string>>()
const KNOWN_MAX = 1_000

const unsealedBy = (vault: typeof Vault.Service): Map<string, string> => {
  const found = unsealed.get(vault)
  if (found !== undefined) return found
  const made = new Map<string, string>()
  unsealed.set(vault, made)
  return made
}

/** What goes with a body, to whomever: signed with each of the secrets, at `at`. */
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
