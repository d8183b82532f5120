import { AccessLogStore } from "@place-access/domain/access-log"
import { disconnect } from "@place-access/domain/connection"
import { EndpointStore } from "@place-access/domain/endpoints"
import { WorkSignal } from "@place-access/domain/events"
import { IdempotencyStore } from "@place-access/domain/idempotency"
import { EndpointId } from "@place-access/domain/shared"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stage } from "../support/webhooks.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Row {
  readonly id: string
  readonly event_id: string
  readonly state: string
  readonly replay: boolean
  readonly replayed: boolean
}

const SCHEDULE_MS = [30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]

type Stage = Awaited<ReturnType<typeof stage>>

const rows = async ({ developer, log }: Stage) =>
  ((await developer.get(log)).json as { deliveries: ReadonlyArray<Row> }).deliveries

const redeliver = ({ developer, log }: Stage, id: string) => developer.send("POST", `${log}/${id}/redeliver`)
const retryNow = ({ developer, log }: Stage, id: string) => developer.send("POST", `${log}/${id}/retry-now`)
const recover = ({ base, developer, endpoints }: Stage, since: string) =>
  developer.send("POST", `${base}/webhooks/${endpoints[0]}/recover`, { since })

/** An event whose delivery used up its seven attempts. */
const lost = async (on: Stage) => {
  await on.script(MemoryWebhookSender.answers(500))
  const event = await on.fire()
  await on.work()
  for (const wait of SCHEDULE_MS) {
    world.clock.advance(wait)
    await on.work()
  }
  await on.script(MemoryWebhookSender.answers(200))
  return event
}

const sentEntries = ({ connection }: Stage) =>
  world.run(
    Effect.map(
      Effect.flatMap(AccessLogStore, (log) => log.list(connection.userId, {}, 100, undefined)),
      ({ items }) => items.filter((entry) => entry.status === 200 && entry.endpoint.startsWith("webhook ")).length
    )
  )

const disable = ({ app, endpoints }: Stage) =>
  Effect.flatMap(EndpointStore, (store) =>
    store.update(app.id, EndpointId.make(endpoints[0]), (before, now) => ({
      ...before,
      disabledAt: now,
      epoch: before.epoch + 1
    }))
  )

