import { RuleId, Timestamp } from "@place-access/domain/shared"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { LABEL, stage } from "../support/webhooks.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Row {
  readonly id: string
  readonly type: string
  readonly state: string
}
interface List {
  readonly deliveries: ReadonlyArray<Row>
  readonly nextCursor: string | null
}

const list = async (person: Person, path: string) => (await person.get(path)).json as List

describe("GET /v1/developer/apps/{app_id}/deliveries", () => {
  it("a row has what the specification says (§2.9), and nothing of what happened to whom [§2.9, deliveries-13]", async () => {
    const { developer, endpoints, fire, log, script, work } = await stage(world)
    await script(MemoryWebhookSender.answers(503, "come back later"))
    const event = await fire()
    const before = await list(developer, log)
    expect(before).toEqual({
      deliveries: [
        {
          id: expect.stringMatching(/^dlv_/),
          endpoint_id: endpoints[0],
          event_id: event.id,
          type: "place.enter",
          occurred_at: "2026-03-01T12:00:00.000Z",
          state: "trying",
          fail_reason: null,
          attempt: 1,
          next_due_at: "2026-03-01T12:00:00.000Z",
          sent_at: null,
          status: null,
          error: null,
          created_at: "2026-03-01T12:00:00.000Z",
          ended_at: null,
          replay: false,
          replayed: false,
          test: false
        }
      ],
      nextCursor: null
    })
    await work()
    const answer = await developer.get(log)
    expect(answer.json).toMatchObject({
      deliveries: [
        {
          state: "trying",
          attempt: 2,
          next_due_at: "2026-03-01T12:00:30.000Z",
          sent_at: "2026-03-01T12:00:00.000Z",
          status: 503,
          error: "answered 503"
        }
      ]
    })
    expect(answer.text).not.toContain(LABEL)
    expect(answer.text).not.toContain(event.connectionId)
    expect(answer.text).not.toContain(event.userId)
  })

  it("once a row has ended, attempt is the last one that was made: 0 when there was none [deliveries-13]", async () => {
    const { developer, fire, log, script, work } = await stage(world)
    await script(MemoryWebhookSender.answers(500))
    await fire("place.enter", { maxEventAgeS: 20 })
    await work()
    world.clock.advance(20_001)
    await fire("place.exit", {
      occurredAt: Timestamp.plus(Timestamp.make(world.clock.now()), -20_001),
      maxEventAgeS: 20
    })
    world.clock.advance(9_999)
    await work()
    const { deliveries } = await list(developer, log)
    expect(deliveries).toMatchObject([
      { state: "too_old", attempt: 0, sent_at: null },
      { state: "too_old", attempt: 1, status: 500 }
    ])
    const [withheld, late] = await Promise.all(deliveries.map(({ id }) => developer.get(`${log}/${id}`)))
    expect(withheld!.json).toMatchObject({ attempt: 0, attempts: [] })
    expect(late!.json).toMatchObject({ attempt: 1, attempts: [{ attempt: 1 }] })
  })

  it("newest first, in pages, each cursor good for its own list only", async () => {
    const { base, developer, fire, log } = await stage(world)
    const ids: Array<string> = []
    for (let made = 0; made < 5; made++) {
      ids.unshift((await fire()).id)
      world.clock.advance(1)
    }
    const events = (page: List) => page.deliveries.map((row) => (row as Row & { readonly event_id: string }).event_id)
    expect(events(await list(developer, log))).toEqual(ids)
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      const page: List = await list(developer, `${log}?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`)
      expect(page.deliveries.length).toBeLessThanOrEqual(2)
      seen.push(...events(page))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(ids)

    const { nextCursor } = await list(developer, `${log}?limit=2`)
    const elsewhere = await stage(world)
    for (const path of [
      `${log}?limit=2&state=trying&cursor=${nextCursor}`,
      `${base}/deliveries?cursor=${nextCursor}x`,
      `${log}?cursor=1`
    ]) {
      expect((await developer.get(path)).status).toBe(400)
    }
    expect((await elsewhere.developer.get(`${elsewhere.log}?cursor=${nextCursor}`)).status).toBe(400)
  })

  it("by endpoint, event, state and time [§4.7-filter]", async () => {
    const { developer, endpoints, fire, log, script, work } = await stage(world)
    await script(MemoryWebhookSender.answers(200))
    const start = new Date(world.clock.now()).toISOString()
    await fire("place.enter")
    await work()
    world.clock.advance(60_000)
    const middle = new Date(world.clock.now()).toISOString()
    await fire("zone.exit")
    const types = async (query: string) => (await list(developer, `${log}?${query}`)).deliveries.map((row) => row.type)
    expect(await types("")).toEqual(["zone.exit", "place.enter"])
    expect(await types(`endpoint_id=${endpoints[0]}`)).toEqual(["zone.exit", "place.enter"])
    expect(await types(`endpoint_id=${endpoints[1]}`)).toEqual([])
    expect(await types("endpoint_id=nonsense")).toEqual([])
    expect(await types("type=place.enter")).toEqual(["place.enter"])
    expect(await types("type=rule.fired")).toEqual(["zone.exit", "place.enter"])
    expect(await types("type=places.changed")).toEqual([])
    expect(await types("state=delivered")).toEqual(["place.enter"])
    expect(await types("state=trying")).toEqual(["zone.exit"])
    expect(await types(`from=${middle}`)).toEqual(["zone.exit"])
    expect(await types(`from=${start}&to=${middle}`)).toEqual(["place.enter"])
    expect(await types(`type=rule.fired&state=delivered&to=${middle}`)).toEqual(["place.enter"])
  })

  it.each([
    ["state=waiting", "state"],
    ["type=coffee", "type"],
    ["from=yesterday", "from"],
    ["to=2026-01-01", "to"],
    ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"],
    ["limit=0", "limit"],
    ["limit=201", "limit"]
  ])("400 for ?%s, by field", async (query, field) => {
    const { developer, log } = await stage(world)
    const answer = await developer.get(`${log}?${query}`)
    expect([answer.status, answer.json]).toEqual([
      400,
      { statusCode: 400, error: "validation_failed", message: expect.stringMatching(new RegExp(`^${field} `)) }
    ])
  })

  it("a test delivery is in the list, marked as a test", async () => {
    const { base, developer, endpoints, log, script } = await stage(world)
    await script(MemoryWebhookSender.answers(200))
    await developer.send("POST", `${base}/webhooks/${endpoints[0]}/test`)
    expect(await list(developer, log)).toMatchObject({
      deliveries: [{ type: "ping", test: true, state: "delivered", attempt: 1, status: 200, next_due_at: null }]
    })
  })

  it("a test that was never sent says so, as JSON and on the page [W3-faults]", async () => {
    const { app, base, developer, endpoints, log, script } = await stage(world)
    await script(MemoryWebhookSender.ourFault)
    await developer.send("POST", `${base}/webhooks/${endpoints[0]}/test`)
    expect(await list(developer, log)).toMatchObject({
      deliveries: [{ test: true, state: "failed", fail_reason: "not_sent", attempt: 0, sent_at: null, error: null }]
    })
    const page = await developer.get(`/developer/apps/${app.id}/deliveries`)
    expect(page.text).toContain("a fault of this service prevented sending")
  })
})

