import { WorkSignal } from "@place-access/domain/events"
import { Listener } from "@place-access/domain/listeners"
import { Scope } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Deferred, Effect } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { type Listening, listenTo } from "../support/listening.js"
import { stage } from "../support/webhooks.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

const { answers, Receivers, sign } = MemoryWebhookSender

let world: World
const stopping = Effect.runSync(Deferred.make<void>())
beforeAll(async () => {
  world = await startWorld({ stopping: Deferred.await(stopping) })
})
const open: Array<Listening> = []
afterEach(() => open.splice(0).forEach((one) => one.hangUp()))
afterAll(() => world.close())

const listen = async (person: Person, appId: string, body: object = {}, origin?: string): Promise<Listening> => {
  const listening = await listenTo(world, person, appId, body, origin)
  open.push(listening)
  return listening
}

const raise = () => world.run(Effect.flatMap(WorkSignal, ({ raise }) => raise))

/** Makes an event of the scene happen, and wakes the streams of events. */
const fire = async ({ fire: happen }: Awaited<ReturnType<typeof stage>>, ...what: Parameters<typeof happen>) => {
  const event = await happen(...what)
  await raise()
  return event
}

/** Sets the scopes that the user has granted to the app. */
const hold = ({ connection }: Awaited<ReturnType<typeof stage>>, heldScopes: ReadonlyArray<Scope.Scope>) =>
  world.run(
    Effect.map(MemoryDatabase, ({ connections }) => connections.set(connection.id, { ...connection, heldScopes }))
  )

const listeners = (appId: string) =>
  world.run(
    Effect.map(MemoryDatabase, (tables) => [...tables.listeners.values()].filter((one) => String(one.appId) === appId))
  )

const logOf = (eventId: string) =>
  world.run(
    Effect.map(MemoryDatabase, ({ accessLog }) =>
      accessLog.filter(({ id }) => id.includes(eventId)).map(({ disclosed, error }) => [error, disclosed])
    )
  )

const signedBy = (secret: unknown, data: Readonly<Record<string, unknown>>): boolean => {
  const header = (data["headers"] as Record<string, string>)["x-service-signature"] ?? ""
  const [, t = ""] = /^t=(\d+),/.exec(header) ?? []
  return header.includes(`v1=${sign(String(secret), `${t}.${String(data["body"])}`)}`)
}

const bodyOf = (data: Readonly<Record<string, unknown>>) => JSON.parse(String(data["body"])) as Record<string, unknown>

