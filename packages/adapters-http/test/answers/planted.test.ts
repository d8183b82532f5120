import { HttpApi } from "@effect/platform"
import { Api } from "@place-access/adapters-http/Api"
import * as AdminApps from "@place-access/adapters-http/pages/admin/apps"
import * as DeveloperApp from "@place-access/adapters-http/pages/developer/app"
import * as DeveloperApps from "@place-access/adapters-http/pages/developer/apps"
import * as Deliveries from "@place-access/adapters-http/pages/webhooks/deliveries"
import * as DeveloperDelivery from "@place-access/adapters-http/pages/webhooks/delivery"
import * as GrantRules from "@place-access/adapters-http/pages/developer/grantRules"
import * as DeveloperPurposes from "@place-access/adapters-http/pages/developer/purposes"
import * as Users from "@place-access/adapters-http/pages/developer/users"
import * as Webhooks from "@place-access/adapters-http/pages/webhooks/webhooks"
import * as ReviewDecision from "@place-access/adapters-http/pages/review/decision"
import * as ReviewQueue from "@place-access/adapters-http/pages/review/queue"
import { RequiredScope } from "@place-access/adapters-http/security/RequiredScope"
import { Scope } from "@place-access/domain/shared"
import { fanOutAll, deliverDue, MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Context, Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connected, type Connected } from "../support/connected.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

/**
 * Coordinates with rare digits, so that a search finds them in any text, even if the service has rounded them down to a
 * hundred meters.
 */
const HOME = { lat: 31.415_926_5, lon: 27.182_818_2 }
const HIDDEN = { lat: 16.180_339_8, lon: 14.142_135_6 }
const ZONE = { lat: 17.320_508_1, lon: 22.360_679_7 }
const VERIFIED = { lat: 26.457_513_1, lon: 33.166_247_9 }
const VISITED = { lat: 36.055_512_7, lon: 41.231_056_2 }
const WRONG = { lat: 9_358.989_435, lon: -9_626.478_563 }
const PLANTED = [HOME, HIDDEN, ZONE, VERIFIED, VISITED, WRONG].flatMap(({ lat, lon }) =>
  [lat, lon].map((degrees) => String(Math.trunc(degrees * 1_000) / 1_000))
)
const coordinatesIn = (text: string): ReadonlyArray<string> => PLANTED.filter((one) => text.includes(one))

let world: World
let one: Connected
/** The owner of the app, who also reads everything that developers, reviewers and admins can read. */
let staff: Person
let token: string
const ids: Record<string, string> = {}

const as = (who: string, method: string, path: string, body?: unknown): Promise<Answer> => {
  const json = body === undefined ? {} : jsonBody(body)
  return world.call(path, { ...json, method, headers: { ...json.headers, ...bearer(who).headers } })
}
const idIn = ({ json }: Answer) => (json as { readonly id: string }).id
const ago = (seconds: number) => new Date(world.clock.now() - seconds * 1_000).toISOString()

