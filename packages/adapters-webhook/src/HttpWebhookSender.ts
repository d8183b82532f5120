import { Delivery } from "@place-access/domain/deliveries"
import { type WebhookAnswer, WebhookSender } from "@place-access/domain/endpoints"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Effect, Layer } from "effect"
import { type EgressPolicy, literal, mayConnect, mayConnectToAll } from "./EgressGuard.js"
import { exchange, makeAgent, type ExchangeOutcome } from "./Exchange.js"
import * as Resolver from "./Resolver.js"
import { sign } from "./SignatureHeader.js"
import * as Trouble from "./Trouble.js"
import * as UrlRules from "./UrlRules.js"

// The sender of webhooks asks name servers directly, unless `allowInsecure` is on. It reuses idle connections for 4 s
// only. Decision deliveries-14.

export interface SenderOptions extends EgressPolicy {
  /**
   * The resolver of host names. Default: the configured name servers, or with `allowInsecure` the machine's own
   * look-up, which also reads the `hosts` file.
   */
  readonly resolver?: Resolver.Resolver | undefined
  /** A certificate authority to trust instead of the well-known ones, in PEM. */
  readonly ca?: string | undefined
}

/** Sends webhooks with `undici`. Idle connections stay open for a few seconds, and close with the layer. */
export const layer = (options: SenderOptions): Layer.Layer<WebhookSender> =>
  Layer.scoped(
    WebhookSender,
    Effect.gen(function* () {
      const { allowInsecure, ca } = options
      const resolver = options.resolver ?? (allowInsecure ? Resolver.machine : Resolver.system)
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => makeAgent({ allowInsecure, ca, resolver })),
        (agent) => Effect.promise(() => agent.destroy())
      )

      const addressFault = (hostname: string): Effect.Effect<string | undefined> => {
        const address = literal(hostname)
        if (address !== undefined) return Effect.succeed(mayConnect(address, options) ? undefined : Trouble.NOT_PUBLIC)
        return Effect.tryPromise(() => resolver(hostname)).pipe(
          Effect.match({
            onFailure: ({ error }) => {
              const { _tag, detail } = Trouble.toAnswer(error)
              return _tag === "NotSent" ? `cannot be checked now: ${detail}` : Trouble.NOT_PUBLIC
            },
            onSuccess: (found) => (mayConnectToAll(found, options) ? undefined : Trouble.NOT_PUBLIC)
          })
        )
      }

      return WebhookSender.of({
        // The deadline is a timer and not an interruption of the fiber. An interruption would not end the post of a
        // caller that is uninterruptible because it must store the result (`sendTest`).
        post: (url, headers, body) =>
          Effect.async((resume) => {
            // @effect-diagnostics-next-line globalTimers:off -- sockets run in real time
            const late = setTimeout(() => {
              leave()
              resume(Effect.succeed(Trouble.TOO_LATE))
            }, Delivery.ANSWER_DEADLINE)
            const leave = exchange(agent, { url, headers, body }, (outcome) => {
              clearTimeout(late)
              resume(Effect.succeed(toAnswer(outcome)))
            })
            return Effect.sync(() => {
              clearTimeout(late)
              leave()
            })
          }),
        sign,
        faultOf: (text) => {
          const checked = UrlRules.check(text, options)
          return typeof checked === "string" ? EndpointUrl.message[checked] : undefined
        },
        checkUrl: (text) => {
          const checked = UrlRules.check(text, options)
          return typeof checked === "string"
            ? Effect.succeed(EndpointUrl.message[checked])
            : addressFault(checked.hostname)
        }
      })
    })
  )

const toAnswer = (outcome: ExchangeOutcome): WebhookAnswer =>
  "answered" in outcome ? { _tag: "Answered", ...outcome.answered } : Trouble.toAnswer(outcome.error)
