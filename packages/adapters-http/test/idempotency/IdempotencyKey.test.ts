import { HttpApi } from "@effect/platform"
import { Idempotency, IdempotencyStore } from "@place-access/domain/idempotency"
import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Deferred, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import { byRoute } from "@place-access/adapters-http/engine/byRoute"
import { RepeatAction } from "@place-access/adapters-http/idempotency/RepeatAction"
import { keyReader, reasons } from "@place-access/adapters-http/idempotency/WithoutKey"
import * as Routes from "@place-access/adapters-http/engine/Routes"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { SessionAuth } from "@place-access/adapters-http/security/SessionAuth"
import { connected, RULES, saying } from "../support/connected.js"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { type Answer, jsonBody } from "../support/wire.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Route {
  readonly label: string
  readonly guards: ReadonlySet<string>
}

const takesKey = keyReader(Api)
const without = reasons(Api)
const posts: Array<Route> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { method, path }, middleware }) => {
    const guards = new Set(Array.from(middleware, ({ key }) => key))
    if (method === "POST") posts.push({ label: Routes.label(method, path), guards })
  }
})

const keyed = (key: string, more: Readonly<Record<string, string>> = {}): RequestInit => ({
  headers: { "idempotency-key": key, ...more }
})

let keys = 0
/** A new key, which no other test uses. */
const freshKey = (): string => `key-${++keys}-8e03978e-40d5-43dd-bc93-6894a57f9324`

const HOME = { label: "Home", kind: "home", lat: 52.37, lon: 4.89 }

const makePlace = (person: Person, key: string, body: object = HOME): Promise<Answer> =>
  person.send("POST", "/v1/user/places", body, keyed(key))

const isReplay = ({ headers }: Answer): boolean => headers.get("idempotent-replayed") === "true"

const placesOf = async (person: Person): Promise<number> => {
  const { json } = await person.get("/v1/user/places")
  return (json as { readonly places: ReadonlyArray<unknown> }).places.length
}

describe("every POST of the contract", () => {
  it("reads Idempotency-Key behind a guard that says whose it is, or is listed with the reason why it need not [idempotency-1]", () => {
    for (const { guards, label } of posts) {
      const knowsTheCaller = guards.has(BearerAuth.key) || guards.has(SessionAuth.key)
      expect([label, takesKey(label) ? knowsTheCaller : (without.get(label) ?? "").length > 20]).toEqual([label, true])
    }
    const labels = new Set(posts.map(({ label }) => label))
    expect([...without.keys()].filter((label) => !labels.has(label))).toEqual([])
  })

  it("that reads it refuses a key that is none, before anything is done [idempotency-1]", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES, "location.rules.zone"])
    const staff = await world.person({ roles: ["admin", "reviewer", "developer"] })
    const readers = posts.filter(({ label }) => takesKey(label))
    expect(readers.length).toBeGreaterThan(15)
    for (const { guards, label } of readers) {
      const path = label.slice("POST ".length).replace(/\{\w+\}/g, "x")
      const init = { ...jsonBody({}), method: "POST" }
      const auth = guards.has(BearerAuth.key)
        ? { ...bearer(access_token).headers }
        : { cookie: staff.cookie, origin: world.url }
      for (const key of ["", "with blank", "ü", "x".repeat(256)]) {
        const headers = new Headers({ ...init.headers, ...auth } as Record<string, string>)
        headers.set("idempotency-key", key)
        const { json, status } = await world.call(path, { ...init, headers })
        const message = "Idempotency-Key must be 1 to 255 visible ASCII characters"
        expect([label, status, json]).toEqual([label, 400, { statusCode: 400, error: "validation_failed", message }])
      }
    }
  })

  it("about an app of a team names what the role must allow for the stored answer, if this answer has a body [idempotency-7]", () => {
    const actions = byRoute(Api, RepeatAction)
    const ofTeams = posts.filter(
      ({ label }) => takesKey(label) && /\{app_id\}/.test(label) && !label.includes("/admin/")
    )
    expect(ofTeams.flatMap(({ label }) => (actions.has(label) ? [] : [label])).sort()).toEqual([
      "POST /v1/developer/apps/{app_id}/team/invitations/{invitation_id}/accept",
      "POST /v1/developer/apps/{app_id}/team/invitations/{invitation_id}/decline",
      "POST /v1/developer/apps/{app_id}/team/leave"
    ])
  })

  it("says in the document whether it reads the header, and with which errors", async () => {
    const { json } = await world.call("/openapi.json")
    type Operation = {
      readonly parameters: ReadonlyArray<{ readonly name: string }>
      readonly responses: Readonly<Record<string, unknown>>
    }
    const { paths } = json as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { parameters, responses }] of Object.entries(methods)) {
        const label = Routes.label(method.toUpperCase(), path)
        const isDeclared = parameters.some(({ name }) => name === "Idempotency-Key")
        // The exchange of a code reads the key in its own way (`OwnKey`).
        expect([label, isDeclared]).toEqual([label, takesKey(label) || label === "POST /v1/oauth/token"])
        const mentions = [
          JSON.stringify(responses["409"] ?? "").includes("IdempotencyKeyInUseError"),
          JSON.stringify(responses["422"] ?? "").includes("IdempotencyKeyReusedError"),
          JSON.stringify(responses).includes("Idempotent-Replayed")
        ]
        expect([label, ...mentions]).toEqual([label, ...mentions.map(() => takesKey(label))])
      }
    }
  })
})

