import type { AccountStore } from "@place-access/domain/accounts"
import { WebhookSender } from "@place-access/domain/endpoints"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as Admission from "../edge/Admission.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { stillSignedIn } from "../security/stillSignedIn.js"

/**
 * A `WebhookSender` for requests. A request gives its place in admission control (`Admission`) to other requests while
 * it waits for the look-up of a host name, or for the answer of a receiver of webhooks (decision limits-11). Otherwise
 * one developer could take every place, with host names whose name servers never answer.
 *
 * A look-up can take some seconds, because the developer's name server decides when it answers. So the session is
 * checked again after the look-up: otherwise a request could store an endpoint after its session has ended (decision
 * accounts-23).
 */
export const layer: Layer.Layer<WebhookSender, never, WebhookSender | AccountStore | Vault.Vault> = Layer.effect(
  WebhookSender,
  Effect.gen(function* () {
    const sender = yield* WebhookSender
    const check = Effect.provide(stillSignedIn, yield* Effect.context<AccountStore | Vault.Vault>())
    return {
      ...sender,
      post: (...webhook) => aside(sender.post(...webhook)),
      checkUrl: (url) => Effect.zipLeft(aside(sender.checkUrl(url)), check)
    }
  })
)

const aside = <A>(waiting: Effect.Effect<A>): Effect.Effect<A> =>
  CurrentRequest.cellWith(({ place }) => Admission.aside(place, waiting))
