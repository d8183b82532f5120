import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { disconnect } from "@place-access/domain/connection"
import { addDevice, Device } from "@place-access/domain/devices"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Connected, connected, type TokenBody } from "../support/connected.js"
import { bearer, startWorld, type World } from "../support/World.js"
import { type Answer, jsonBody } from "../support/wire.js"

const MINUTE = 60_000

let world: World
let stage: Connected
beforeAll(async () => {
  world = await startWorld({ rateLimitPerMinute: 600, trustProxy: true })
  stage = await connected(world)
})
afterAll(() => world.close())
/** Ten minutes pass before each test, so that no limit of a shorter time still counts the calls of another test. */
beforeEach(() => world.clock.advance(10 * MINUTE))

const use = (subject: Subject.LimitSubject, rate: Rate.Rate, calls: number) =>
  world.run(Effect.all(Array.from({ length: calls }, () => takeCall(subject, rate), { discard: true })))

const standing = ({ headers }: Answer) => ({
  limit: headers.get("ratelimit-limit"),
  remaining: headers.get("ratelimit-remaining"),
  reset: headers.get("ratelimit-reset"),
  policy: headers.get("ratelimit-policy"),
  wait: headers.get("retry-after")
})

const LIMITED = { statusCode: 429, error: "rate_limited", message: "Too many requests; wait and try again" }

/** A connection of the user of `stage` that has made `used` calls already. */
const connection = async (used: number) => {
  const { access_token: token }: TokenBody = await stage.connect(["location.place.current"])
  await use(Subject.connection((await stage.connection()).id), Rate.perMinute(600), used)
  return { token, me: () => world.call("/v1/me", bearer(token)) }
}

