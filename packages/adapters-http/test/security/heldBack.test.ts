import { HttpApi } from "@effect/platform"
import { endAllSessions } from "@place-access/domain/accounts"
import { replaceClientSecret } from "@place-access/domain/apps"
import { AuditEvent } from "@place-access/domain/audit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import * as PagesLive from "@place-access/adapters-http/pages/PagesLive"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { ClientAuth } from "@place-access/adapters-http/security/ClientAuth"
import { SessionAuth } from "@place-access/adapters-http/security/SessionAuth"
import { connected, type Connected, RULES } from "../support/connected.js"
import { optionsAt } from "../support/options.js"
import { phone } from "../support/phone.js"
import { type Answer, holdBack, raw } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

interface Route {
  readonly method: string
  readonly path: string
}

const withIds = ({ method, path }: Route): Route => ({ method, path: path.replace(/:\w+/g, "some_id") })

/** The API's requests that change something or have a body, by the guards that check their caller. */
const byGuards = new Map<string, Array<Route>>()
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, middleware }) => {
    if (endpoint.method === "GET") return
    const guards = Array.from(middleware, ({ key }) => key).join()
    byGuards.set(guards, [...(byGuards.get(guards) ?? []), withIds(endpoint)])
  }
})
const behind = ({ key }: { readonly key: string }) => byGuards.get(key) ?? []

/** The guards that wait for the whole body before they check the caller. */
const CHECKED = [SessionAuth, BearerAuth, ClientAuth]

/** The requests behind a session, except the import of a file. */
const changes = behind(SessionAuth).filter(({ path }) => path !== "/v1/user/imports")

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface HeldRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends each request without its last byte, runs `meanwhile`, and then sends the last bytes. Returns the answers.
 * `meanwhile` must begin with a request of its own: when the service has answered this request, it has also begun with
 * all earlier requests, and waits for their last bytes.
 */
const heldBack = async (
  routes: ReadonlyArray<Route>,
  { body, headers }: HeldRequest,
  meanwhile: () => Promise<unknown>
) => {
  const finishes = await Promise.all(
    routes.map(async ({ method, path }) => ({
      name: `${method} ${path}`,
      finish: await holdBack(world.url + path, { method, headers, body })
    }))
  )
  await meanwhile()
  return Promise.all(finishes.map(async ({ finish, name }) => ({ name, ...(await finish()) })))
}

/** Ends the session of the requests before it sends their last bytes. */
const answersAfterwards = async (routes: ReadonlyArray<Route>, type: string, body: string) => {
  const person = await world.person()
  const referer = `${world.url}/portal`
  const headers = { cookie: person.cookie, origin: world.url, referer, "content-type": type, accept: "text/html" }
  return heldBack(routes, { headers, body }, async () => {
    await person.get("/v1/user")
    await world.run(endAllSessions(person.account.id, AuditEvent.OPERATOR))
  })
}

const withToken = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" })

describe("a request that is held back until its session has ended changes nothing [accounts-23]", () => {
  it("the API answers 401", async () => {
    expect(changes.length).toBeGreaterThan(50)
    const answers = await answersAfterwards(changes, "application/json", "{}")
    expect(answers.filter(({ status }) => status !== 401)).toEqual([])
  })

  it("a form leads to the sign-in", async () => {
    const forms: Array<Route> = []
    for (const route of PagesLive.routes(optionsAt(world.url)).map(withIds)) {
      if (route.method !== "POST") continue
      const body = new URLSearchParams({ form_token: "none" })
      const headers = { origin: world.url, referer: `${world.url}/portal` }
      const anonymous = await world.call(route.path, { method: "POST", headers, body })
      if (anonymous.headers.get("location")?.startsWith("/sign-in?") === true) forms.push(route)
    }
    expect(forms.length).toBeGreaterThan(70)
    const answers = await answersAfterwards(forms, "application/x-www-form-urlencoded", "form_token=none")
    expect(answers.filter(({ location }) => location?.startsWith("/sign-in?") !== true)).toEqual([])
  })
})