beforeAll(async () => {
  world = await startWorld()
  staff = await world.person({ roles: ["developer", "reviewer", "admin"] })
  one = await connected(world)
  const user = one.person
  await user.send("PATCH", `/v1/user/places/${one.placeId}`, HOME)
  await user.send("POST", "/v1/user/places", { label: "Clinic", kind: "health", ...HIDDEN })
  token = (await one.connect(Scope.all)).access_token

  const base = `/v1/developer/apps/${one.app.id}`
  const endpoint = await user.send("POST", `${base}/webhooks`, { url: "https://hooks.example.com/in", events: [] })
  const placeRule = await one.createRule(token)
  const zoneRule = await as(token, "POST", "/v1/rules/zone", { type: "enter", ...ZONE, radius_m: 500, label: "Quay" })
  expect([endpoint.status, placeRule.status, zoneRule.status]).toEqual([201, 201, 201])

  // A rule fires only for readings from after its creation, and not for old ones. So the clock moves on by 15 minutes,
  // and all readings are at most ten minutes old.
  world.clock.advance(15 * 60_000)
  const device = await user.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
  const phone = (device.json as { readonly token: string }).token
  const fix = (point: object, age: number) => ({ captured_at: ago(age), ...point, accuracy_m: 10 })
  const visits = [{ arrival: ago(3_000), departure: ago(2_000), ...VISITED, accuracy_m: 20 }]
  const locations = [fix(HIDDEN, 600), fix(ZONE, 400), fix(HOME, 100), fix(WRONG, 50), fix(HIDDEN, 0)]
  expect((await as(phone, "POST", "/v1/phone/locations", { locations, visits })).status).toBe(200)
  await as(phone, "POST", "/v1/phone/locations", { locations: [{ ...fix(HOME, 0), accuracy_m: "wrong" }] })

  await world.run(
    Effect.gen(function* () {
      const receivers = yield* MemoryWebhookSender.Receivers
      yield* receivers.script("https://hooks.example.com/in", MemoryWebhookSender.answers(503, "busy"))
      yield* fanOutAll(100)
      yield* deliverDue({ limit: 100, perEndpoint: 100 })
    })
  )
  const log = (await user.get(`${base}/deliveries`)).json as {
    readonly deliveries: ReadonlyArray<{ readonly id: string }>
  }
  const purposes = (await user.get(`${base}/purposes`)).json as {
    readonly purposes: ReadonlyArray<{ readonly id: string }>
  }
  const { id: connectionId } = await one.connection()
  Object.assign(ids, {
    app: one.app.id,
    connection: connectionId,
    grant: connectionId,
    app_id: one.app.id,
    place_id: one.placeId,
    endpoint_id: idIn(endpoint),
    delivery: log.deliveries[0]?.id,
    delivery_id: log.deliveries[0]?.id,
    purpose: purposes.purposes[0]?.id,
    purpose_id: purposes.purposes[0]?.id,
    connection_id: connectionId,
    rule_id: idIn(placeRule),
    "/v1/rules/place/:id": idIn(placeRule),
    "/v1/rules/zone/:id": idIn(zoneRule)
  })
  expect(Object.values(ids)).not.toContain(undefined)
})
afterAll(() => world.close())

const fill = (path: string) =>
  path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? ids[path.slice(0, path.indexOf(":id") + 3)] ?? "nothing")
const now = () => encodeURIComponent(ago(0))
const QUERIES: Readonly<Record<string, () => string>> = {
  "/v1/developer/apps/:app_id/rules": () => `?grant_id=${ids["connection_id"]}`,
  "/v1/lookup/place": () => `?at=${now()}`,
  "/v1/locations/lookup": () => `?purpose=order_ahead&at=${now()}`,
  "/v1/locations/latest": () => "?purpose=order_ahead",
  "/v1/locations/timerange": () => `?purpose=order_ahead&from=${encodeURIComponent(ago(9_000))}&to=${now()}`,
  "/v1/locations/days": () => `?purpose=order_ahead&from=${encodeURIComponent(ago(9_000))}&to=${now()}`
}

/** Every GET route of the API, with the scope that the route requires. */
const readable: Array<{ readonly path: string; readonly scope: Scope.Scope | "any_standard" | "none" | undefined }> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { method, path }, mergedAnnotations }) => {
    if (method !== "GET") return
    readable.push({ path, scope: Option.getOrUndefined(Context.getOption(mergedAnnotations, RequiredScope)) })
  }
})
const isSensitive = (scope: (typeof readable)[number]["scope"]) =>
  scope !== undefined && scope !== "none" && scope !== "any_standard" && Scope.isSensitive(scope)

const pages = [
  AdminApps,
  DeveloperApp,
  DeveloperApps,
  Deliveries,
  DeveloperDelivery,
  GrantRules,
  DeveloperPurposes,
  Users,
  Webhooks,
  ReviewDecision,
  ReviewQueue
]
  .flatMap(({ routes }) => routes.map(({ method, path }) => ({ method: String(method), path: String(path) })))
  .filter(({ method }) => method === "GET")

