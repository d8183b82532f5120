import { Context, type Effect } from "effect"
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import type { Answer } from "./Delivery.js"

/** One POST to a receiver: guarded egress, no redirects, five seconds for everything (Spec §6.4.5, decision W5). */
export class WebhookSender extends Context.Tag("@place-access/domain/deliveries/WebhookSender")<
  WebhookSender,
  {
    /** Never fails: whatever happens is an `Answer`. The headers are the caller's, signature included. */
    readonly post: (
      url: EndpointUrl,
      headers: ReadonlyArray<readonly [string, string]>,
      body: string
    ) => Effect.Effect<Answer>
    /** HMAC-SHA256 in lower-case hex, keyed with the UTF-8 bytes of `secret` (decision W1). */
    readonly sign: (secret: string, message: string) => string
    /** What is wrong with an address as it is written, before its name is looked up; undefined when nothing is. */
    readonly faultOf: (url: string) => string | undefined
    /** Whether the address may be registered and resolves to public addresses only (Spec §4.7); the reason when not. */
    readonly checkUrl: (url: string) => Effect.Effect<string | undefined>
  }
>() {}
