import type { WebhookSender } from "@place-access/domain/endpoints"
import { type Context, Effect } from "effect"

/** Looks up the host of `url`, and returns a sender that knows the result, so that a transaction needs no network. */
export const lookUpBefore = (
  sender: Context.Tag.Service<WebhookSender>,
  url: string
): Effect.Effect<Context.Tag.Service<WebhookSender>> =>
  Effect.map(sender.checkUrl(url), (reason) => ({
    ...sender,
    checkUrl: (requested: string) => (requested === url ? Effect.succeed(reason) : sender.checkUrl(requested))
  }))