describe("POST …/deliveries/{delivery_id}/redeliver [§4.7]", () => {
  it("queues a fresh attempt with the same event_id, as a row marked as a replay; the original is marked replayed [§3.5-delivered, §4.7-redeliver]", async () => {
    const on = await stage(world)
    const event = await lost(on)
    const [original] = await rows(on)
    world.clock.advance(1)
    const answer = await redeliver(on, original!.id)
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({
      event_id: event.id,
      state: "trying",
      attempt: 1,
      replay: true,
      replayed: false
    })
    await on.work()
    expect((await rows(on)).map((row) => [row.event_id, row.state, row.replay, row.replayed])).toEqual([
      [event.id, "delivered", true, false],
      [event.id, "failed", false, true]
    ])
    const detail = await on.developer.get(`${on.log}/${original!.id}`)
    expect(detail.json).toMatchObject({ replayed: true, state: "failed", attempt: 7 })
  })

  it("with an Idempotency-Key, wakes the worker after the commit, which makes the delivery visible [idempotency-4]", async () => {
    const on = await stage(world)
    await lost(on)
    const [original] = await rows(on)
    const steps: Array<string> = []
    const restore = await world.run(
      Effect.gen(function* () {
        const [signal, store] = [yield* WorkSignal, yield* IdempotencyStore]
        const real = { raise: signal.raise, once: store.once }
        const noted = (step: string) => Effect.sync(() => steps.push(step))
        const once: typeof store.once = (...args) => Effect.zipLeft(real.once(...args), noted("committed"))
        Object.assign(signal, { raise: Effect.zipRight(noted("raised"), real.raise) })
        Object.assign(store, { once })
        return () => void [Object.assign(signal, { raise: real.raise }), Object.assign(store, { once: real.once })]
      })
    )
    const path = `${on.log}/${original!.id}/redeliver`
    const answer = await on.developer.send("POST", path, undefined, { headers: { "idempotency-key": "redeliver-1" } })
    restore()
    expect([answer.status, steps]).toEqual([201, ["committed", "raised"]])
  })

  it("adds no second entry to the user's access log; it adds the first when the original was never sent [§4.7-replay-log, deliveries-12]", async () => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.answers(200))
    await on.fire()
    await on.work()
    const [sent] = await rows(on)
    // The replay is sent a minute later than the original. It must not add another entry to the access log.
    world.clock.advance(60_000)
    await redeliver(on, sent!.id)
    await on.work()
    expect((await rows(on)).map((row) => [row.state, row.replay])).toEqual([
      ["delivered", true],
      ["delivered", false]
    ])
    expect(await sentEntries(on)).toBe(1)

    world.clock.advance(1)
    await on.fire()
    const [waiting] = await rows(on)
    // Disables the endpoint before the worker has sent the event, and then enables it again.
    await world.run(disable(on))
    await on.work()
    expect(await sentEntries(on)).toBe(1)
    await on.developer.send("PATCH", `${on.base}/webhooks/${on.endpoints[0]}`, { enabled: true })
    expect((await redeliver(on, waiting!.id)).status).toBe(201)
    await on.work()
    expect(await sentEntries(on)).toBe(2)
  })

  it("is refused while it is being attempted, past the rule's max_event_age_s and for a disabled endpoint [§3.5-too-old, §4.7-redeliver-refused]", async () => {
    const on = await stage(world)
    await on.fire()
    const [trying] = await rows(on)
    expect(await redeliver(on, trying!.id)).toMatchObject({ status: 409, json: { error: "conflict" } })
    await on.script(MemoryWebhookSender.answers(200))
    await on.work()
    expect((await redeliver(on, trying!.id)).status).toBe(201)
    expect((await redeliver(on, trying!.id)).status).toBe(409)
    await on.work()

    world.clock.advance(1)
    await on.fire("place.exit", { maxEventAgeS: 30 })
    await on.work()
    const [short] = await rows(on)
    world.clock.advance(30_000)
    expect((await redeliver(on, short!.id)).status).toBe(201)
    await on.work()
    world.clock.advance(1)
    const late = await redeliver(on, short!.id)
    expect([late.status, late.text]).toEqual([409, expect.stringContaining("older than its rule allows")])

    await world.run(disable(on))
    const disabled = await redeliver(on, trying!.id)
    expect([disabled.status, disabled.text]).toEqual([409, expect.stringContaining("enable it first")])
  })

  it.each([
    ["a ping", "delivered", 204, "ping"],
    ["a ping", "failed", 500, "ping"],
    ["a sample", "delivered", 204, "place.enter"],
    ["a sample", "failed", 500, "sensitive.lapsed"]
  ])("of %s that was %s sends the same test again, marked as a test [M10]", async (_, state, answer, type) => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.answers(answer))
    await on.developer.send("POST", `${on.base}/webhooks/${on.endpoints[0]}/test?type=${type}`)
    const [test] = await rows(on)
    expect(test).toMatchObject({ state, type, test: true, replay: false })
    await on.script(MemoryWebhookSender.answers(200))
    world.clock.advance(1)
    const repeated = await redeliver(on, test!.id)
    expect([repeated.status, repeated.json]).toEqual([201, expect.objectContaining({ test: true, replay: true })])
    await on.work()
    const [replay, first] = await rows(on)
    expect(replay).toMatchObject({ event_id: test!.event_id, state: "delivered", test: true, replay: true })
    expect(first).toMatchObject({ id: test!.id, state, replayed: true })
    expect(await sentEntries(on)).toBe(0)
    // A recovery queues lost events only. A test event and its replay are not lost events, so nothing may be queued.
    expect((await recover(on, "2020-01-01T00:00:00Z")).json).toEqual({ queued: 0 })
    await world.run(disable(on))
    expect((await redeliver(on, test!.id)).status).toBe(409)
  })

  it("asks live authorisation like any attempt: nothing is sent once the user has disconnected [§6.3.5]", async () => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.answers(200))
    await on.fire()
    await on.work()
    const [row] = await rows(on)
    await world.run(disconnect(on.connection.userId, on.connection.id))
    world.clock.advance(1)
    await redeliver(on, row!.id)
    await on.work()
    expect((await on.developer.get(on.log)).json).toMatchObject({
      deliveries: [{ state: "failed", fail_reason: "not_authorised", sent_at: null }, { state: "delivered" }]
    })
  })

  it("404 for somebody else's app and for no row", async () => {
    const [on, other] = [await stage(world), await stage(world)]
    await on.fire()
    const [row] = await rows(on)
    for (const path of [`${on.log}/${row!.id}/redeliver`, `${on.log}/${row!.id}/retry-now`]) {
      expect((await other.developer.send("POST", path)).status).toBe(404)
    }
    expect((await redeliver(on, "dlv_none")).status).toBe(404)
    expect((await retryNow(on, "dlv_none")).status).toBe(404)
    expect((await other.developer.send("POST", `${on.base}/webhooks/${on.endpoints[0]}/recover`, {})).status).toBe(400)
    const since = new Date(world.clock.now()).toISOString()
    const recovered = await other.developer.send("POST", `${on.base}/webhooks/${on.endpoints[0]}/recover`, { since })
    expect(recovered.status).toBe(404)
  })
})

