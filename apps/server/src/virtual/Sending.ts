import { WebhookSender } from "@place-access/domain/endpoints"
import { Context, Effect, Layer } from "effect"
import type { Happening } from "./Happening.js"

/** Counts the webhooks in flight, and records each attempt with the time of the test world's clock. */
export interface Sending {
  readonly around: <E, R>(sender: Layer.Layer<WebhookSender, E, R>) => Layer.Layer<WebhookSender, E, R>
  /** How many attempts wait for a receiver's answer. */
  readonly inFlight: () => number
  /** The attempts since the last call of `take`, in the order in which they began. */
  readonly take: () => ReadonlyArray<Happening>
}

/** The fields of a webhook's body that identify the event. */
const eventOf = (body: string): Readonly<Record<string, string>> => {
  try {
    const { event_id, type } = JSON.parse(body) as { readonly event_id?: unknown; readonly type?: unknown }
    return {
      ...(typeof type === "string" ? { type } : {}),
      ...(typeof event_id === "string" ? { event_id } : {})
    }
  } catch {
    return {}
  }
}

/** Makes the counter of webhooks in flight. `stir` is called when an attempt begins and when it has ended. */
export const make = (now: () => number, stir: () => void): Sending => {
  let inFlight = 0
  let attempts: Array<{ happening: Happening }> = []
  return {
    inFlight: () => inFlight,
    take: () => {
      const taken = attempts.map(({ happening }) => happening)
      attempts = []
      return taken
    },
    around: (sender) =>
      Layer.map(sender, (context) => {
        const real = Context.get(context, WebhookSender)
        return Context.make(WebhookSender, {
          ...real,
          post: (url, headers, body) =>
            Effect.suspend(() => {
              inFlight += 1
              stir()
              const details = { ...eventOf(body), url: String(url) }
              const attempt = { happening: { at: now(), what: "webhook", row: "", details } as Happening }
              attempts.push(attempt)
              return real.post(url, headers, body).pipe(
                Effect.tap((answer) =>
                  Effect.sync(() => {
                    const outcome = answer._tag === "Answered" ? { status: answer.status } : { failure: answer.detail }
                    attempt.happening = { ...attempt.happening, details: { ...details, ...outcome } }
                  })
                ),
                Effect.ensuring(
                  Effect.sync(() => {
                    inFlight -= 1
                    stir()
                  })
                )
              )
            })
        })
      })
  }
}