describe("coordinates that were planted in places, readings, visits, rules and questions", () => {
  it("are in answers to the user, and in answers of the sensitive tier", async () => {
    expect(coordinatesIn((await one.person.get("/v1/user/places")).text)).toHaveLength(4)
    expect(
      coordinatesIn((await as(token, "GET", `/v1/locations/timerange${QUERIES["/v1/locations/timerange"]?.()}`)).text)
    ).toHaveLength(6)
    expect(coordinatesIn(`${1_000 / 3} ${HOME.lat.toFixed(4)}`)).toEqual(["31.415"])
  })

  it("are in no answer that an app gets without the sensitive tier, wrong questions included", async () => {
    // A zone rule returns the coordinates of a circle that the app itself has sent, so these coordinates are no leak.
    const standard = readable.filter(
      ({ path, scope }) => scope !== undefined && !isSensitive(scope) && path !== "/v1/rules/zone"
    )
    expect(standard.map(({ path }) => path)).toEqual(expect.arrayContaining(["/v1/visits", "/v1/answers/places"]))
    const statuses: Record<string, number> = {}
    for (const { path } of standard) {
      const answer = await as(token, "GET", `${fill(path)}${QUERIES[path]?.() ?? ""}`)
      expect([path, coordinatesIn(answer.text + JSON.stringify([...answer.headers]))]).toEqual([path, []])
      statuses[path] = answer.status
    }
    expect(Object.values(statuses)).toEqual(standard.map(() => 200))
    const zone = { radius_m: 500, label: "Depot" }
    for (const [path, point, status] of [
      ["/v1/answers/verify-zone", VERIFIED, 200],
      ["/v1/answers/verify-zone", HOME, 200],
      ["/v1/answers/verify-zone", WRONG, 400],
      ["/v1/rules/zone", WRONG, 400]
    ] as const) {
      const answer = await as(token, "POST", path, { type: "exit", ...zone, ...point })
      expect([answer.status, coordinatesIn(answer.text)]).toEqual([status, []])
    }
  })

  it("are on no page and in no answer for developers, reviewers and admins", async () => {
    const json = readable.filter(({ path }) => /^\/v1\/(?:developer|admin)\//.test(path)).map(({ path }) => path)
    expect(Math.min(json.length, pages.length)).toBeGreaterThan(5)
    const read = new Set<string>()
    for (const path of [...json, ...pages.map((page) => page.path)]) {
      for (const person of [one.person, staff]) {
        const answer = await person.get(fill(path) + (QUERIES[path]?.() ?? ""), {
          headers: { accept: "text/html, application/json" }
        })
        expect([path, coordinatesIn(answer.text)]).toEqual([path, []])
        if (answer.status === 200) read.add(path)
      }
    }
    expect([...read]).toEqual(
      expect.arrayContaining([
        "/v1/developer/apps/:app_id/deliveries/:delivery_id",
        "/v1/developer/apps/:app_id/rules",
        "/v1/developer/apps/:app_id/users",
        "/v1/admin/apps/:app_id",
        "/developer/apps/:app",
        "/developer/apps/:app/deliveries/:delivery",
        "/developer/apps/:app/purposes/:purpose",
        "/developer/apps/:app/users",
        "/developer/apps/:app/users/:grant/rules",
        "/developer/apps/:app/webhooks",
        "/review/apps",
        "/admin/apps/:app"
      ])
    )
  })

  it("are in no event, no webhook, no entry of the access log and no line of the log [§6.1-no-coordinates]", async () => {
    for (const { path } of readable.filter(({ scope }) => isSensitive(scope))) {
      expect((await as(token, "GET", path + (QUERIES[path]?.() ?? ""))).status).toBe(200)
    }
    const { accessLog, events, posts } = await world.run(
      Effect.gen(function* () {
        const { accessLog, events } = yield* MemoryDatabase
        return { accessLog, events: [...events.values()], posts: yield* (yield* MemoryWebhookSender.Receivers).posts() }
      })
    )
    expect(events.map(({ payload }) => payload.type)).toEqual(expect.arrayContaining(["place.enter", "zone.enter"]))
    expect(posts.length).toBeGreaterThan(1)
    expect(accessLog.length).toBeGreaterThan(15)
    const pages = await Promise.all(
      ["/v1/user/access-log?limit=500", "/portal/access-log"].map((path) => one.person.get(path))
    )
    for (const text of [
      JSON.stringify(events),
      ...posts.map(({ body, headers }) => body + JSON.stringify(headers)),
      JSON.stringify(accessLog),
      ...pages.map(({ text }) => text),
      world.log.join("\n")
    ]) {
      expect(coordinatesIn(text)).toEqual([])
    }
  })
})