describe("POST …/deliveries/{delivery_id}/retry-now [§4.7]", () => {
  it("brings the next attempt forward to now, spends none more and queues no second copy [§3.5-trying, §4.7-retry-now]", async () => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.inTurn(MemoryWebhookSender.answers(500), MemoryWebhookSender.answers(502)))
    await on.fire()
    await on.work()
    world.clock.advance(1_000)
    const [row] = await rows(on)
    const now = new Date(world.clock.now()).toISOString()
    expect(await retryNow(on, row!.id)).toMatchObject({ status: 200, json: { attempt: 2, next_due_at: now } })
    expect((await retryNow(on, row!.id)).status).toBe(200)
    await on.work()
    expect((await on.developer.get(`${on.log}/${row!.id}`)).json).toMatchObject({
      state: "trying",
      attempt: 3,
      // “Retry now” made the second attempt earlier. The third attempt follows five minutes after the second, as in the
      // usual schedule.
      next_due_at: new Date(world.clock.now() + 300_000).toISOString(),
      attempts: [{ attempt: 1 }, { attempt: 2, sent_at: now }]
    })
    expect(await rows(on)).toHaveLength(1)
  })

  it("each call brings forward the attempt that is the next then: seven in all, also when each fails at once [§4.7-retry-now, deliveries-10]", async () => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.answers(500))
    await on.fire()
    await on.work()
    const [row] = await rows(on)
    for (let attempt = 2; attempt <= 7; attempt++) {
      // Two calls before the worker claims the row have the effect of one call.
      expect(await retryNow(on, row!.id)).toMatchObject({ status: 200, json: { attempt } })
      expect(await retryNow(on, row!.id)).toMatchObject({ status: 200, json: { attempt } })
      await on.work()
    }
    expect((await retryNow(on, row!.id)).status).toBe(409)
    const { attempts, state } = (await on.developer.get(`${on.log}/${row!.id}`)).json as {
      attempts: ReadonlyArray<{ attempt: number }>
      state: string
    }
    expect([state, attempts.map(({ attempt }) => attempt)]).toEqual(["failed", [1, 2, 3, 4, 5, 6, 7]])
    expect(await rows(on)).toHaveLength(1)
  })

  it("409 for a row that has ended [§3.5-delivered]", async () => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.answers(200))
    await on.fire()
    await on.work()
    const [row] = await rows(on)
    const refused = await retryNow(on, row!.id)
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("redeliver it")])
  })

  it("409 says what can be done instead, and never to redeliver what cannot be", async () => {
    const on = await stage(world)
    const words = async (id: string) => {
      const answer = await retryNow(on, id)
      expect(answer.status).toBe(409)
      return (answer.json as { readonly message: string }).message
    }
    await on.developer.send("POST", `${on.base}/webhooks/${on.endpoints[0]}/test`)
    const [test] = await rows(on)
    expect(await words(test!.id)).toBe("It is not being attempted any more: redeliver it")

    world.clock.advance(1)
    await on.script(MemoryWebhookSender.answers(500))
    await on.fire("place.exit", { maxEventAgeS: 30 })
    await on.work()
    world.clock.advance(30_001)
    await on.work()
    const [late] = await rows(on)
    expect(late).toMatchObject({ state: "too_old" })
    expect(await words(late!.id)).toBe("It is not being attempted any more. The event is older than its rule allows")

    world.clock.advance(1)
    await on.script(MemoryWebhookSender.answers(200))
    await on.fire()
    await on.work()
    const [sent] = await rows(on)
    await redeliver(on, sent!.id)
    expect(await words(sent!.id)).toBe("It is not being attempted any more. It was sent again, as a row of its own")

    world.clock.advance(1)
    await on.fire()
    await on.work()
    const [last] = await rows(on)
    await world.run(disable(on))
    expect(await words(last!.id)).toBe("It is not being attempted any more. The endpoint is disabled: enable it first")
    await on.developer.send("DELETE", `${on.base}/webhooks/${on.endpoints[0]}`)
    expect(await words(last!.id)).toBe("It is not being attempted any more. The endpoint was removed")
  })
})

describe("POST …/webhooks/{endpoint_id}/recover", () => {
  it("redelivers what failed since then, once, the oldest first [§4.7-recover, deliveries-11]", async () => {
    const on = await stage(world)
    await lost(on)
    world.clock.advance(60_000)
    const since = new Date(world.clock.now()).toISOString()
    const events = [(await lost(on)).id, (await lost(on)).id]
    expect(await recover(on, since)).toMatchObject({ status: 200, json: { queued: 2 } })
    expect((await recover(on, since)).json).toEqual({ queued: 0 })
    world.clock.advance(1)
    await on.work()
    const replays = (await rows(on)).filter((row) => row.replay)
    expect(replays.map((row) => row.state)).toEqual(["delivered", "delivered"])
    expect(replays.map((row) => row.event_id).sort()).toEqual([...events].sort())
  })

  it("409 for a disabled endpoint; 400 without a time", async () => {
    const on = await stage(world)
    expect((await recover(on, "yesterday")).status).toBe(400)
    await world.run(disable(on))
    expect((await recover(on, new Date(world.clock.now()).toISOString())).status).toBe(409)
  })
})
