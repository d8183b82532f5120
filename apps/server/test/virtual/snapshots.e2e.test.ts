import { Schema } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { client } from "../support/client.js"
import { useProcesses } from "../support/processes.js"
import { type Receiver, startReceiver } from "../support/receiver.js"
import { newFolder, seededFolder, startWorld, type TestWorld } from "./support.js"

const Id = Schema.Struct({ id: Schema.String })
const Credentials = Schema.Struct({ clientId: Schema.String, clientSecret: Schema.String })
const DAY = 86_400_000
const ACCOUNT = { email: "robin@example.test", password: "correct horse battery" }

const signedIn = async (world: TestWorld) => {
  const robin = client(world.url)
  await robin.expect("POST", "/v1/session", { as: Schema.Unknown, json: ACCOUNT })
  return robin
}

/**
 * Requests that arrive without the tester's doing: from a program that polls until the world is ready, and from an open
 * browser tab.
 */
const poll = async (world: TestWorld): Promise<void> => {
  for (const path of ["/readyz", "/dev/clock", "/sign-in", "/readyz", "/no-such-page", "/dev/clock"]) {
    await client(world.url).call("GET", path)
  }
}

const nothing = (): Promise<void> => Promise.resolve()

/** Makes an app with a webhook. Returns the ids and secrets that the service gave. `between` runs between the steps. */
const story = async (
  world: TestWorld,
  receiver: Receiver,
  between: (world: TestWorld) => Promise<void> = nothing
): Promise<ReadonlyArray<unknown>> => {
  const robin = await signedIn(world)
  await between(world)
  const app = await robin.expect("POST", "/v1/developer/apps", {
    as: Id,
    json: { name: "Umbrella", description: "Reminds you of your umbrella", scopes: ["location.rules.place"] }
  })
  const keys = await robin.expect("POST", `/v1/oauth/clients/${app.id}`, {
    as: Credentials,
    json: { redirectUris: ["http://127.0.0.1:9/callback"] }
  })
  await between(world)
  const webhook = await robin.expect("POST", `/v1/developer/apps/${app.id}/webhooks`, {
    as: Schema.Struct({ id: Schema.String, secret: Schema.String }),
    json: { url: receiver.url, events: ["rule.fired"] }
  })
  const person = await robin.call("POST", "/v1/test-people", {
    json: { places: [{ label: "Home", lat: 52.37, lon: 4.89 }] },
    headers: { authorization: `Basic ${Buffer.from(`${keys.clientId}:${keys.clientSecret}`).toString("base64")}` }
  })
  const made = person.json as { id: string; places: ReadonlyArray<{ id: string }>; tokens: { access_token: string } }
  await client(world.url).expect("POST", "/v1/rules/place", {
    as: Id,
    token: made.tokens.access_token,
    json: { type: "enter", place_id: made.places[0]?.id }
  })
  await world.clock({ advance: "10m" })
  await between(world)
  const begun = receiver.received.length
  await client(world.url).call("POST", `/v1/test-people/${made.id}/trips`, {
    json: { trip: "arrive", place_id: made.places[0]?.id },
    headers: { authorization: `Basic ${Buffer.from(`${keys.clientId}:${keys.clientSecret}`).toString("base64")}` }
  })
  const { now } = await world.clock({ advance: "1h" })
  const sent = receiver.received.slice(begun).map(({ body }) => JSON.parse(body.toString("utf8")) as unknown)
  return [app, keys, webhook, person.json, sent, now]
}