const HOME = { lat: 52.37, lon: 4.89 }
const ZONE = "location.zone.verify"
const VERIFY_ZONE = { method: "POST", path: "/v1/answers/verify-zone" }

const pathOf = async (one: Connected) => `/v1/user/connections/${(await one.connection()).id}`

/** An app asks whether the person is at home, and holds back the end of its question while the person goes home. */
const questionHeldBack = async (meanwhile: (one: Connected) => Promise<Answer>) => {
  const one = await connected(world)
  const mine = await phone(world, one.person)
  const { access_token: token } = await one.connect([ZONE, RULES])
  const body = JSON.stringify({ ...HOME, radius_m: 500, label: "Depot 7" })
  const [answer] = await heldBack([VERIFY_ZONE], { headers: withToken(token), body }, async () => {
    await one.me(token)
    expect((await meanwhile(one)).status).toBeLessThan(300)
    await mine.at(HOME, [0])
  })
  return [answer?.status, JSON.parse(answer?.text ?? "null")]
}

describe("a request of an app that is held back until the user has ended what allowed it [tokens-5]", () => {
  it("gets 401 after the end of the connection, whatever it asks", async () => {
    const routes = behind(BearerAuth)
    expect(routes).toContainEqual(VERIFY_ZONE)
    const one = await connected(world)
    const { access_token: token } = await one.connect([ZONE, RULES])
    const answers = await heldBack(routes, { headers: withToken(token), body: "{}" }, async () => {
      await one.me(token)
      expect((await one.person.send("DELETE", await pathOf(one))).status).toBe(204)
    })
    expect(answers.filter(({ status }) => status !== 401)).toEqual([])
  })

  it("learns nothing after a pause or a withdrawn scope", async () => {
    const paused = questionHeldBack(async (one) =>
      one.person.send("PUT", `${await pathOf(one)}/pause`, { for: "until_resumed" })
    )
    expect(await paused).toEqual([200, { state: "unknown", asOf: null, reason: "paused" }])
    const withdrawn = questionHeldBack(async (one) => one.person.send("PATCH", await pathOf(one), { scopes: [RULES] }))
    expect(await withdrawn).toMatchObject([403, { error: "missing_scope" }])
  })

  it("gets 401 after the end of the app's client secret", async () => {
    const routes = behind(ClientAuth)
    expect(routes.length).toBeGreaterThan(2)
    const developer = await world.person()
    const { app, clientSecret } = await world.app(developer)
    const authorization = `Basic ${Buffer.from(`${app.id}:${clientSecret}`).toString("base64")}`
    const headers = { authorization, "content-type": "application/json" }
    const answers = await heldBack(routes, { headers, body: "{}" }, async () => {
      expect((await world.call("/v1/test-people", { headers })).status).toBe(200)
      await world.run(replaceClientSecret(developer.account, app.id))
    })
    expect(answers.filter(({ status }) => status !== 401)).toEqual([])
  })

  it("is refused at once without a credential of the right form", async () => {
    const send = (route: Route, authorization: string) => {
      const headers = [`authorization: ${authorization}`, "content-type: application/json", "content-length: 2"]
      return raw(world.url, [`${route.method} ${route.path} HTTP/1.1`, "host: x", ...headers], "{")
    }
    for (const token of ["anything", `pa_rt.con_1.${"a".repeat(43)}`]) {
      expect(await send(VERIFY_ZONE, `Bearer ${token}`)).toMatch(/^HTTP\/1.1 401 /)
    }
    expect(await send({ method: "POST", path: "/v1/test-people" }, "Basic none")).toMatch(/^HTTP\/1.1 401 /)
  })
})

describe("a guard that checks its caller before the body has arrived [accounts-23, tokens-5]", () => {
  it("guards only phones, which bring readings and learn nothing", () => {
    const others = Array.from(byGuards).filter(([guards]) => !CHECKED.some(({ key }) => key === guards))
    const paths = others.flatMap(([guards, routes]) => (guards === "" ? [] : routes.map(({ path }) => path)))
    expect(paths.toSorted()).toEqual(
      ["locations", "osmand", "overland", "owntracks"].map((format) => `/v1/phone/${format}`)
    )
  })
})