describe("a request that comes again with its key", () => {
  it("is answered as the first time and makes nothing; the answer says that it is a repetition [idempotency-2]", async () => {
    const person = await world.person()
    const key = freshKey()
    const first = await makePlace(person, key)
    const second = await makePlace(person, key)
    expect([first.status, isReplay(first)]).toEqual([201, false])
    expect([second.status, second.text, isReplay(second)]).toEqual([201, first.text, true])
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"))
    expect(await placesOf(person)).toBe(1)
  })

  it("without a key is another request", async () => {
    const person = await world.person()
    await person.send("POST", "/v1/user/places", HOME)
    await person.send("POST", "/v1/user/places", HOME)
    expect(await placesOf(person)).toBe(2)
  })

  it("with another body or to another address is 422 idempotency_key_reused, and nothing is done [idempotency-2]", async () => {
    const person = await world.person({ roles: ["developer"] })
    const key = freshKey()
    await makePlace(person, key)
    expect(saying(await makePlace(person, key, { ...HOME, label: "Work" }))).toEqual([422, "idempotency_key_reused"])
    const elsewhere = await person.send("POST", "/v1/user/places?x=1", HOME, keyed(key))
    expect(saying(elsewhere)).toEqual([422, "idempotency_key_reused"])
    const app = await person.send("POST", "/v1/developer/apps", { name: "Umbrella" }, keyed(key))
    expect(saying(app)).toEqual([422, "idempotency_key_reused"])
    expect(isReplay(await makePlace(person, key))).toBe(true)
  })

  it("while the first one is not answered yet is 409 idempotency_key_in_use with Retry-After [idempotency-2]", async () => {
    const person = await world.person()
    const [key, userId] = [freshKey(), person.account.id]
    const gate = Effect.runSync(Deferred.make<void>())
    const started = Effect.runSync(Deferred.make<void>())
    const first = world.run(
      Effect.gen(function* () {
        const keyHash = (yield* Vault.Vault).sha256(key)
        const work = Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(gate))
        yield* (yield* IdempotencyStore).once(
          { userId, subject: Idempotency.account(userId), keyHash },
          keyHash,
          () => ({ _tag: "Begin" }),
          Effect.as(work, { sealed: null, value: null })
        )
      })
    )
    await Effect.runPromise(Deferred.await(started))
    const second = await makePlace(person, key)
    expect([...saying(second), second.headers.get("retry-after")]).toEqual([409, "idempotency_key_in_use", "1"])
    // The message says “another”, not “the first”: after a refused request, a later request with the key may be the
    // running one.
    expect(second.json).toMatchObject({ message: expect.stringContaining("Another request with this Idempotency-Key") })
    Effect.runSync(Deferred.succeed(gate, undefined))
    await first
    expect((await makePlace(person, key)).status).toBe(201)
  })

  it("of 20 at the same time one makes something; the others are repetitions, or told to come again", async () => {
    const person = await world.person()
    const key = freshKey()
    const all = await Promise.all(Array.from({ length: 20 }, () => makePlace(person, key)))
    expect(await placesOf(person)).toBe(1)
    for (const one of all) expect([201, 409]).toContain(one.status)
    expect(new Set(all.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1)
  })

  it("a day later is a new request [idempotency-3]", async () => {
    const person = await world.person()
    const key = freshKey()
    await makePlace(person, key)
    world.clock.advance(Timestamp.DAY - 1)
    expect(isReplay(await makePlace(person, key))).toBe(true)
    world.clock.advance(1)
    expect(isReplay(await makePlace(person, key))).toBe(false)
    expect(await placesOf(person)).toBe(2)
  })

  it("after 1,000 requests with a key in a day is 429 until the day is over; without a key it goes on [idempotency-4, limits-9]", async () => {
    const [person, other] = [await world.person(), await world.person()]
    const stretch = { from: "2026-01-01T00:00:00.000Z", until: "2026-01-02T00:00:00.000Z" }
    const erase = (init?: RequestInit) => person.send("POST", "/v1/user/history/erasures", stretch, init)
    const owner = Subject.keyed(Idempotency.account(person.account.id))
    await world.run(Effect.repeatN(takeCall(owner, Rate.KEYED), Rate.KEYED.calls - 2))
    const first = await erase(keyed(freshKey()))
    expect([first.status < 300, first.headers.has("ratelimit-remaining")]).toEqual([true, false])
    const refused = await erase(keyed(freshKey()))
    expect([refused.status, refused.json, refused.headers.get("retry-after")]).toEqual([
      429,
      {
        statusCode: 429,
        error: "rate_limited",
        message:
          "An account or a connection can send 1000 requests with an Idempotency-Key in a day; wait, or send no key"
      },
      "86400"
    ])
    expect((await erase()).status).toBe(first.status)
    expect((await makePlace(other, freshKey())).status).toBe(201)
    world.clock.advance(Timestamp.DAY)
    expect((await erase(keyed(freshKey()))).status).toBe(first.status)
  })

  it("of somebody else with the same key is another request", async () => {
    const [one, other] = [await world.person(), await world.person()]
    const key = freshKey()
    await makePlace(one, key)
    expect(isReplay(await makePlace(other, key, { ...HOME, label: "Theirs" }))).toBe(false)
  })

  it("tells a secret that is shown once a second time, and keeps it sealed meanwhile [idempotency-5]", async () => {
    const developer = await world.person({ roles: ["developer"] })
    const { app } = await world.app(developer)
    const key = freshKey()
    const body = { url: "https://hooks.example.com/in", events: ["rule.fired"] }
    const make = () => developer.send("POST", `/v1/developer/apps/${app.id}/webhooks`, body, keyed(key))
    const [first, second] = [await make(), await make()]
    const { secret } = first.json as { readonly secret: string }
    expect([first.status, second.text, isReplay(second)]).toEqual([201, first.text, true])
    const kept = await world.run(Effect.map(MemoryDatabase, ({ idempotentAnswers }) => [...idempotentAnswers]))
    const [, row] = kept.find(([name]) => name.startsWith(`${developer.account.id} `)) ?? []
    expect(Object.keys(row ?? {}).sort()).toEqual(["createdAt", "fingerprint", "sealed"])
    expect(JSON.stringify(kept)).not.toContain(secret)
    expect(JSON.stringify(kept)).not.toContain(key)
  })

  it("that was refused the first time is looked at anew: refusals are not kept [idempotency-3]", async () => {
    const person = await world.person()
    const key = freshKey()
    expect((await makePlace(person, key, { ...HOME, lat: 99 })).status).toBe(400)
    expect((await makePlace(person, key)).status).toBe(201)
    expect(isReplay(await makePlace(person, key))).toBe(true)
  })

  it("that failed by a fault of ours the first time is tried again [idempotency-3]", async () => {
    const person = await world.person()
    const key = freshKey()
    const { places } = await world.run(MemoryDatabase)
    places.set = () => {
      throw new Error("the disk is full")
    }
    expect(saying(await makePlace(person, key))).toEqual([500, "internal_error"])
    Reflect.deleteProperty(places, "set")
    const second = await makePlace(person, key)
    expect([second.status, isReplay(second)]).toEqual([201, false])
  })

  it("of an app: makes one rule, and the user's access log has both calls with the same words", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    const headers = { ...bearer(access_token).headers, ...keyed(freshKey()).headers } as Record<string, string>
    const json = jsonBody({ type: "enter", place_id: one.placeId })
    const make = () =>
      world.call("/v1/rules/place", { ...json, method: "POST", headers: { ...json.headers, ...headers } })
    const [first, second] = [await make(), await make()]
    expect([first.status, second.text, isReplay(second)]).toEqual([201, first.text, true])
    expect(second.headers.has("ratelimit-remaining")).toBe(true)
    const { rules } = (await one.rules(access_token)).json as { readonly rules: ReadonlyArray<unknown> }
    expect(rules.length).toBe(1)
    const log = await world.run(
      Effect.map(MemoryDatabase, ({ accessLog }) =>
        accessLog.filter(
          ({ endpoint, userId }) => endpoint === "POST /v1/rules/place" && userId === one.person.account.id
        )
      )
    )
    expect(log.map(({ disclosed }) => disclosed)).toEqual(["the name of Home", "the name of Home"])
  })

  it("that has no body is answered as the first time, too", async () => {
    const developer = await world.person({ roles: ["developer"] })
    const { app } = await world.app(developer)
    const key = freshKey()
    const submit = () => developer.send("POST", `/v1/developer/apps/${app.id}/submit`, undefined, keyed(key))
    const [first, second] = [await submit(), await submit()]
    expect([second.status, second.text, isReplay(second)]).toEqual([first.status, first.text, true])
  })
})