describe("calls of one connection", () => {
  it("the 600th passes, the 601st is refused, and at the reset instant it passes again [§7-too-many, limits-1, limits-4]", async () => {
    const { me } = await connection(598)
    world.clock.advance(10_000)
    const last = [await me(), await me(), await me()]
    expect(last.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(last.map(standing)).toEqual([
      { limit: "600", remaining: "1", reset: "50", policy: "600;w=60", wait: null },
      { limit: "600", remaining: "0", reset: "50", policy: "600;w=60", wait: null },
      { limit: "600", remaining: "0", reset: "50", policy: "600;w=60", wait: "50" }
    ])
    expect(last[2]?.json).toEqual(LIMITED)
    world.clock.advance(49_999)
    const early = await me()
    expect([early.status, standing(early).wait]).toEqual([429, "1"])
    world.clock.advance(1)
    const repeated = await me()
    expect([repeated.status, standing(repeated)]).toEqual([
      200,
      { limit: "600", remaining: "599", reset: "60", policy: "600;w=60", wait: null }
    ])
  })

  it("one connection's calls take nothing from another's, of the same app or not [limits-1]", async () => {
    const busy = await connection(600)
    const other = await connected(world)
    const { access_token: token } = await other.connect(["location.place.current"])
    expect((await busy.me()).status).toBe(429)
    expect(standing(await other.me(token)).remaining).toBe("599")
  })

  it("nothing of the caller's question is looked at any more: not its scope, not its body [limits-3]", async () => {
    const { token } = await connection(600)
    const answers = [
      await world.call("/v1/locations/latest", bearer(token)),
      await world.call("/v1/answers/verify-zone", {
        method: "POST",
        body: "{",
        headers: { ...bearer(token).headers, "content-type": "text/csv" }
      })
    ]
    expect(answers.map(({ json }) => json)).toEqual([LIMITED, LIMITED])
  })

  it("an answer without a good token says nothing of any limit [limits-3]", async () => {
    const answer = await world.call("/v1/me", bearer("nonsense"))
    expect([answer.status, standing(answer)]).toEqual([
      401,
      { limit: null, remaining: null, reset: null, policy: null, wait: null }
    ])
  })
})

describe("a budget", () => {
  it("20 zone questions in any 60 minutes; the 21st says when the oldest falls out, and stands in the user's log [§7-too-many]", async () => {
    let { access_token: token } = await stage.connect(["location.zone.verify"])
    const ask = (zone: object = {}) =>
      world.call("/v1/answers/verify-zone", {
        method: "POST",
        body: JSON.stringify({ lat: 52.1, lon: 4.9, radius_m: 400, label: "Stadium", ...zone }),
        headers: { ...bearer(token).headers, "content-type": "application/json" }
      })
    expect((await ask()).status).toBe(200)
    world.clock.advance(20 * MINUTE)
    for (let call = 0; call < 19; call++) expect((await ask()).status).toBe(200)
    world.clock.advance(1)
    const refused = await ask()
    expect([refused.status, refused.json, standing(refused).wait, standing(refused).limit]).toEqual([
      429,
      expect.objectContaining({ statusCode: 429, error: "budget_exceeded" }),
      "2400",
      "600"
    ])
    // An invalid request takes nothing from the budget. Its answer is 400 even when the budget is used up.
    expect((await ask({ radius_m: 1 })).status).toBe(400)
    const { json } = await stage.person.get(`/v1/user/access-log?app_id=${stage.app.id}&limit=2`)
    const { entries } = json as { readonly entries: ReadonlyArray<{ readonly outcome: string }> }
    expect(entries.map(({ outcome }) => outcome).sort()).toEqual(["budget_exceeded", "validation_failed"])
    world.clock.advance(40 * MINUTE - 2)
    // The app gets a new token from a new consent. The budget must not begin anew with this token.
    token = (await stage.connect(["location.zone.verify"])).access_token
    expect((await ask()).status).toBe(429)
    world.clock.advance(1)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
  })

  it("zone rules and verify-zone share one budget; neither removing rules nor connecting anew after a disconnection gives it back [M8]", async () => {
    world.clock.advance(60 * MINUTE)
    const scopes = ["location.zone.verify", "location.rules.zone"] as const
    let { access_token: token } = await stage.connect(scopes)
    const zone = { lat: 52.1, lon: 4.9, radius_m: 400, label: "Stadium" }
    const send = (method: string, path: string, body?: object) =>
      world.call(path, {
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        method,
        headers: { ...bearer(token).headers, "content-type": "application/json" }
      })
    const draw = (more: object = {}) =>
      send("POST", "/v1/rules/zone", { type: "dwell", dwell_minutes: 5, ...zone, ...more })
    const verify = () => send("POST", "/v1/answers/verify-zone", zone)
    const refusal = async (answer: Promise<Answer>) => {
      const { headers, json, status } = await answer
      return [status, (json as { readonly error: string }).error, headers.get("retry-after")]
    }
    for (let rule = 0; rule < 15; rule++) {
      const made = await draw()
      expect(made.status).toBe(201)
      expect((await send("DELETE", `/v1/rules/zone/${(made.json as { id: string }).id}`)).status).toBe(204)
    }
    // A rule that the service refuses as invalid takes nothing from the budget.
    expect((await draw({ radius_m: 99 })).status).toBe(400)
    for (let call = 0; call < 5; call++) expect((await verify()).status).toBe(200)
    expect(await refusal(draw())).toEqual([429, "budget_exceeded", "3600"])
    expect(await refusal(verify())).toEqual([429, "budget_exceeded", "3600"])

    await world.run(disconnect(stage.person.account.id, (await stage.connection()).id))
    token = (await stage.connect(scopes)).access_token
    expect(await refusal(draw())).toEqual([429, "budget_exceeded", "3600"])
    world.clock.advance(60 * MINUTE)
    token = (await stage.connect(scopes)).access_token
    expect((await draw()).status).toBe(201)
  })

  it("circles that cut a town in two are refused from the fourth on, for a day after the first; the same ones again are not", async () => {
    world.clock.advance(25 * 60 * MINUTE)
    const ask = async (lat: number) => {
      const { access_token: token } = await stage.connect(["location.zone.verify"])
      return world.call("/v1/answers/verify-zone", {
        method: "POST",
        body: JSON.stringify({ lat, lon: 4.9, radius_m: 9_000, label: "Half of it" }),
        headers: { ...bearer(token).headers, "content-type": "application/json" }
      })
    }
    for (const lat of [52.1, 52.12, 52.14]) expect((await ask(lat)).status).toBe(200)
    world.clock.advance(60 * MINUTE)
    const refused = await ask(52.16)
    expect([refused.status, standing(refused).wait]).toEqual([429, String(23 * 3_600 + 1)])
    expect((await ask(52.12)).status).toBe(200)
    world.clock.advance(23 * 60 * MINUTE + 1)
    expect((await ask(52.16)).status).toBe(200)
  })
})

describe("clients of /v1/oauth/*", () => {
  const from = (address: string): RequestInit["headers"] => ({ "x-forwarded-for": address })
  const json = (path: string, body: object, address: string) =>
    world.call(path, { ...jsonBody(body), method: "POST", headers: { ...jsonBody(body).headers, ...from(address) } })
  const guess = (address: string, path = "/v1/oauth/token") =>
    json(
      path,
      { grantType: "refresh_token", clientId: stage.app.id, clientSecret: "a guess", refreshToken: "x", token: "x" },
      address
    )

  it("guesses at a secret are counted, and the right one is refused with them; from elsewhere the app gets through [limits-2, limits-3]", async () => {
    const { refresh_token: refreshToken } = await stage.connect(["location.place.current"])
    await use(Subject.client(Option.some(stage.app.id), "198.51.100.7"), Rate.OAUTH, 1_198)
    const answers = [
      await guess("198.51.100.7"),
      await guess("198.51.100.7", "/v1/oauth/revoke"),
      await guess("198.51.100.7")
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429])
    expect(answers.map(standing)).toEqual([
      { limit: "1200", remaining: "1", reset: "60", policy: "1200;w=60", wait: null },
      { limit: "1200", remaining: "0", reset: "60", policy: "1200;w=60", wait: null },
      { limit: "1200", remaining: "0", reset: "60", policy: "1200;w=60", wait: "60" }
    ])
    const right = { grantType: "refresh_token", clientId: stage.app.id, clientSecret: stage.clientSecret, refreshToken }
    expect((await json("/v1/oauth/token", right, "198.51.100.7")).json).toEqual(LIMITED)
    expect((await json("/v1/oauth/token", right, "203.0.113.9")).status).toBe(200)
  })

  it("the refusal speaks the client's dialect, and is not stored [limits-4]", async () => {
    await use(Subject.client(Option.some(stage.app.id), "198.51.100.8"), Rate.OAUTH, 1_200)
    const basic = `Basic ${Buffer.from(`${stage.app.id}:wrong`).toString("base64")}`
    const form = await world.call("/v1/oauth/token", {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x" }).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: basic,
        "x-forwarded-for": "198.51.100.8"
      }
    })
    expect([form.status, form.json]).toEqual([429, { ...LIMITED, error_description: LIMITED.message }])
    expect([form.headers.get("retry-after"), form.headers.get("cache-control")]).toEqual(["60", "no-store"])
    expect((await guess("198.51.100.8")).json).toEqual(LIMITED)
  })

  it("clients that nobody registered are counted as one: making up a name is no way around, and takes nothing from an app [limits-3]", async () => {
    const named = (clientId: string, path = "/v1/oauth/token", address = "198.51.100.9") =>
      json(path, { grantType: "refresh_token", clientId, clientSecret: "x", refreshToken: "x", token: "x" }, address)
    const basic = (clientId: string) =>
      world.call("/v1/oauth/token", {
        method: "POST",
        body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x" }).toString(),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Basic ${Buffer.from(`${clientId}:x`).toString("base64")}`,
          "x-forwarded-for": "198.51.100.9"
        }
      })
    const counts = [
      await named("no such\nclient"),
      await named("x".repeat(900)),
      await named(""),
      await named("app_madeup1"),
      await named("app_madeup2", "/v1/oauth/revoke"),
      await basic("app_madeup3")
    ]
    expect(counts.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401])
    expect(counts.map((answer) => standing(answer).remaining)).toEqual(["1199", "1198", "1197", "1196", "1195", "1194"])
    await use(Subject.client(Option.none(), "198.51.100.9"), Rate.OAUTH, 1_194)
    expect((await named("app_madeup4")).json).toEqual(LIMITED)
    expect((await named("app_madeup4", "/v1/oauth/token", "198.51.100.10")).status).toBe(401)
    expect(standing(await guess("198.51.100.9")).remaining).toBe("1199")
  })
})

