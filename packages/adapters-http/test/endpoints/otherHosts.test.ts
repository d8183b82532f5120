import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Deferred, Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { connected } from "../support/connected.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

const HOOK = "https://hooks.example.com/places"
const SLOW = "https://hooks.slow.example/places"

let world: World
let answered: Deferred.Deferred<void>
beforeEach(async () => {
  world = await startWorld({ requestsAtOnce: 1 })
  answered = Effect.runSync(Deferred.make<void>())
})
afterEach(async () => {
  answer()
  await world.close()
})

const answer = () => Effect.runSync(Deferred.succeed(answered, undefined))

/**
 * Until `answer` is called, the look-up of the host of `SLOW` does not end, and the receiver at `HOOK` does not answer.
 */
const slowHosts = async () => {
  const requested = Effect.runSync(Deferred.make<void>())
  const wait = Effect.zipRight(Deferred.succeed(requested, undefined), Deferred.await(answered))
  const answers: MemoryWebhookSender.Behaviour = () => Effect.as(wait, { _tag: "Answered", status: 200, snippet: "" })
  await world.run(
    Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) =>
      Effect.zipRight(receivers.scriptLookUp(SLOW, wait), receivers.script(HOOK, answers))
    )
  )
  return { areAsked: () => Effect.runPromise(Deferred.await(requested)) }
}

const developed = async () => {
  const stage = await connected(world)
  const { person } = stage
  const path = `/developer/apps/${stage.app.id}/webhooks`
  const { json } = await person.send("POST", `/v1${path}`, { url: HOOK })
  return { ...stage, path, one: `${path}/${(json as { readonly id: string }).id}` }
}

type Developed = Awaited<ReturnType<typeof developed>>

describe("a server with one place works on other requests while it waits for another host [limits-11]", () => {
  it.each<readonly [string, number, (stage: Developed) => Promise<Answer>]>([
    ["POST …/webhooks", 201, ({ path, person }) => person.send("POST", `/v1${path}`, { url: SLOW })],
    [
      "POST …/webhooks with an Idempotency-Key",
      201,
      ({ path, person }) =>
        person.send("POST", `/v1${path}`, { url: SLOW }, { headers: { "idempotency-key": "key-1" } })
    ],
    ["PATCH …/webhooks/{id}", 200, ({ one, person }) => person.send("PATCH", `/v1${one}`, { url: SLOW })],
    ["POST …/webhooks/{id}/test", 200, ({ one, person }) => person.send("POST", `/v1${one}/test`)],
    [
      "the page of webhooks",
      200,
      async ({ path, person }) => {
        const browser = await signedIn(world, person.account.email)
        return browser.submit(await browser.get(path), path, { url: SLOW })
      }
    ],
    [
      "the page of an endpoint",
      303,
      async ({ one, person }) => {
        const browser = await signedIn(world, person.account.email)
        return browser.submit(await browser.get(one), one, { url: SLOW })
      }
    ],
    [
      "POST /v1/subscriptions",
      201,
      async ({ connect }) => {
        const { access_token: token } = await connect(["location.rules.place"])
        const { headers, ...body } = jsonBody({ url: SLOW })
        const sent = { ...body, headers: { ...headers, ...bearer(token).headers } }
        return world.call("/v1/subscriptions", { method: "POST", ...sent })
      }
    ]
  ])("%s", async (_, status, send) => {
    const stage = await developed()
    const hosts = await slowHosts()
    const sent = send(stage)
    await Promise.race([hosts.areAsked(), sent])
    expect((await stage.person.get("/v1/developer/apps")).status).toBe(200)
    answer()
    expect((await sent).status).toBe(status)
    expect((await stage.person.get("/v1/developer/apps")).status).toBe(200)
  })
})
