import { recordAccess } from "@place-access/domain/access-log"
import { listConnections } from "@place-access/domain/connection"
import { AccountDeletion, removeDeleted } from "@place-access/domain/deletions"
import { everything } from "@place-access/domain/leases"
import { MailOutbox } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
import { claimMail, MemoryDatabase } from "@place-access/domain/testing"
import { Effect, Struct } from "effect"
import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, consentAction } from "../support/browsing.js"
import { connected, saying } from "../support/connected.js"
import { jsonBody } from "../support/wire.js"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const remove = (person: Person, password = PASSWORD) => person.send("DELETE", "/v1/user/account", { password })

const enter = (email: string) =>
  world.call("/v1/session", { method: "POST", ...jsonBody({ email, password: PASSWORD }) })

/**
 * The contents of all tables as text, without the counts of calls (`rateWindows`). These counts contain ids of
 * connections and accounts and remain after the deletion of an account. A sweep deletes them later: an hour after the
 * end of a window, which lasts a day at most.
 */
const wholeService = () =>
  world.run(
    Effect.map(MemoryDatabase, (tables) =>
      inspect(Struct.omit(tables, "rateWindows"), { depth: null, maxArrayLength: null, maxStringLength: null })
    )
  )

/**
 * Runs the removal three times: at once, after ten minutes, and a day after that. The later runs remove rows that were
 * written while the account was being deleted.
 */
const removeAll = async () => {
  for (const wait of [0, 10 * Timestamp.MINUTE, Timestamp.DAY]) {
    world.clock.advance(wait)
    await world.run(removeDeleted(everything.people))
  }
}

const RULES = "location.rules.place"

/** A person with a phone, a place, a rule, and a connected app of another developer. */
const life = async () => {
  const person = await world.person()
  const developer = await world.person()
  const { app, clientSecret } = await world.app(developer, { status: "production" })
  const made = await person.send("POST", "/v1/user/places", {
    label: "My secret garden",
    kind: "home",
    lat: 52.37,
    lon: 4.89
  })
  const { id: placeId } = made.json as { readonly id: string }
  const tokens = await world.connect(person, app, { scopes: [RULES], places: [placeId] })
  const rule = await world.call("/v1/rules/place", {
    method: "POST",
    headers: { ...bearer(tokens.accessToken).headers, "content-type": "application/json" },
    body: JSON.stringify({ type: "enter", place_id: placeId })
  })
  expect(rule.status).toBe(201)
  const added = await person.send("POST", "/v1/user/devices", { name: "My phone", format: "json" })
  const { token } = added.json as { readonly token: string }
  const upload = () =>
    world.call("/v1/phone/locations", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        locations: [{ captured_at: new Date(world.clock.now()).toISOString(), lat: 52.37, lon: 4.89 }]
      })
    })
  expect((await upload()).status).toBe(200)
  const client = { clientId: app.id, clientSecret }
  const refresh = () =>
    world.call("/v1/oauth/token", {
      method: "POST",
      ...jsonBody({ grantType: "refresh_token", ...client, refreshToken: tokens.refreshToken })
    })
  return { app, developer, person, refresh, tokens, upload }
}