describe("snapshots and seeds of a test world [virtual-time-4, virtual-time-5]", () => {
  const processes = useProcesses()
  const open: Array<{ close: () => Promise<void> }> = []
  afterAll(() => Promise.all(open.map((one) => one.close())))
  const newWorld = async (dataDir: string, args?: ReadonlyArray<string>) => {
    const world = await startWorld(processes, dataDir, args)
    open.push(world)
    await client(world.url).expect("POST", "/v1/accounts", { status: 201, as: Schema.Unknown, json: ACCOUNT })
    return world
  }
  const post = (world: TestWorld, json: Readonly<Record<string, string>>) =>
    client(world.url).call("POST", "/dev/snapshot", { json })

  it("a restored world is the saved one: its time, its rows, and what happens next, to the last id", async () => {
    const receiver = await startReceiver()
    open.push(receiver)
    const world = await newWorld(await seededFolder("snapshots"))
    const before = await world.now()
    expect(await post(world, { save: "start" })).toMatchObject({ status: 200 })
    const first = await story(world, receiver)
    expect(first[4]).toHaveLength(1)
    await world.clock({ advance: "40d" })
    expect(await world.now()).toBeGreaterThan(before + 40 * DAY)

    expect(await post(world, { restore: "start" })).toMatchObject({ status: 200 })
    expect(await world.now()).toBe(before)
    const robin = await signedIn(world)
    expect((await robin.call("GET", "/v1/developer/apps")).json).toMatchObject({ apps: [] })
    expect((await post(world, { restore: "start" })).status).toBe(200)
    expect(await story(world, receiver)).toEqual(first)
    expect((await client(world.url).call("GET", "/dev/snapshot")).json).toEqual({ snapshots: ["start"] })
    expect((await post(world, { restore: "other" })).json).toMatchObject({
      error: "validation_failed",
      message: "restore must name a snapshot; the names are: start"
    })
    for (const wrong of [{ save: "Not a name" }, { save: "a", restore: "a" }, {}]) {
      expect((await post(world, wrong as Record<string, string>)).status).toBe(400)
    }
  })

  it("a snapshot has the calls until it was saved, and a restored world has no later ones", async () => {
    const receiver = await startReceiver()
    open.push(receiver)
    const world = await newWorld(await seededFolder("calls"))
    const made = (await story(world, receiver)) as unknown as [
      { id: string },
      unknown,
      unknown,
      { tokens: { access_token: string } }
    ]
    const robin = await signedIn(world)
    const as = Schema.Struct({
      calls: Schema.Array(Schema.Struct({ endpoint: Schema.String, request_id: Schema.String }))
    })
    const call = () => client(world.url).call("GET", "/v1/rules/place", { token: made[3].tokens.access_token })
    const calls = async () => (await robin.expect("GET", `/v1/developer/apps/${made[0].id}/calls`, { as })).calls
    await call()
    expect((await post(world, { save: "called" })).status).toBe(200)
    const saved = await calls()
    expect(saved.filter(({ endpoint }) => endpoint === "GET /v1/rules/place")).toHaveLength(1)
    await call()
    expect((await post(world, { restore: "called" })).status).toBe(200)
    await world.clock({ advance: "5s" })
    expect(await calls()).toEqual(saved)
  })

  it("two worlds of one seed give the same ids and secrets; another seed gives others", async () => {
    const receiver = await startReceiver()
    open.push(receiver)
    const one = await story(await newWorld(await newFolder(), ["--seed", "one"]), receiver)
    const same = await story(await newWorld(await seededFolder("one")), receiver)
    const other = await story(await newWorld(await seededFolder("other")), receiver)
    expect(same).toEqual(one)
    expect(JSON.stringify(other)).not.toContain((one[0] as { id: string }).id)
    expect((other[1] as { clientSecret: string }).clientSecret).not.toBe(
      (one[1] as { clientSecret: string }).clientSecret
    )
  })

  it("polls, page views and a slow receiver, which a tester does not count, change no id and no secret", async () => {
    const receiver = await startReceiver()
    open.push(receiver)
    const quiet = await story(await newWorld(await seededFolder("polled")), receiver)
    receiver.answer(() => new Promise((resolve) => setTimeout(() => resolve(200), 30)))
    expect(await story(await newWorld(await seededFolder("polled")), receiver, poll)).toEqual(quiet)
  })

  it("a world that is started again goes on where its clock stood, and gives no id twice", async () => {
    const world = await startWorld(processes, await newFolder(), ["--seed", "again"])
    const { now } = await world.clock({ advance: "3d" })
    const make = (url: string, email: string) =>
      client(url).expect("POST", "/v1/accounts", { status: 201, as: Id, json: { ...ACCOUNT, email } })
    const first = await make(world.url, "a@example.test")
    await world.server.stop("SIGTERM")
    const again = await startWorld(processes, world.dataDir)
    open.push(again)
    expect(await again.now()).toBe(Date.parse(now))
    expect((await make(again.url, "b@example.test")).id).not.toBe(first.id)
  })
})