describe("a request about an app that comes again with its key", () => {
  const APPS = "/v1/developer/apps"

  /** An app, and a member who has joined its team in the role. */
  const team = async (role: string) => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const member = await world.person()
    const email = member.account.email
    const invited = await owner.send("POST", `${APPS}/${app.id}/team/invitations`, { email, role })
    const { id } = invited.json as { readonly id: string }
    const accept = () =>
      member.send("POST", `${APPS}/${app.id}/team/invitations/${id}/accept`, undefined, keyed(`accept-${id}`))
    expect((await accept()).status).toBe(204)
    const { members } = (await owner.get(`${APPS}/${app.id}/team`)).json as {
      readonly members: ReadonlyArray<{ readonly id: string; readonly email: string }>
    }
    const path = `${APPS}/${app.id}/team/members/${members.find((one) => one.email === email)?.id ?? ""}`
    return { owner, app, member, path, accept }
  }

  const replaceSecret = (person: Person, app: string, key: string) =>
    person.send("POST", `${APPS}/${app}/replace-secret`, undefined, keyed(key))

  it("from a removed member is 404, as without a stored answer; the answer has no secret [idempotency-7, teams-1]", async () => {
    const { app, member, owner, path } = await team("owner")
    const key = freshKey()
    const first = await replaceSecret(member, app.id, key)
    expect([first.status, isReplay(await replaceSecret(member, app.id, key))]).toEqual([200, true])
    expect((await owner.send("DELETE", path)).status).toBe(204)
    const after = await replaceSecret(member, app.id, key)
    expect([...saying(after), isReplay(after)]).toEqual([404, "not_found", false])
    expect(after.text).toBe((await replaceSecret(member, app.id, freshKey())).text)
  })

  it("from a member whose new role does not allow the action is 403; what the role allows is repeated [idempotency-7, teams-1]", async () => {
    const { app, member, owner, path } = await team("owner")
    const key = freshKey()
    const body = { url: "https://hooks.example.com/in", events: ["rule.fired"] }
    const webhook = () => member.send("POST", `${APPS}/${app.id}/webhooks`, body, keyed(`${key}-webhook`))
    const invitation = () =>
      member.send(
        "POST",
        `${APPS}/${app.id}/team/invitations`,
        { email: "d@example.com", role: "viewer" },
        keyed(`${key}-team`)
      )
    expect((await replaceSecret(member, app.id, key)).status).toBe(200)
    expect([(await webhook()).status, (await invitation()).status]).toEqual([201, 201])
    for (const [role, isAllowed] of [
      ["developer", true],
      ["viewer", false]
    ] as const) {
      expect((await owner.send("PATCH", path, { role })).status).toBe(200)
      expect(saying(await replaceSecret(member, app.id, key))).toEqual([403, "forbidden"])
      expect(saying(await invitation())).toEqual([403, "forbidden"])
      const again = await webhook()
      expect([role, again.status, isReplay(again)]).toEqual([role, isAllowed ? 201 : 403, isAllowed])
    }
    expect((await owner.send("PATCH", path, { role: "owner" })).status).toBe(200)
    expect(isReplay(await replaceSecret(member, app.id, key))).toBe(true)
  })

  it("to join or to leave is repeated whatever the role is: the answer is empty [idempotency-7]", async () => {
    const { accept, app, member } = await team("viewer")
    const leave = () => member.send("POST", `${APPS}/${app.id}/team/leave`, undefined, keyed("leave-1"))
    expect((await leave()).status).toBe(204)
    const again = [await leave(), await accept()]
    expect(again.map((answer) => [answer.status, answer.text, isReplay(answer)])).toEqual([
      [204, "", true],
      [204, "", true]
    ])
  })
})
