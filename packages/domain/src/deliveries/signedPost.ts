import { Effect } from "effect"
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import type { Answer } from "./Delivery.js"
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
export const signedPost = Effect.fn("signedPost")(function* (outgoing: Outgoing) {
  const vault = yield* Vault
  const sender = yield* WebhookSender
  const { body, sealContext } = outgoing
  const startedAt = yield* Timestamp.now
  const secrets = yield* Effect.forEach(SigningSecret.live(outgoing.secrets, startedAt), ({ sealed }) =>
    vault.unseal(sealed, sealContext)
  )
  const message = Signature.message(startedAt, body)
  const signatures = secrets.map((secret) => sender.sign(secret, message))
  const headers = [
    ["content-type", "application/json"],
    ["user-agent", USER_AGENT],
    [Signature.HEADER, Signature.header(startedAt, signatures)]
  ] as const
  const answer = yield* sender.post(outgoing.url, headers, body)
  const sent: Sent = { answer, startedAt, endedAt: yield* Timestamp.now }
  return sent
})

const USER_AGENT = "place-access-webhooks/1"
