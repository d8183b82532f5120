import { Effect } from "effect"
import { WebhookSender } from "../deliveries/WebhookSender.js"
import { Invalid } from "../shared/Invalid.js"
import { EndpointUrl } from "./EndpointUrl.js"

/** The address exactly as given, because rules must name it exactly (Spec §4.6.7); `Invalid` on `url` when it is refused. */
export const checkedUrl = Effect.fn("checkedUrl")(function* (url: string) {
  const sender = yield* WebhookSender
  const reason = yield* sender.checkUrl(url)
  if (reason !== undefined) return yield* Invalid.of("url", reason)
  return EndpointUrl.make(url)
})
