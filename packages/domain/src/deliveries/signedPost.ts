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
export const signedPost = Effect.fnUntraced(function* (outgoing: Outgoing) {
  const startedAt = yield* Timestamp.now
  const secrets = yield* unsealLive(outgoing.secrets, outgoing.sealContext, startedAt)
  const headers = yield* signedHeaders(secrets, outgoing.body, startedAt)
  const answer = yield* (yield* WebhookSender).post(outgoing.url, headers, outgoing.body)
  const sent: Sent = { answer, startedAt, endedAt: yield* Timestamp.now }
  yield* Telemetry.measure(() => DeliveryFigures.posted(sent))
  return sent
}, Telemetry.span("signedPost"))

/** The texts of those that sign at `now`, newest first. */
export const unsealLive = (
  secrets: ReadonlyArray<SigningSecret.SigningSecret>,
  sealContext: string,
  now: Timestamp.Timestamp
) =>
  Effect.flatMap(Vault, (vault) =>
    Effect.forEach(SigningSecret.live(secrets, now), ({ sealed }) => vault.unseal(sealed, sealContext))
  )

/** What goes with a body, to whomever: signed with each of the secrets, at `at`. */
export const signedHeaders = (secrets: ReadonlyArray<string>, body: string, at: Timestamp.Timestamp) =>
  Effect.map(WebhookSender, (sender) => {
    const message = Signature.message(at, body)
    const signatures = secrets.map((secret) => sender.sign(secret, message))
    return [
      ["content-type", "application/json"],
      ["user-agent", USER_AGENT],
      [Signature.HEADER, Signature.header(at, signatures)]
    ] as const
  })

const USER_AGENT = "place-access-webhooks/1"
