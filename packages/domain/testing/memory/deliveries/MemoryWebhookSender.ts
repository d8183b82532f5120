import type { WebhookAnswer } from "../../../src/endpoints/WebhookSender.js"
import { Context, Effect, Encoding, Layer } from "effect"
import { ANSWER_DEADLINE } from "../../../src/deliveries/Delivery.js"
import { WebhookSender } from "../../../src/endpoints/WebhookSender.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { hmacSha256 } from "../vault/Sha256.js"
import * as Utf8 from "../vault/Utf8.js"

/** A POST that the sender made or tried to make. */
export interface Post {
  readonly at: Timestamp.Timestamp
  readonly url: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string
}

/**
 * What a receiver does with a POST. The receiver may take virtual time to answer. The sender gives up after five
 * seconds.
 */
export type Behaviour = (post: Post) => Effect.Effect<WebhookAnswer>

/** Answers every POST with this status. `snippet` is the beginning of the response's body. */
export const answers =
  (status: number, snippet = ""): Behaviour =>
  () =>
    Effect.succeed({ _tag: "Answered", status, snippet })

export const refuses: Behaviour = () => Effect.succeed({ _tag: "Unreachable", detail: "connection refused" })

/** Accepts the connection, and does not answer before the sender's deadline is over. */
export const hangs: Behaviour = () => Effect.as(Effect.sleep(2 * ANSWER_DEADLINE), { _tag: "Unreachable", detail: "" })

/** The POST cannot be sent, because the sender's own resolver or network fails. */
export const ourFault: Behaviour = () => Effect.succeed({ _tag: "NotSent", detail: "name look-up is not working" })

/** Waits for `millis` milliseconds, and then does what `then` does. */
export const slowly =
  (millis: number, then: Behaviour): Behaviour =>
  (post) =>
    Effect.zipRight(Effect.sleep(millis), then(post))

/** Uses the behaviours in turn, one for each POST. The last behaviour is for all further POSTs. */
export const inTurn = (...behaviours: readonly [Behaviour, ...ReadonlyArray<Behaviour>]): Behaviour => {
  let next = 0
  return (post) => (behaviours[Math.min(next++, behaviours.length - 1)] ?? behaviours[0])(post)
}

/**
 * The receivers of a test. The test sets what each address does, and reads the POSTs that the sender made or tried to
 * make.
 */
export class Receivers extends Context.Tag("@place-access/domain/testing/Receivers")<
  Receivers,
  {
    /** Sets what the receiver at `url` does from now on. A receiver without a script refuses the connection. */
    readonly script: (url: string, behaviour: Behaviour) => Effect.Effect<void>
    /** Delays each look-up of the host of `url`, from now on: the look-up ends when `answered` completes. */
    readonly scriptLookUp: (url: string, answered: Effect.Effect<void>) => Effect.Effect<void>
    /**
     * All POSTs to `url`, oldest first, including POSTs that failed (`refuses`, `ourFault`). Without `url`, the POSTs
     * to any address.
     */
    readonly posts: (url?: string) => Effect.Effect<ReadonlyArray<Post>>
  }
>() {}

const NO_ANSWER: WebhookAnswer = { _tag: "Unreachable", detail: "no complete answer within 5 s" }

/** HMAC-SHA-256 in hexadecimal. */
export const sign = (secret: string, message: string): string =>
  Encoding.encodeHex(hmacSha256(Utf8.encode(secret), Utf8.encode(message)))

/**
 * Refuses a webhook URL at registration if it is not https. A URL that contains `private` is refused as if its host had
 * a private address.
 */
const checkUrl = (url: string): string | undefined =>
  faultOf(url) ?? (url.includes("private") ? "must resolve to public addresses only" : undefined)

const faultOf = (url: string): string | undefined =>
  url.startsWith("https://") ? undefined : "must begin with https://"

export const layer: Layer.Layer<WebhookSender | Receivers> = Layer.effectContext(
  Effect.sync(() => {
    const scripts = new Map<string, Behaviour>()
    const lookUps = new Map<string, Effect.Effect<void>>()
    const log: Array<Post> = []
    return Context.empty().pipe(
      Context.add(WebhookSender, {
        post: (url, headers, body) =>
          Effect.gen(function* () {
            const post: Post = { at: yield* Timestamp.now, url, headers, body }
            log.push(post)
            const behave = scripts.get(url) ?? refuses
            return yield* Effect.timeoutTo(behave(post), {
              duration: ANSWER_DEADLINE,
              onSuccess: (answer) => answer,
              onTimeout: () => NO_ANSWER
            })
          }),
        sign,
        faultOf,
        checkUrl: (url) => Effect.suspend(() => Effect.as(lookUps.get(url) ?? Effect.void, checkUrl(url)))
      }),
      Context.add(Receivers, {
        script: (url, behaviour) => Effect.sync(() => void scripts.set(url, behaviour)),
        scriptLookUp: (url, answered) => Effect.sync(() => void lookUps.set(url, answered)),
        posts: (url) => Effect.sync(() => log.filter((post) => url === undefined || post.url === url))
      })
    )
  })
)
