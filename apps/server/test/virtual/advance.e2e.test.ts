import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verify } from "../../../../packages/adapters-webhook/src/verify.js"
import { client } from "../support/client.js"
import { connect } from "../support/consent.js"
import {
  addDevice,
  createApp,
  createEndpoint,
  createPlace,
  createRule,
  type Person,
  RULES_SCOPE,
  signUp
} from "../support/people.js"
import { reading, upload } from "../support/phone.js"
import { useProcesses } from "../support/processes.js"
import { type Received, type Receiver, signatureOf, startReceiver } from "../support/receiver.js"
import { startWorld, type TestWorld } from "./support.js"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The time at which the service says that it sent a request, in milliseconds. It is the `t` of the signature. */
const sentAt = (received: Received): number => Number(/\bt=(\d+)/.exec(signatureOf(received))?.[1]) * SECOND

describe("a server on virtual time", () => {
  const processes = useProcesses()
  let world: TestWorld
  let receiver: Receiver
  let robin: Person
  beforeAll(async () => {
    ;[world, receiver] = await Promise.all([startWorld(processes), startReceiver()])
    robin = await signUp(world.url, "robin")
  })
  afterAll(async () => {
    await receiver?.close()
    await world?.close()
  })

  it("stands still until a command moves it, and shows the moment of the command", async () => {
    const before = await world.now()
    expect(await world.now()).toBe(before)
    const { happened, now } = await world.clock({ advance: "90s" })
    expect([Date.parse(now) - before, happened]).toEqual([90 * SECOND, []])
    const to = new Date(before + HOUR).toISOString()
    expect((await world.clock({ to })).now).toBe(to)
    const past = await client(world.url).call("POST", "/dev/clock", { json: { to: new Date(before).toISOString() } })
    expect([past.status, past.json]).toMatchObject([400, { error: "validation_failed" }])
  })

  it("a failed webhook is tried after 30 s, 5 min, 30 min, 2 h, 6 h and 15 h, to the second [Spec §6.4.6] [virtual-time-2]", async () => {
    const app = await createApp(robin, "http://127.0.0.1:9/callback")
    const { secret } = await createEndpoint(robin, app, receiver.url)
    const place = await createPlace(robin, { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(robin, app, [RULES_SCOPE], { places: [place.id] })
    await createRule(robin.as, access_token, place, "enter")
    const phone = await addDevice(robin)
    receiver.answer(() => 503)
    const begun = receiver.received.length
    await world.clock({ advance: "10m" })
    const start = await world.now()
    await upload(client(world.url), phone, [
      reading(start - 5 * MINUTE, { lat: 52.4, lon: 4.9 }),
      reading(start, { lat: 52.37, lon: 4.9 })
    ])
    const { happened } = await world.clock({ advance: "24h" })
    const attempts = receiver.received.slice(begun)
    const expected = [0, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR].map(
      (
        (sum) => (wait: number) =>
          (sum += wait)
      )(start)
    )
    expect(attempts.map(sentAt)).toEqual(expected)
    expect((expected.at(-1) ?? 0) - start).toBe(23 * HOUR + 35 * MINUTE + 30 * SECOND)
    for (const [index, one] of attempts.entries()) {
      const now = expected[index] ?? 0
      const checked = await verify({ payload: one.body, header: signatureOf(one), secrets: [secret], now })
      expect(checked).toMatchObject({ ok: true })
    }
    const webhooks = happened.filter(({ what }) => what === "webhook")
    // The clock reports only the webhooks that were sent while it moved. The first attempt came before that, so it is
    // missing.
    expect(webhooks.map(({ at, status }) => [Date.parse(at), status])).toEqual(expected.slice(1).map((at) => [at, 503]))
    const times = happened.map(({ at }) => Date.parse(at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it("a crossing that waits for 120 s fires after them and not before, also when nothing else happens [rules-13]", async () => {
    const app = await createApp(robin, "http://127.0.0.1:9/callback")
    await createEndpoint(robin, app, receiver.url)
    const place = await createPlace(robin, { label: "Harbour", lat: 52.7, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(robin, app, [RULES_SCOPE], { places: [place.id] })
    const rule = { place_id: place.id, type: "enter", settle_s: 120 }
    await robin.as.expect("POST", "/v1/rules/place", { as: Schema.Unknown, token: access_token, json: rule })
    const phone = await addDevice(robin)
    receiver.answer(() => 200)
    await world.clock({ advance: "10m" })
    const start = await world.now()
    await upload(client(world.url), phone, [
      reading(start - 5 * MINUTE, { lat: 52.8, lon: 4.9 }),
      reading(start, { lat: 52.7, lon: 4.9 })
    ])
    const fired = async (advance: string) =>
      (await world.clock({ advance })).happened.filter(({ type, what }) => what === "event" && type === "place.enter")
    expect(await fired("119s")).toEqual([])
    const [event] = await fired("1h")
    expect(Date.parse(event?.occurred_at ?? "")).toBe(start)
    // Every five seconds, the worker looks for crossings whose `settle_s` has passed. So the rule may fire up to five
    // seconds late.
    const late = Date.parse(event?.at ?? "") - start - 120 * SECOND
    expect([late >= 0, late <= 5 * SECOND]).toEqual([true, true])
  })

  it("a crossing that waits for 60 s fires after them on a clock that runs by itself, after a quiet time [rules-13]", async () => {
    const kim = await signUp(world.url, "kim")
    const app = await createApp(kim, "http://127.0.0.1:9/callback")
    await createEndpoint(kim, app, receiver.url)
    const place = await createPlace(kim, { label: "Pier", lat: 52.75, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(kim, app, [RULES_SCOPE], { places: [place.id] })
    const rule = { place_id: place.id, type: "enter", settle_s: 60 }
    await kim.as.expect("POST", "/v1/rules/place", { as: Schema.Unknown, token: access_token, json: rule })
    const phone = await addDevice(kim)
    receiver.answer(() => 200)
    await world.clock({ advance: "1h" })
    const [start, begun] = [await world.now(), receiver.received.length]
    await upload(client(world.url), phone, [
      reading(start - 5 * MINUTE, { lat: 52.85, lon: 4.9 }),
      reading(start, { lat: 52.75, lon: 4.9 })
    ])
    await world.clock({ rate: 60 })
    const [sent] = (await receiver.until("the event", ({ length }) => length > begun)).slice(begun)
    await world.clock({ rate: 0 })
    const late = sent === undefined ? NaN : sentAt(sent) - start - 60 * SECOND
    expect([late >= 0, late <= 5 * SECOND]).toEqual([true, true])
  })

  it("attempts during a move are in the figures when the call returns, also those at its last moment [virtual-time-2]", async () => {
    const alex = await signUp(world.url, "alex")
    const app = await createApp(alex, "http://127.0.0.1:9/callback")
    const { id } = await createEndpoint(alex, app, receiver.url)
    const place = await createPlace(alex, { label: "Square", lat: 52.65, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(alex, app, [RULES_SCOPE], { places: [place.id] })
    await createRule(alex.as, access_token, place, "enter")
    const phone = await addDevice(alex)
    receiver.answer(() => 503)
    await world.clock({ advance: "1h" })
    const start = await world.now()
    await upload(client(world.url), phone, [
      reading(start - 5 * MINUTE, { lat: 52.95, lon: 4.9 }),
      reading(start, { lat: 52.65, lon: 4.9 })
    ])
    const as = Schema.Struct({ last_day: Schema.Struct({ attempts: Schema.Int }) })
    const attempts = async (advance: string) => {
      await world.clock({ advance })
      const path = `/v1/developer/apps/${app.id}/webhooks/${id}/figures`
      return (await alex.as.expect("GET", path, { as })).last_day.attempts
    }
    // The first attempt is due immediately, and the second one 30 seconds later.
    expect([await attempts("0s"), await attempts("30s")]).toEqual([1, 2])
  })

  it("a phone that arrives and falls silent: its dwell of 10 minutes fires after silence_s, for the end of the minutes [rules-14]", async () => {
    const app = await createApp(robin, "http://127.0.0.1:9/callback", [RULES_SCOPE])
    await createEndpoint(robin, app, receiver.url)
    const place = await createPlace(robin, { label: "Library", lat: 52.9, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(robin, app, [RULES_SCOPE], { places: [place.id] })
    const rule = { place_id: place.id, type: "dwell", dwell_minutes: 10, silence_s: 600 }
    await robin.as.expect("POST", "/v1/rules/place", { as: Schema.Unknown, token: access_token, json: rule })
    const phone = await addDevice(robin)
    receiver.answer(() => 200)
    await world.clock({ advance: "10m" })
    const start = await world.now()
    await upload(client(world.url), phone, [
      reading(start - 5 * MINUTE, { lat: 53, lon: 4.9 }),
      reading(start, { lat: 52.9, lon: 4.9 })
    ])
    const fired = async (advance: string) =>
      (await world.clock({ advance })).happened.filter(({ type, what }) => what === "event" && type === "place.dwell")
    expect(await fired("1199s")).toEqual([])
    const [event] = await fired("1h")
    expect(Date.parse(event?.occurred_at ?? "")).toBe(start + 10 * MINUTE)
    const late = Date.parse(event?.at ?? "") - start - 20 * MINUTE
    expect([late >= 0, late <= 5 * SECOND]).toEqual([true, true])
  })

  it("an import of a thousand readings ends while the clock moves by five minutes [virtual-time-2]", async () => {
    await world.clock({ advance: "1d" })
    const from = (await world.now()) - 20 * DAY
    const points = Array.from({ length: 1_000 }, (_, minute) => {
      const time = new Date(from + minute * MINUTE).toISOString()
      return `<trkpt lat="${52 + minute / 10_000}" lon="4.9"><time>${time}</time></trkpt>`
    })
    const file = `<gpx><trk><trkseg>${points.join("\n")}</trkseg></trk></gpx>`
    const made = await robin.as.raw("POST", "/v1/user/imports", file, { "content-type": "application/gpx+xml" })
    const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(made.json)
    await world.clock({ advance: "5m" })
    const as = Schema.Struct({ state: Schema.String, counts: Schema.Struct({ stored: Schema.Int }) })
    const after = await robin.as.expect("GET", `/v1/user/imports/${id}`, { as })
    expect(after).toEqual({ state: "done", counts: { stored: 1_000 } })
  })

  it("exact locations end after 30 days, and for good after a grace of 14 more, at those very moments [Spec §3.1]", async () => {
    const app = await createApp(robin, "http://127.0.0.1:9/callback", [RULES_SCOPE, "location.latest.read"])
    await robin.as.expect("POST", `/v1/developer/apps/${app.id}/purposes`, {
      as: Schema.Unknown,
      json: {
        key: "weather",
        description: "Tells you about rain on your way",
        scopes: ["location.latest.read"],
        expected_daily_volume: 20
      }
    })
    await createEndpoint(robin, app, receiver.url, ["sensitive.expiring", "sensitive.lapsed", "sensitive.removed"])
    receiver.answer(() => 200)
    const place = await createPlace(robin, { label: "Office", lat: 52.5, lon: 4.9, radiusM: 150 })
    const scopes = [RULES_SCOPE, "location.latest.read"]
    const { sensitive_scopes_expire_at } = await connect(robin, app, scopes, { places: [place.id], standardDays: "90" })
    const ends = Date.parse(sensitive_scopes_expire_at ?? "")
    const { happened } = await world.clock({ advance: "45d" })
    const events = happened.filter(({ type, what }) => what === "event" && type?.startsWith("sensitive.") === true)
    expect(events.map(({ occurred_at, type }) => [type, Date.parse(occurred_at ?? "") - ends])).toEqual([
      ["sensitive.expiring", -14 * DAY],
      ["sensitive.expiring", -7 * DAY],
      ["sensitive.lapsed", 0],
      ["sensitive.removed", 14 * DAY]
    ])
    const sent = happened.filter(({ type, what }) => what === "webhook" && type?.startsWith("sensitive.") === true)
    expect(sent.map(({ event_id, status }) => [event_id, status])).toEqual(
      events.map(({ event_id }) => [event_id, 200])
    )
    // A sweep runs at every quarter of an hour (decision sweeps-1), and the webhook follows immediately.
    for (const [index, { at }] of sent.entries()) {
      const occurred = Date.parse(events[index]?.occurred_at ?? "")
      expect(Date.parse(at) - Math.ceil(occurred / (15 * MINUTE)) * 15 * MINUTE).toBe(0)
    }
  })
})
