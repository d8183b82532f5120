import { EndpointUrl } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const URL = "https://hooks.example.com/places"
const CANARY = "canary-5f1d"

interface Endpoint {
  readonly id: string
  readonly secret: string
}

const appOf = async (person: Person) => `/v1/developer/apps/${(await world.app(person)).app.id}/webhooks`

const registered = async () => {
  const person = await world.person()
  const path = await appOf(person)
  const answer = await person.send("POST", path, { url: URL, events: ["rule.fired"], description: "production" })
  const { secret, ...endpoint } = answer.json as Endpoint & Record<string, unknown>
  return { person, path, endpoint, secret, one: `${path}/${endpoint.id}` }
}

const script = (behaviour: MemoryWebhookSender.Behaviour, url = URL) =>
  world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.script(url, behaviour)))

const disable = (id: string) =>
  world.run(
    Effect.map(MemoryDatabase, ({ endpoints }) => {
      const endpoint = [...endpoints.values()].find((one) => one.id === id)
      if (endpoint !== undefined) {
        endpoints.set(endpoint.id, { ...endpoint, disabledAt: endpoint.createdAt, strikes: 20, epoch: 1 })
      }
    })
  )

describe("POST and GET /v1/developer/apps/{app_id}/webhooks", () => {
  it("201 with the endpoint and its secret, which no other answer has [§2.7, §4.7-webhooks-add, §4.7-webhooks-list]", async () => {
    const { endpoint, path, person, secret } = await registered()
    expect(endpoint).toEqual({
      id: expect.stringMatching(/^ep_/),
      url: URL,
      events: ["rule.fired"],
      description: "production",
      header_names: [],
      enabled: true,
      disabled_at: null,
      created_at: "2026-03-01T12:00:00.000Z"
    })
    expect(secret).toMatch(/^whsec_[0-9a-z]{52}$/)
    const list = await person.get(path)
    expect(list.json).toEqual({ webhooks: [endpoint], nextCursor: null })
    expect(list.text).not.toContain("whsec_")
  })

  it("events and description may be left out: every event, no description [endpoints-4]", async () => {
    const person = await world.person()
    const answer = await person.send("POST", await appOf(person), { url: URL })
    expect(answer.json).toMatchObject({ events: [], description: null })
  })

  it("the sixth is 409 [§8-endpoints]", async () => {
    const { path, person } = await registered()
    for (let more = 0; more < 4; more++) expect((await person.send("POST", path, { url: URL })).status).toBe(201)
    const sixth = await person.send("POST", path, { url: URL })
    expect([sixth.status, sixth.json]).toEqual([409, expect.objectContaining({ error: "conflict" })])
  })

  it.each([
    ["http", { url: `http://${CANARY}.example.com/` }, "url must begin with https://"],
    ["a private name", { url: `https://private.${CANARY}.com/` }, "url must resolve to public addresses only"],
    ["no address", { description: "x" }, "url is missing"],
    ["a number", { url: 7 }, "url must be a string"],
    ["an unknown event", { url: URL, events: ["rule.fired", CANARY] }, /^events\[1\] must be "rule.fired"/],
    ["a long description", { url: URL, description: "x".repeat(201) }, "description must be at most 200 characters"]
  ])("400 for %s, by field, without the value", async (_, body, message) => {
    const person = await world.person()
    const path = await appOf(person)
    const answer = await person.send("POST", path, body)
    expect([answer.status, answer.json]).toEqual([
      400,
      { statusCode: 400, error: "validation_failed", message: expect.stringMatching(message) }
    ])
    expect(answer.text).not.toContain(CANARY)
    expect((await person.get(path)).json).toEqual({ webhooks: [], nextCursor: null })
  })
})