describe("GET …/deliveries/{delivery_id}", () => {
  it("one row with its attempts, oldest first, each with the beginning of the answer", async () => {
    const { developer, fire, log, script, work } = await stage(world)
    await script(
      MemoryWebhookSender.inTurn(
        MemoryWebhookSender.refuses,
        MemoryWebhookSender.answers(500, "oh"),
        MemoryWebhookSender.answers(200, "thanks")
      )
    )
    world.clock.set("2026-03-02T00:00:00.000Z")
    await fire()
    for (const wait of [0, 30_000, 300_000]) {
      world.clock.advance(wait)
      await work()
    }
    const [row] = (await list(developer, log)).deliveries
    const answer = await developer.get(`${log}/${row?.id}`)
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        ...row,
        state: "delivered",
        attempts: [
          ["2026-03-02T00:00:00.000Z", null, "connection refused", null],
          ["2026-03-02T00:00:30.000Z", 500, "answered 500", "oh"],
          ["2026-03-02T00:05:30.000Z", 200, null, "thanks"]
        ].map(([at, status, error, snippet], index) => ({
          attempt: index + 1,
          sent_at: at,
          ended_at: at,
          status,
          error,
          snippet,
          url: expect.stringMatching(/^https:\/\/hooks\.example\.com\//),
          request_headers: [
            { name: "content-type", value: "application/json" },
            { name: "user-agent", value: "place-access-webhooks/1" },
            { name: "X-Service-Signature", value: expect.stringMatching(/^t=\d+,v1=/) }
          ],
          response_headers: []
        }))
      }
    ])
  })

  it("404 for an id that is not there, and for another app's", async () => {
    const { developer, fire, log } = await stage(world)
    const other = await stage(world)
    await fire()
    const [row] = (await list(developer, log)).deliveries
    const second = await world.app(developer)
    for (const path of [
      `${log}/dlv_unknown`,
      `${log}/a%20b`,
      `/v1/developer/apps/${second.app.id}/deliveries/${row?.id}`
    ]) {
      expect((await developer.get(path)).status).toBe(404)
    }
    expect((await other.developer.get(`${log}/${row?.id}`)).status).toBe(404)
  })
})

it("only the app's owner reads its log", async () => {
  const { fire, log } = await stage(world)
  await fire()
  const stranger = await world.person()
  expect((await stranger.get(log)).status).toBe(404)
  expect((await world.call(log)).status).toBe(401)
})

it("a row that was not authorised says so and no more", async () => {
  const { developer, fire, log, work } = await stage(world)
  await fire("place.enter", {
    payload: { type: "place.enter", ruleId: RuleId.make("rul_gone"), target: { placeId: null, label: LABEL } }
  })
  await work()
  const answer = await developer.get(log)
  expect(answer.json).toMatchObject({
    deliveries: [
      { state: "failed", fail_reason: "not_authorised", sent_at: null, type: "rule.fired", occurred_at: null }
    ]
  })
  expect(answer.text).not.toContain(LABEL)
  const ids = async (query: string) =>
    (await developer.get(`${log}?${query}`)).json as { readonly deliveries: ReadonlyArray<{ readonly id: string }> }
  const [row] = (await ids("type=rule.fired")).deliveries
  for (const type of ["place.enter", "place.exit"]) {
    expect((await ids(`type=${type}`)).deliveries, "no filter tells the kind").toEqual([])
  }
  const path = `${log}/${row?.id}`
  expect((await developer.get(path)).json).toMatchObject({ type: "rule.fired", occurred_at: null })
  const page = (await developer.get(path.replace("/v1", ""))).text
  expect(page).toContain("rule.fired")
  expect(page).not.toContain("place.enter")
  const again = await developer.send("POST", `${path}/redeliver`)
  expect(again.json).toMatchObject({ replay: true, type: "rule.fired", occurred_at: null })
})
