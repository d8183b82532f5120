import { HttpWebhookSender } from "@place-access/adapters-webhook"
import type { WebhookSender } from "@place-access/domain/endpoints"
import { Effect, type Layer } from "effect"

interface Options {
  readonly allowInsecure: boolean
}

/** Sends webhooks from this process. */
export const layer = ({ allowInsecure }: Options): Layer.Layer<WebhookSender> =>
  HttpWebhookSender.layer({ allowInsecure })

/** Warns at every start when ALLOW_INSECURE_WEBHOOKS is on (decision W5). */
export const warnIfInsecure = ({ allowInsecure }: Options): Effect.Effect<void> =>
  allowInsecure
    ? Effect.logWarning(
        "ALLOW_INSECURE_WEBHOOKS IS ON: webhooks may go to http addresses and to this machine. " +
          "Anybody who can register a webhook can reach what listens on this machine. Never use it in production."
      )
    : Effect.void