describe("everything that is wrong is answered at once [decisions §5]", () => {
  const WRONG = { url: `http://${CANARY}.example.com/`, events: [CANARY], description: "x".repeat(201) }
  const MESSAGES = [
    "url must begin with https://",
    expect.stringMatching(/^events\[0\] must be "rule.fired"/),
    "description must be at most 200 characters"
  ]

  it("POST: the address as it is written with the other fields", async () => {
    const person = await world.person()
    const answer = await person.send("POST", await appOf(person), WRONG)
    expect([answer.status, (answer.json as { message: unknown }).message]).toEqual([400, MESSAGES])
    expect(answer.text).not.toContain(CANARY)
  })

  it("PATCH: the same, and nothing is changed", async () => {
    const { endpoint, one, path, person } = await registered()
    const answer = await person.send("PATCH", one, { ...WRONG, enabled: false })
    expect([answer.status, (answer.json as { message: unknown }).message]).toEqual([
      400,
      [...MESSAGES, expect.stringMatching(/^enabled can only be set to true/)]
    ])
    expect((await person.get(path)).json).toEqual({ webhooks: [endpoint], nextCursor: null })
  })
})

describe("PATCH …/webhooks/{endpoint_id}", () => {
  it("changes what it names; null takes the description away [§4.7-webhooks-change]", async () => {
    const { endpoint, one, path, person } = await registered()
    const moved = await person.send("PATCH", one, { url: `${URL}/2`, events: [], description: null })
    expect([moved.status, moved.json]).toEqual([200, { ...endpoint, url: `${URL}/2`, events: [], description: null }])
    expect((await person.send("PATCH", one, {})).json).toEqual(moved.json)
    expect((await person.get(path)).json).toEqual({ webhooks: [moved.json], nextCursor: null })
  })

  it("enables what the service disabled [§3.4-enable]", async () => {
    const { endpoint, one, path, person } = await registered()
    await disable(endpoint.id)
    expect((await person.get(path)).json).toMatchObject({
      webhooks: [{ enabled: false, disabled_at: "2026-03-01T12:00:00.000Z" }]
    })
    const enabled = await person.send("PATCH", one, { enabled: true })
    expect([enabled.status, enabled.json]).toEqual([200, endpoint])
  })

  it("enabled: false is 400, and nothing else of the request is done [endpoints-6]", async () => {
    const { endpoint, one, path, person } = await registered()
    const answer = await person.send("PATCH", one, { enabled: false, description: "off" })
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        statusCode: 400,
        error: "validation_failed",
        message: "enabled can only be set to true: endpoints are disabled by the service, or removed"
      }
    ])
    expect((await person.get(path)).json).toEqual({ webhooks: [endpoint], nextCursor: null })
  })

  it("an address that stays is not looked up again: the rest can be changed while its name is away [endpoints-1]", async () => {
    const { endpoint, one, person } = await registered()
    const url = "https://private.example/"
    await world.run(
      Effect.map(MemoryDatabase, ({ endpoints }) => {
        const stored = [...endpoints.values()].find(({ id }) => id === endpoint.id)
        if (stored !== undefined) endpoints.set(stored.id, { ...stored, url: EndpointUrl.EndpointUrl.make(url) })
      })
    )
    const changed = await person.send("PATCH", one, { url, description: "moving" })
    expect([changed.status, changed.json]).toEqual([200, { ...endpoint, url, description: "moving" }])
  })

  it("a refused address is 400 and changes nothing", async () => {
    const { endpoint, one, path, person } = await registered()
    expect((await person.send("PATCH", one, { url: "http://x.example/", events: [] })).status).toBe(400)
    expect((await person.get(path)).json).toEqual({ webhooks: [endpoint], nextCursor: null })
  })
})

describe("POST …/rotate-secret", () => {
  it("answers the new secret, once; deliveries are signed by both from now on [§4.7-webhooks-rotate]", async () => {
    const { endpoint, one, person, secret: old } = await registered()
    const answer = await person.send("POST", `${one}/rotate-secret`)
    const { secret } = answer.json as Endpoint
    expect([answer.status, answer.json]).toEqual([200, { ...endpoint, secret }])
    expect(secret).not.toBe(old)
    await script(MemoryWebhookSender.answers(200), `${URL}/rotated`)
    await person.send("PATCH", one, { url: `${URL}/rotated` })
    await person.send("POST", `${one}/test`)
    const posts = await world.run(
      Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.posts(`${URL}/rotated`))
    )
    const header = new Map(posts[0]?.headers).get("X-Service-Signature") ?? ""
    const message = `${world.clock.now() / 1_000}.${posts[0]?.body}`
    const v1 = (key: string) => `v1=${MemoryWebhookSender.sign(key, message)}`
    expect(header).toBe(`t=${world.clock.now() / 1_000},${v1(secret)},${v1(old)}`)
  })
})

