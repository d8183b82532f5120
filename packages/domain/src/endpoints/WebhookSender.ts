import { Context, type Effect } from "effect"
import type { EndpointUrl } from "./EndpointUrl.js"

/** The result of one attempt. */
export type WebhookAnswer =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly snippet: string
      /** The answer's headers, in the order in which they came. Left out by senders that do not report headers. */
      readonly headers?: ReadonlyArray<readonly [string, string]>
    }
  /**
   * A fault of the receiver, for example: connection refused or reset, a time-out, a TLS error, an address that is not
   * public.
   */
  | { readonly _tag: "Unreachable"; readonly detail: string }
  /**
   * A fault of the service itself, such as a failing resolver or a secret that cannot be decrypted. The delivery does
   * not lose an attempt (decision W3).
   */
  | { readonly _tag: "NotSent"; readonly detail: string }

/**
 * Posts webhooks to public addresses. Follows no redirect, and takes at most five seconds for one attempt (Spec §6.4.5,
 * decision W5).
 */
export class WebhookSender extends Context.Tag("@place-access/domain/endpoints/WebhookSender")<
  WebhookSender,
  {
    /** Never fails: every result is a `WebhookAnswer`. The caller gives all headers, including the signature. */
    readonly post: (
      url: EndpointUrl,
      headers: ReadonlyArray<readonly [string, string]>,
      body: string
    ) => Effect.Effect<WebhookAnswer>
    /** HMAC-SHA256 in lower-case hex, keyed with the UTF-8 bytes of `secret` (decision W1). */
    readonly sign: (secret: string, message: string) => string
    /** What is wrong with the text of an address; undefined when the text is valid. Resolves no host name. */
    readonly faultOf: (url: string) => string | undefined
    /** Why the address may not be registered, after resolving its host name (Spec §4.7); undefined when it may. */
    readonly checkUrl: (url: string) => Effect.Effect<string | undefined>
  }
>() {}
