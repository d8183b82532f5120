import { Context, Effect, Encoding, Layer } from "effect"
import { ANSWER_DEADLINE, type Answer } from "../../deliveries/Delivery.js"
import { WebhookSender } from "../../deliveries/WebhookSender.js"
import * as Timestamp from "../../shared/Timestamp.js"
import { hmacSha256 } from "./Sha256.js"
import * as Utf8 from "./Utf8.js"

/** A POST as a receiver saw it. */
export interface Post {
  readonly at: Timestamp.Timestamp
  readonly url: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string
}

/** What a receiver does with a post. It may take virtual time; after five seconds nobody waits for it. */
export type Behaviour = (post: Post) => Effect.Effect<Answer>

/** Every POST is answered with this status. */
export const answers =
  (status: number, snippet = ""): Behaviour =>
  () =>
    Effect.succeed({ _tag: "Answered", status, snippet })

export const refuses: Behaviour = () => Effect.succeed({ _tag: "Unreachable", detail: "connection refused" })

/** Accepts the connection and never says a word. */
export const hangs: Behaviour = () => Effect.as(Effect.sleep(2 * ANSWER_DEADLINE), { _tag: "Unreachable", detail: "" })

/** Our own resolver or network is down. */
export const ourFault: Behaviour = () => Effect.succeed({ _tag: "NotSent", detail: "name look-up is not working" })

/** After so many milliseconds, whatever `then` does. */
export const slowly =
  (millis: number, then: Behaviour): Behaviour =>
  (post) =>
    Effect.zipRight(Effect.sleep(millis), then(post))

/** One behaviour for each post in turn; the last one stays. */
export const inTurn = (...behaviours: readonly [Behaviour, ...ReadonlyArray<Behaviour>]): Behaviour => {
  let next = 0
  return (post) => (behaviours[Math.min(next++, behaviours.length - 1)] ?? behaviours[0])(post)
}

/** The receivers of a test: a script for each address, and what arrived. */
export class Receivers extends Context.Tag("@place-access/domain/testing/Receivers")<
  Receivers,
  {
    /** From now on `url` behaves so. Addresses without a script refuse. */
    readonly script: (url: string, behaviour: Behaviour) => Effect.Effect<void>
    /** Everything that was ever posted to `url`, oldest first. */
    readonly posts: (url?: string) => Effect.Effect<ReadonlyArray<Post>>
  }
>() {}

const NO_ANSWER: Answer = { _tag: "Unreachable", detail: "no complete answer within 5 s" }

/** HMAC-SHA-256 in hexadecimal. */
export const sign = (secret: string, message: string): string =>
  Encoding.encodeHex(hmacSha256(Utf8.encode(secret), Utf8.encode(message)))

/** Refuses at registration what is plainly not https, and every name that contains `private`. */
const checkUrl = (url: string): string | undefined =>
  faultOf(url) ?? (url.includes("private") ? "must resolve to public addresses only" : undefined)

const faultOf = (url: string): string | undefined =>
  url.startsWith("https://") ? undefined : "must begin with https://"

export const layer: Layer.Layer<WebhookSender | Receivers> = Layer.effectContext(
  Effect.sync(() => {
    const scripts = new Map<string, Behaviour>()
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
        checkUrl: (url) => Effect.sync(() => checkUrl(url))
      }),
      Context.add(Receivers, {
        script: (url, behaviour) => Effect.sync(() => void scripts.set(url, behaviour)),
        posts: (url) => Effect.sync(() => log.filter((post) => url === undefined || post.url === url))
      })
    )
  })
)
