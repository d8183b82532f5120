import { WebhookSender } from "@place-access/domain/endpoints"
import { Effect, Layer } from "effect"
import * as Admission from "../edge/Admission.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"

/**
 * A `WebhookSender` for requests. A request gives its place in admission control (`Admission`) to other requests while
 * it waits for the look-up of a host name, or for the answer of a receiver of webhooks (decision limits-11). Otherwise
 * one developer could take every place, with host names whose name servers never answer.
 */
export const layer: Layer.Layer<WebhookSender, never, WebhookSender> = Layer.effect(
  WebhookSender,
  Effect.map(WebhookSender, (sender) => ({
    ...sender,
    post: (...webhook) => aside(sender.post(...webhook)),
    checkUrl: (url) => aside(sender.checkUrl(url))
  }))
)

const aside = <A>(waiting: Effect.Effect<A>): Effect.Effect<A> =>
  CurrentRequest.cellWith(({ place }) => Admission.aside(place, waiting))