describe("uploads of one phone", () => {
  const uploads = async () => {
    const { account } = await world.person()
    const { device, token } = await world.run(
      addDevice(account.id, { name: Device.DeviceName.make("Phone"), format: "json" })
    )
    return {
      device,
      token,
      json: () =>
        world.call("/v1/phone/locations", {
          method: "POST",
          body: '{"locations":[]}',
          headers: { ...bearer(token).headers, "content-type": "application/json" }
        })
    }
  }

  it("more than it can have to say are refused with 429, which our format and most apps try again later [limits-2]", async () => {
    const { device, json } = await uploads()
    await use(Subject.device(device.id), Rate.UPLOADS, 2_999)
    const answers = [await json(), await json()]
    expect(answers.map(({ status }) => status)).toEqual([200, 429])
    expect(standing(answers[1]!)).toMatchObject({ limit: "3000", remaining: "0", wait: "60" })
  })

  it("OwnTracks gets 503 instead: over a 4xx it would throw its readings away [limits-2]", async () => {
    const { device, token } = await uploads()
    await use(Subject.device(device.id), Rate.UPLOADS, 3_000)
    const answer = await world.call("/v1/phone/owntracks", {
      method: "POST",
      body: "{}",
      headers: {
        "content-type": "application/json",
        authorization: `Basic ${Buffer.from(`me:${token}`).toString("base64")}`
      }
    })
    expect([answer.status, standing(answer).wait, standing(answer).remaining]).toEqual([503, "60", "0"])
  })
})