describe("DELETE /v1/user/account", () => {
  it("at once: sessions, tokens and phones are dead, the cookie is taken away, and the address is free [deletions-2]", async () => {
    const { person, refresh, tokens, upload } = await life()
    const { email } = person.account
    const second = await enter(email)
    const answer = await remove(person)
    expect([answer.status, answer.text]).toEqual([204, ""])
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^session=; Max-Age=0;/)])
    expect((await person.get("/v1/session")).status).toBe(401)
    const cookie = second.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    expect((await world.call("/v1/session", { headers: { cookie } })).status).toBe(401)
    expect(saying(await world.call("/v1/me", bearer(tokens.accessToken)))).toEqual([401, "invalid_token"])
    expect(saying(await refresh())).toEqual([400, "invalid_grant"])
    expect(saying(await upload())).toEqual([401, "invalid_token"])
    expect(saying(await enter(email))).toEqual([401, "not_signed_in"])
    const repeated = await world.call("/v1/accounts", { method: "POST", ...jsonBody({ email, password: PASSWORD }) })
    expect(repeated.status).toBe(201)
    expect((repeated.json as { readonly id: string }).id).not.toBe(person.account.id)
    await removeAll()
    expect((await enter(email)).status).toBe(201)
  })

  it("then: nothing that is stored names the person, and tokens stay as dead as they were [deletions-3]", async () => {
    const { person, refresh, tokens } = await life()
    const { email, id } = person.account
    const [connection] = await world.run(listConnections(id))
    if (connection === undefined) throw new Error("no connection")
    await world.run(
      recordAccess({
        owner: { userId: id, appId: connection.app.id, connectionId: connection.id },
        endpoint: "GET /v1/me",
        purpose: null,
        status: 200,
        error: null,
        disclosed: null
      })
    )
    const before = await wholeService()
    expect([id, email, "My secret garden", connection.id].map((word) => before.includes(word))).toEqual([
      true,
      true,
      true,
      true
    ])
    expect((await remove(person)).status).toBe(204)
    await removeAll()
    const after = await wholeService()
    expect([id, email, "My secret garden", connection.id].map((word) => after.includes(word))).toEqual([
      false,
      false,
      false,
      false
    ])
    expect(saying(await world.call("/v1/me", bearer(tokens.accessToken)))).toEqual([401, "invalid_token"])
    expect(saying(await refresh())).toEqual([400, "invalid_grant"])
  })

  it("what the developer sees of others is as it was; of the one who left, nothing is left", async () => {
    const { app, developer, person } = await life()
    const other = await world.person()
    await world.connect(other, app, { scopes: [RULES] })
    await remove(person)
    await removeAll()
    const users = await developer.get(`/v1/developer/apps/${app.id}/users`)
    expect((users.json as { readonly users: ReadonlyArray<unknown> }).users).toHaveLength(1)
  })

  it("one e-mail goes to the address that the account had, and then the address is forgotten [deletions-6]", async () => {
    const { person } = await life()
    const { email, id } = person.account
    await remove(person)
    const to = () =>
      world.run(
        Effect.map(MemoryDatabase, ({ mail }) =>
          [...mail.values()].filter((one) => one.dedupeKey.endsWith(id)).map(({ address }) => address)
        )
      )
    expect(await to()).toEqual([email])
    await world.run(
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const now = yield* Timestamp.now
        for (const claimed of yield* claimMail(1_000, now, now))
          yield* outbox.finish(claimed, { _tag: "Sent", at: now })
      })
    )
    expect(await to()).toEqual([undefined])
  })

  it("a wrong password is 403 and deletes nothing; five are 429 with Retry-After, for the right one too [deletions-1]", async () => {
    const person = await world.person()
    for (let count = 0; count < 5; count++) {
      expect(saying(await remove(person, "wrong horse battery"))).toEqual([403, "forbidden"])
    }
    const answer = await remove(person)
    expect(saying(answer)).toEqual([429, "rate_limited"])
    expect(answer.headers.get("retry-after")).toBe("900")
    expect(saying(await enter(person.account.email))).toEqual([429, "rate_limited"])
    expect((await person.get("/v1/session")).status).toBe(200)
    expect(world.log.join("\n")).not.toContain("wrong horse battery")
    world.clock.advance(15 * Timestamp.MINUTE)
    expect((await remove(person)).status).toBe(204)
  })

  it("without a password 400, naming the field", async () => {
    const person = await world.person()
    const answer = await person.send("DELETE", "/v1/user/account", {})
    expect(answer).toMatchObject({ status: 400, json: { error: "validation_failed", message: "password is missing" } })
  })

  it("the last admin is refused with 409, and can go once there is another [deletions-5]", async () => {
    const alone = await startWorld()
    const [admin, reviewer] = [await alone.person({ roles: ["admin"] }), await alone.person({ roles: ["reviewer"] })]
    const body = { password: PASSWORD }
    const refused = await admin.send("DELETE", "/v1/user/account", body)
    expect(refused).toMatchObject({ status: 409, json: { error: "conflict", message: AccountDeletion.LAST_ADMIN } })
    expect((await admin.get("/v1/session")).status).toBe(200)
    const { text } = await admin.get("/portal/settings/delete-account")
    expect(text).toMatch(/give somebody else\s+the role under <a href="\/admin\/accounts">/)
    expect((await reviewer.send("DELETE", "/v1/user/account", body)).status).toBe(204)
    const other = await alone.person({ roles: ["admin"] })
    expect((await admin.send("DELETE", "/v1/user/account", body)).status).toBe(204)
    expect((await other.send("DELETE", "/v1/user/account", body)).status).toBe(409)
    await alone.close()
  })

  it("a developer's apps end: their secrets are worth nothing, a production app stays readable, a sandbox app is gone [deletions-4]", async () => {
    const { app, developer, person, refresh, tokens } = await life()
    const sandbox = await connected(world)
    expect((await remove(developer)).status).toBe(204)
    expect((await remove(sandbox.person)).status).toBe(204)
    expect(saying(await world.call("/v1/me", bearer(tokens.accessToken)))).toEqual([401, "invalid_token"])
    expect(saying(await refresh())).toEqual([401, "invalid_client"])
    await removeAll()
    const [connection] = await world.run(listConnections(person.account.id))
    expect(connection?.app.name).toBe(app.name)
    const kept = await world.run(Effect.map(MemoryDatabase, ({ apps }) => apps.get(app.id)))
    expect(kept).toMatchObject({ app: { ownerId: AccountDeletion.NOBODY.id, redirectUris: [] }, secrets: [] })
    const text = await wholeService()
    expect([text.includes(sandbox.app.id), text.includes(app.id)]).toEqual([false, true])
    expect([text.includes(developer.account.id), text.includes(developer.account.email)]).toEqual([false, false])
  })

  it("the users of a developer who left read that the app was closed, and not that an admin did it [deletions-4]", async () => {
    const { app, developer, person } = await life()
    const requested = consentAction((await person.get(authorizePath(app))).text)
    await remove(developer)
    for (const [language, reason, refusal] of [
      ["en", "the app was closed permanently", "It was closed permanently."],
      ["de", "die App wurde dauerhaft geschlossen", "Sie wurde dauerhaft geschlossen."]
    ] as const) {
      const headers = { accept: "text/html", "accept-language": language }
      const list = (await person.get("/portal/connections", { headers })).text
      expect([list.includes(reason), /an admin|ein Admin/i.test(list)]).toEqual([true, false])
      expect((await person.get(requested, { headers })).text).toContain(`<p>${refusal}</p>`)
    }
  })

  it("nobody can be what stands for deleted accounts: no sign-in, and who signs up with its address is somebody else", async () => {
    await remove(await world.person())
    const { email, id } = AccountDeletion.NOBODY
    for (const password of ["", PASSWORD]) {
      const answer = await world.call("/v1/session", { method: "POST", ...jsonBody({ email, password }) })
      expect(saying(answer)).toEqual([401, "not_signed_in"])
    }
    const { json, status } = await world.call("/v1/accounts", {
      method: "POST",
      ...jsonBody({ email, password: PASSWORD })
    })
    expect(status).toBe(201)
    expect((json as { readonly id: string }).id).not.toBe(id)
  })
})