describe("POST /v1/developer/apps/{app_id}/listen", () => {
  it("is a stream that begins with the secret, and carries each event signed and whole", async () => {
    const scene = await stage(world)
    const listening = await listen(scene.developer, scene.app.id)
    expect(listening.status).toBe(200)
    expect(listening.headers.get("content-type")).toBe("text/event-stream")
    expect(listening.headers.get("cache-control")).toBe("no-store, no-transform")
    const [ready] = await listening.until("ready")
    expect(ready).toEqual({
      listener_id: expect.stringMatching(/^lst_/),
      app_id: scene.app.id,
      endpoint_id: ready?.["listener_id"],
      events: [],
      secret: expect.stringMatching(/^whsec_.{43}$/),
      heartbeat_s: 15
    })
    const event = await fire(scene)
    const [message] = await listening.until("event")
    expect(message).toEqual({
      headers: {
        "content-type": "application/json",
        "user-agent": "place-access-webhooks/1",
        "x-service-signature": expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/)
      },
      body: expect.any(String)
    })
    expect(bodyOf(message ?? {})).toMatchObject({
      event_id: event.id,
      app_id: scene.app.id,
      endpoint_id: ready?.["listener_id"],
      type: "place.enter",
      grant_id: scene.connection.id
    })
    expect(signedBy(ready?.["secret"], message ?? {})).toBe(true)
  })

  it("the secret is the same whenever this developer listens to this app, and another for another app [listeners-2]", async () => {
    const [one, two] = [await stage(world), await stage(world)]
    const secretOf = async ({ app, developer }: typeof one) => {
      const [ready] = await (await listen(developer, app.id)).until("ready")
      return ready?.["secret"]
    }
    const secret = await secretOf(one)
    expect(await secretOf(one)).toBe(secret)
    expect(await secretOf(two)).not.toBe(secret)
  })

  it("with an endpoint, exactly what that endpoint is sent, by both secrets in a rotation, and never a secret", async () => {
    const scene = await stage(world)
    await scene.script(answers(200))
    const { secret } = (
      await scene.developer.send("POST", `${scene.base}/webhooks/${scene.endpoints[0]}/rotate-secret`)
    ).json as { readonly secret: string }
    const listening = await listen(scene.developer, scene.app.id, { endpoint_id: scene.endpoints[0] })
    const [ready] = await listening.until("ready")
    expect(ready).toMatchObject({ endpoint_id: scene.endpoints[0], secret: null })
    await fire(scene)
    const [message = {}] = await listening.until("event")
    await scene.work()
    const posts = await world.run(
      Effect.flatMap(Receivers, (receivers) => receivers.posts(`https://hooks.example.com/${scene.app.id}`))
    )
    expect(posts.map(({ body, headers }) => ({ body, headers }))).toEqual([
      {
        body: message["body"],
        headers: Object.entries(message["headers"] as Record<string, string>).map(([name, value]) => [
          name === "x-service-signature" ? "X-Service-Signature" : name,
          value
        ])
      }
    ])
    expect((message["headers"] as Record<string, string>)["x-service-signature"]?.match(/v1=/g)).toHaveLength(2)
    expect(signedBy(secret, message)).toBe(true)
    expect(listening.text()).not.toContain("whsec_")
  })

  it("with an endpoint, by its list of events; without, by the list that was asked for", async () => {
    const scene = await stage(world)
    const both = [
      await listen(scene.developer, scene.app.id, { endpoint_id: scene.endpoints[1] }),
      await listen(scene.developer, scene.app.id, { events: ["places.changed"] })
    ]
    await Promise.all(both.map((one) => one.until("ready")))
    await hold(scene, Scope.all)
    await fire(scene)
    await fire(scene, "place.enter", { payload: { type: "places.changed", placesVersion: 3 } })
    for (const listening of both) {
      const [message = {}] = await listening.until("event")
      expect(bodyOf(message)["type"]).toBe("places.changed")
    }
  })

  it("an event that goes to an endpoint and to listeners is one entry of the user's access log [listeners-5]", async () => {
    const scene = await stage(world)
    await scene.script(answers(200))
    const two = [
      await listen(scene.developer, scene.app.id),
      await listen(scene.developer, scene.app.id, { endpoint_id: scene.endpoints[0] })
    ]
    await Promise.all(two.map((one) => one.until("ready")))
    const event = await fire(scene)
    await scene.work()
    await Promise.all(two.map((one) => one.until("event")))
    expect(await logOf(event.id)).toEqual([[null, "arrived at The secret garden"]])
  })

  it("nothing is sent that the app may no longer be shown, and the user reads that [§6.3.5]", async () => {
    const scene = await stage(world)
    const listening = await listen(scene.developer, scene.app.id)
    await listening.until("ready")
    // The user takes the scope away after the event fired and before it is sent.
    const event = await scene.fire("place.exit")
    await hold(scene, [])
    await raise()
    await vi.waitFor(async () => expect(await logOf(event.id)).toHaveLength(1), 10_000)
    expect(await logOf(event.id)).toEqual([["not_authorised", "nothing: “left The secret garden” was not sent"]])
    expect(listening.messages().map((message) => message.event)).toEqual(["ready"])
  })

  it("says that it is there every fifteen seconds", async () => {
    const scene = await stage(world)
    const listening = await listen(scene.developer, scene.app.id)
    await listening.until("ready")
    const [before] = await listeners(scene.app.id)
    world.clock.advance(Listener.HEARTBEAT)
    await raise()
    while (!listening.text().includes("\n: still here\n\n")) await listening.more()
    const [after] = await listeners(scene.app.id)
    expect(Number(after?.seenUntil) - Number(before?.seenUntil)).toBe(Listener.HEARTBEAT)
  })

  it("a client that hangs up is gone at once, and so is its place among the five", async () => {
    const scene = await stage(world)
    const five = await Promise.all(Array.from({ length: 5 }, () => listen(scene.developer, scene.app.id)))
    await Promise.all(five.map((one) => one.until("ready")))
    const refused = await listen(scene.developer, scene.app.id)
    await refused.ended
    expect([refused.status, refused.text()]).toEqual([
      409,
      expect.stringContaining("5 are listening to this app already")
    ])
    five[0]?.hangUp()
    await vi.waitFor(async () => expect(await listeners(scene.app.id)).toHaveLength(4), 10_000)
    expect((await listen(scene.developer, scene.app.id)).status).toBe(200)
  })

  it("ends when its session does, before another event and with the next heartbeat at the latest [listeners-3]", async () => {
    const scene = await stage(world)
    const [one, two] = [await stage(world), scene]
    const listening = [await listen(one.developer, one.app.id), await listen(two.developer, two.app.id)] as const
    await Promise.all(listening.map((each) => each.until("ready")))
    await one.developer.send("DELETE", "/v1/session")
    await two.developer.send("DELETE", "/v1/session")
    await fire(one)
    expect(await listening[0].until("end")).toEqual([{ reason: "signed_out" }])
    world.clock.advance(Listener.HEARTBEAT)
    await raise()
    expect(await listening[1].until("end")).toEqual([{ reason: "signed_out" }])
    await Promise.all(listening.map((each) => each.ended))
    expect(listening.flatMap((each) => each.messages().map((message) => message.event))).toEqual([
      "ready",
      "end",
      "ready",
      "end"
    ])
    expect(await listeners(one.app.id)).toEqual([])
  })

  it("ends when the app is revoked, when its developer's account goes, and when the endpoint is removed [listeners-3]", async () => {
    const [revoked, deleted, removed] = [await stage(world), await stage(world), await stage(world)]
    const all = [
      await listen(revoked.developer, revoked.app.id),
      await listen(deleted.developer, deleted.app.id),
      await listen(removed.developer, removed.app.id, { endpoint_id: removed.endpoints[0] })
    ]
    await Promise.all(all.map((one) => one.until("ready")))
    const admin = await world.person({ roles: ["admin"] })
    await admin.send("POST", `/v1/admin/apps/${revoked.app.id}/revoke`, { reason: "It was not what it said." })
    await deleted.developer.send("DELETE", "/v1/user/account", { password: PASSWORD })
    await removed.developer.send("DELETE", `${removed.base}/webhooks/${removed.endpoints[0]}`)
    world.clock.advance(Listener.HEARTBEAT)
    await raise()
    const reasons = await Promise.all(all.map((one) => one.until("end")))
    expect(reasons.flat()).toEqual([{ reason: "app_gone" }, { reason: "signed_out" }, { reason: "endpoint_gone" }])
    const refused = await listen(revoked.developer, revoked.app.id)
    await refused.ended
    expect([refused.status, JSON.parse(refused.text()).message]).toEqual([
      409,
      "the app was revoked, so it gets no events"
    ])
  })

  it("is the owner's alone: 404 for another developer, whose endpoint it is not either; 401 without a session; 403 from elsewhere", async () => {
    const [mine, other] = [await stage(world), await stage(world)]
    const ask = async (person: Person, appId: string, body: object = {}, origin?: string) => {
      const listening = await listen(person, appId, body, origin)
      await listening.ended
      return [listening.status, JSON.parse(listening.text()).error]
    }
    expect(await ask(other.developer, mine.app.id)).toEqual([404, "not_found"])
    expect(await ask(other.developer, mine.app.id, { endpoint_id: mine.endpoints[0] })).toEqual([404, "not_found"])
    expect(await ask(mine.developer, mine.app.id, { endpoint_id: other.endpoints[0] })).toEqual([404, "not_found"])
    expect(await ask(mine.developer, mine.app.id, { endpoint_id: "nonsense" })).toEqual([404, "not_found"])
    expect(await ask({ ...mine.developer, cookie: "session=" }, mine.app.id)).toEqual([401, "not_signed_in"])
    expect(await ask(mine.developer, mine.app.id, {}, "https://evil.example")).toEqual([403, "forbidden"])
    expect(await ask(mine.developer, mine.app.id, { endpoint_id: mine.endpoints[0], events: ["rule.fired"] })).toEqual([
      400,
      "validation_failed"
    ])
    expect(await ask(mine.developer, mine.app.id, { events: ["everything"] })).toEqual([400, "validation_failed"])
    expect(await listeners(mine.app.id)).toEqual([])
  })

  it("ends when the server stops", async () => {
    const scene = await stage(world)
    const listening = await listen(scene.developer, scene.app.id)
    await listening.until("ready")
    await Effect.runPromise(Deferred.succeed(stopping, undefined))
    expect(await listening.until("end")).toEqual([{ reason: "stopping" }])
    await listening.ended
    expect(await listeners(scene.app.id)).toEqual([])
  })
})

describe("the developer's page of endpoints", () => {
  it("has the command that listens to this app, to be copied whole", async () => {
    const scene = await stage(world)
    const { text } = await scene.developer.get(`/developer/apps/${scene.app.id}/webhooks`)
    expect(text.replace(/\s+/g, " ")).toContain(
      `npm run listen -- --service ${world.url} --app ${scene.app.id} --forward http://localhost:3000/webhooks<`
    )
  })
})