describe("POST …/test", () => {
  it.each([
    [MemoryWebhookSender.answers(202), { delivered: true, status: 202, detail: "The receiver answered 202." }],
    [
      MemoryWebhookSender.answers(404),
      { delivered: false, status: 404, detail: "The receiver answered 404; only 2xx counts as delivered." }
    ],
    [MemoryWebhookSender.refuses, { delivered: false, status: null, detail: "connection refused" }]
  ])("answers 200 with the outcome of the post [§4.7-webhooks-test]", async (behaviour, expected) => {
    const { one, person } = await registered()
    await script(behaviour)
    const answer = await person.send("POST", `${one}/test`)
    expect([answer.status, answer.json]).toEqual([200, expected])
  })
})

describe("POST …/test?type= [test-people-5]", () => {
  it.each(Event.EventType.literals)("sends a signed %s that says that it is a sample", async (type) => {
    const { endpoint, one, person, secret } = await registered()
    const url = `${URL}/${type}`
    await script(MemoryWebhookSender.answers(200), url)
    await person.send("PATCH", one, { url })
    expect((await person.send("POST", `${one}/test?type=${type}`)).json).toMatchObject({ delivered: true })
    const posts = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.posts(url)))
    const body = JSON.parse(posts.at(-1)?.body ?? "") as Record<string, unknown>
    const isPing = type === "ping"
    expect([body["type"], body["endpoint_id"], body["grant_id"], body["sample"]]).toEqual([
      type,
      endpoint.id,
      isPing ? undefined : "con_sample",
      isPing ? undefined : true
    ])
    const t = world.clock.now() / 1_000
    const signature = MemoryWebhookSender.sign(secret, `${t}.${posts.at(-1)?.body}`)
    expect(new Map(posts.at(-1)?.headers).get("X-Service-Signature")).toBe(`t=${t},v1=${signature}`)
    const log = await person.get(one.replace(/webhooks.*/, "deliveries"))
    expect((log.json as { deliveries: ReadonlyArray<object> }).deliveries[0]).toMatchObject({ test: true, type })
  })

  it("refuses a type that there is not", async () => {
    const { one, person } = await registered()
    expect((await person.send("POST", `${one}/test?type=place.seen`)).status).toBe(400)
  })
})

describe("DELETE …/webhooks/{endpoint_id}", () => {
  it("204 without a body; 404 the second time [§4.7-webhooks-remove]", async () => {
    const { one, path, person } = await registered()
    const answer = await person.send("DELETE", one)
    expect([answer.status, answer.text]).toEqual([204, ""])
    expect((await person.send("DELETE", one)).status).toBe(404)
    expect((await person.get(path)).json).toEqual({ webhooks: [], nextCursor: null })
  })
})

