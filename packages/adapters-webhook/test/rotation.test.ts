import { verify } from "@place-access/adapters-webhook/verify"
import { Signature } from "@place-access/domain/deliveries"
import { WebhookSender } from "@place-access/domain/endpoints"
import { rotateSecret } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { Stripe } from "stripe"
import { describe, expect, it } from "vitest"
import { fire, inVirtualTime, scene, URL, withWorker } from "../../domain/test/support/webhooks.js"
import { sign } from "../src/SignatureHeader.js"

const { answers, inTurn, Receivers, refuses } = MemoryWebhookSender
const { DAY, HOUR } = Timestamp

/** The service's own code signs the deliveries. Only their receivers are in memory. */
const signedForReal = Effect.updateService(WebhookSender, (sender) => ({ ...sender, sign }))

/**
 * The names of the secrets with which the signature of a post is valid when the post arrives. Stripe's library and our
 * `verify` must give the same result.
 */
const readers = async (post: MemoryWebhookSender.Post, secrets: Readonly<Record<string, string>>) => {
  const header = new Map(post.headers).get(Signature.HEADER) ?? ""
  const stripe: Array<string> = []
  const ours: Array<string> = []
  for (const [name, secret] of Object.entries(secrets)) {
    try {
      Stripe.webhooks.signature?.verifyHeader(post.body, header, secret, 60, undefined, post.at)
      stripe.push(name)
    } catch {
      // Stripe's library throws when the secret does not match, so an error means that the signature is not valid.
    }
    if ((await verify({ payload: post.body, header, secrets: secret, now: post.at })).ok) ours.push(name)
  }
  expect(ours).toEqual(stripe)
  return stripe
}

const postsTo = Effect.flatMap(Receivers, (receivers) => receivers.posts(URL))
const script = (behaviour: MemoryWebhookSender.Behaviour) =>
  Effect.flatMap(Receivers, (receivers) => receivers.script(URL, behaviour))

describe("a receiver during a rotation [§6.4.3]", () => {
  it("deliveries verify with either secret for 24 hours, to the millisecond, and then with the new one alone [§6.4.3]", async () => {
    const { old, posts, secret } = inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        return yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 hour")
            const { secret } = yield* rotateSecret(stage.developer, stage.app.id, stage.endpoint.id)
            yield* fire(stage)
            yield* Effect.sleep(DAY - 1)
            yield* fire(stage)
            yield* Effect.sleep(1)
            yield* fire(stage)
            yield* Effect.sleep("1 day")
            return { old: stage.secret, posts: yield* postsTo, secret }
          })
        )
      }).pipe(signedForReal)
    )
    expect(posts.map(({ at }) => at - (posts[0]?.at ?? 0))).toEqual([0, HOUR, HOUR + DAY - 1, HOUR + DAY])
    const who = await Promise.all(posts.map((post) => readers(post, { old, secret, stranger: `${secret}x` })))
    expect(who).toEqual([["old"], ["old", "secret"], ["old", "secret"], ["secret"]])
  })

  it("an event that is retried through it is signed by what is valid at each attempt [§6.4.4]", async () => {
    const { posts, ...secrets } = inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(refuses, refuses, refuses, refuses, refuses, refuses, answers(200)))
        return yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 minute")
            const first = yield* rotateSecret(stage.developer, stage.app.id, stage.endpoint.id)
            yield* Effect.sleep("3 hours")
            const second = yield* rotateSecret(stage.developer, stage.app.id, stage.endpoint.id)
            yield* Effect.sleep("2 days")
            yield* fire(stage)
            yield* Effect.sleep("1 second")
            return { a: stage.secret, b: first.secret, c: second.secret, posts: yield* postsTo }
          })
        )
      }).pipe(signedForReal)
    )
    const who = await Promise.all(posts.map((post) => readers(post, secrets)))
    // The first attempt is at 0 s. The next attempts follow after 30 s, 5 min, 30 min, 2 h, 6 h and 15 h, each counted
    // from the attempt before. So the last attempt is 23 h 35 min 30 s after the first.
    const all = ["a", "b", "c"]
    expect(who).toEqual([["a"], ["a"], ["a", "b"], ["a", "b"], ["a", "b"], all, all, ["c"]])
  })
})