describe("an address that nobody is signed in from", () => {
  it("makes 60 accounts in 10 minutes, over JSON and the page together [limits-2]", async () => {
    await use(Subject.signUp("127.0.0.1"), Rate.SIGN_UPS, 59)
    const signUp = () =>
      world.call("/v1/accounts", {
        method: "POST",
        ...jsonBody({ email: `${Math.trunc(world.clock.now())}@example.com`, password: "correct horse battery" })
      })
    expect((await signUp()).status).toBe(201)
    expect((await signUp()).json).toEqual(LIMITED)
    const visitor = await world.call("/sign-up")
    const [cookie = ""] = (visitor.headers.get("set-cookie") ?? "").split(";")
    const formToken = /name="form_token" value="([^"]+)"/.exec(visitor.text)?.[1] ?? ""
    const page = await world.call("/sign-up", {
      method: "POST",
      body: new URLSearchParams({ form_token: formToken, email: "eve@example.com", password: "correct horse battery" }),
      headers: { cookie, origin: world.url, accept: "text/html" }
    })
    expect([page.status, page.headers.get("retry-after")]).toEqual([429, "600"])
    expect(page.text).toContain("Too many tries")
    expect(page.text).not.toContain("eve@example.com")
  })

  it("opens 120 consent pages in a minute [limits-2]", async () => {
    await use(Subject.consent("127.0.0.1"), Rate.CONSENTS, 119)
    const open = () => world.call("/authorize?client_id=nobody", { headers: { accept: "text/html" } })
    expect([(await open()).status, (await open()).status]).toEqual([400, 429])
  })
})