describe("only the app's owner", () => {
  const calls: ReadonlyArray<readonly [string, string, unknown]> = [
    ["GET", "", undefined],
    ["POST", "", { url: URL }],
    ["PATCH", "/{id}", { description: "mine" }],
    ["DELETE", "/{id}", undefined],
    ["POST", "/{id}/rotate-secret", undefined],
    ["POST", "/{id}/test", undefined]
  ]

  it.each(calls)(
    "%s webhooks%s: 404 to others, 401 to nobody, and nothing happens [endpoints-9]",
    async (method, suffix, body) => {
      const { endpoint, path, person } = await registered()
      const stranger = await world.person()
      const target = path + suffix.replace("{id}", endpoint.id)
      const foreign = await stranger.send(method, target, body)
      expect([foreign.status, (foreign.json as { readonly error: string }).error]).toEqual([404, "not_found"])
      const nobody = await world.call(target, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      expect([nobody.status, (nobody.json as { readonly error: string }).error]).toEqual([401, "not_signed_in"])
      expect((await person.get(path)).json).toEqual({ webhooks: [endpoint], nextCursor: null })
    }
  )

  it.each(calls.filter(([, suffix]) => suffix !== ""))(
    "%s webhooks%s: 404 for an id that is not there",
    async (method, suffix, body) => {
      const { path, person } = await registered()
      for (const id of ["ep_unknown", "a b", "x".repeat(200), "%00"]) {
        expect((await person.send(method, path + suffix.replace("{id}", encodeURIComponent(id)), body)).status).toBe(
          404
        )
      }
    }
  )
})

describe("own headers of an endpoint [endpoints-10]", () => {
  const KEY = `${CANARY}-key`

  it("every webhook carries them; no answer and no log shows a value; null removes one [endpoints-10, deliveries-19]", async () => {
    const person = await world.person()
    const path = await appOf(person)
    const url = "https://hooks.example.com/with-headers"
    const headers = [
      { name: "X-Api-Key", value: KEY },
      { name: "authorization", value: `Bearer ${KEY}` }
    ]
    const made = await person.send("POST", path, { url, headers })
    expect(made.json).toMatchObject({ header_names: ["authorization", "x-api-key"] })
    expect(made.text).not.toContain(KEY)
    const one = `${path}/${(made.json as Endpoint).id}`
    await script(
      () =>
        Effect.succeed({
          _tag: "Answered",
          status: 403,
          snippet: "",
          headers: [
            ["server", "gateway"],
            ["Set-Cookie", KEY]
          ]
        }),
      url
    )
    await person.send("POST", `${one}/test`)
    const [post] = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.posts(url)))
    expect(post?.headers).toContainEqual(["x-api-key", KEY])
    expect(post?.headers).toContainEqual(["authorization", `Bearer ${KEY}`])

    const log = path.replace("/webhooks", "/deliveries")
    const { deliveries } = (await person.get(log)).json as {
      readonly deliveries: ReadonlyArray<{ readonly id: string }>
    }
    const delivery = await person.get(`${log}/${deliveries[0]?.id ?? ""}`)
    expect(delivery.text).not.toContain(KEY)
    const { attempts } = delivery.json as { readonly attempts: ReadonlyArray<Record<string, unknown>> }
    expect(attempts[0]).toMatchObject({
      url,
      request_headers: expect.arrayContaining([
        { name: "content-type", value: "application/json" },
        { name: "x-api-key", value: "(hidden)" }
      ]),
      response_headers: [
        { name: "server", value: "gateway" },
        { name: "set-cookie", value: "(hidden)" }
      ]
    })
    const page = `/developer/apps/${log.split("/")[4] ?? ""}/deliveries/${deliveries[0]?.id ?? ""}`
    const shown = (await person.get(page)).text
    expect(shown).toContain(`curl -i -X POST &#39;${url}&#39;`)
    expect(shown).toContain("x-api-key: YOUR_VALUE")
    expect(shown).not.toContain(KEY)

    const changed = await person.send("PATCH", one, {
      headers: [
        { name: "AUTHORIZATION", value: null },
        { name: "x-next", value: "1" }
      ]
    })
    expect(changed.json).toMatchObject({ header_names: ["x-api-key", "x-next"] })
  })

  const STORED = [
    { name: "authorization", value: `Bearer ${KEY}` },
    { name: "x-api-key", value: KEY }
  ]
  const withHeaders = async () => {
    const person = await world.person()
    const path = await appOf(person)
    const { json } = await person.send("POST", path, { url: "https://hooks.example.com/own", headers: STORED })
    const one = `${path}/${(json as Endpoint).id}`
    const stored = async () => ((await person.get(path)).json as { readonly webhooks: ReadonlyArray<unknown> }).webhooks
    return { one, person, stored }
  }

  it.each([
    ["another host", "https://evil.example.com/own"],
    ["another port", "https://hooks.example.com:8443/own"],
    ["a host that begins with the present one", "https://hooks.example.com.evil.example/own"]
  ])("400 for %s, unless the change gives or removes every stored header [endpoints-11]", async (_, url) => {
    const { one, person, stored } = await withHeaders()
    const before = await stored()
    for (const headers of [undefined, [{ name: "X-Api-Key", value: "new" }], [{ name: "x-other", value: "new" }]]) {
      const answer = await person.send("PATCH", one, { url, headers })
      expect([answer.status, answer.json]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringMatching(/^headers must all be set again or removed/) })
      ])
      expect(await stored()).toEqual(before)
    }
  })

  it.each([
    ["with new values", STORED.map(({ name }) => ({ name, value: "new" })), ["authorization", "x-api-key"]],
    [
      "with a value and a null",
      [
        { name: "Authorization", value: null },
        { name: "X-Api-Key", value: "new" }
      ],
      ["x-api-key"]
    ],
    ["with an empty list, which removes them", [], []]
  ])("moves to another origin %s; no stored value goes there [endpoints-11]", async (_, headers, names) => {
    const { one, person } = await withHeaders()
    const url = `https://moved-${names.length}.example.com/own`
    const moved = await person.send("PATCH", one, { url, headers })
    expect(moved.json).toMatchObject({ url, header_names: names })
    await person.send("POST", `${one}/test`)
    const posts = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.posts(url)))
    expect(posts).toHaveLength(1)
    expect(JSON.stringify(posts)).not.toContain(KEY)
  })

  it("the stored headers stay when the origin stays, or when the endpoint has none [endpoints-11]", async () => {
    const { one, person } = await withHeaders()
    const url = "https://HOOKS.example.com/other?path"
    expect((await person.send("PATCH", one, { url })).json).toMatchObject({
      url,
      header_names: ["authorization", "x-api-key"]
    })
    expect((await person.send("PATCH", one, { headers: [] })).json).toMatchObject({
      header_names: ["authorization", "x-api-key"]
    })
    const without = await registered()
    const moved = await without.person.send("PATCH", without.one, { url: "https://moved.example.com/" })
    expect(moved.status).toBe(200)
  })

  it.each([
    [[{ name: "Host", value: "x" }], "headers[0].name must not be a header with a meaning in HTTP or in webhooks"],
    [
      [{ name: "content-length", value: "1" }],
      "headers[0].name must not be a header with a meaning in HTTP or in webhooks"
    ],
    [
      [{ name: "X-Service-Signature", value: "1" }],
      "headers[0].name must not be a header with a meaning in HTTP or in webhooks"
    ],
    [[{ name: "x y", value: "1" }], "headers[0].name must be 1 to 64 letters, digits and hyphens"],
    [[{ name: "x", value: `${CANARY}\r\nhost: evil` }], "headers[0].value must be 1 to 1000 visible ASCII characters"],
    [["a", "b", "c", "d", "e", "f"].map((name) => ({ name, value: "1" })), "headers must be at most 5"]
  ])("400 for %j, without the value", async (headers, message) => {
    const person = await world.person()
    const answer = await person.send("POST", await appOf(person), { url: URL, headers })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ message })
    expect(answer.text).not.toContain(CANARY)
  })

  it("the form adds and removes headers, and repeats no value of a form with a mistake [endpoints-10]", async () => {
    const { endpoint, path, person } = await registered()
    const page = path.replace("/v1", "")
    const send = async (fields: Readonly<Record<string, string>>) => {
      const form = (await person.get(`${page}/${String(endpoint.id)}`)).text
      const hidden = Object.fromEntries(
        ["form_token", "was_url", "was_events", "was_description"].map((name) => [
          name,
          new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? ""
        ])
      )
      return person.send("POST", `${page}/${String(endpoint.id)}`, undefined, {
        body: new URLSearchParams({ ...hidden, url: URL, description: "", ...fields })
      })
    }
    expect((await send({ header_name: "X-Key", header_value: KEY })).status).toBe(303)
    const list = (await person.get(page)).text
    expect(list).toContain("<code>x-key</code>")
    expect(list).not.toContain(KEY)
    const wrong = await send({ header_name: "Host", header_value: KEY })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain("must not be a header with a meaning in HTTP or in webhooks")
    expect(wrong.text).not.toContain(KEY)
    expect((await send({ remove_header: "x-key" })).status).toBe(303)
    expect((await person.get(page)).text).not.toContain("<code>x-key</code>")
  })
})
