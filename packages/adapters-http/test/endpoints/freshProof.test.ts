import { AuditLog } from "@place-access/domain/audit"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden } from "../support/visitor.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const QUARTER = 15 * Timestamp.MINUTE
const URL = "https://hooks.example.com/places"
const THIEF = "https://thief.example.com/places"
const REQUIRED = { statusCode: 403, error: "confirmation_required" }
const CALLBACK = ["https://coffee.example/callback"]

/** A developer with an app that has a client secret and an endpoint. */
const stage = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const api = `/v1/developer/apps/${app.id}`
  const page = `/developer/apps/${app.id}`
  const registration = `/v1/oauth/clients/${app.id}`
  expect((await person.send("POST", registration, { redirectUris: CALLBACK })).status).toBe(201)
  const made = await person.send("POST", `${api}/webhooks`, { url: URL, events: [], description: "production" })
  const { id } = made.json as { readonly id: string }
  const endpoint = async () => {
    const { webhooks } = (await person.get(`${api}/webhooks`)).json as {
      readonly webhooks: ReadonlyArray<{ readonly id: string; readonly url: string; readonly description: string }>
    }
    return { count: webhooks.length, ...webhooks.find((one) => one.id === id) }
  }
  return {
    person,
    api,
    page,
    registration,
    hook: `${api}/webhooks/${id}`,
    hookPage: `${page}/webhooks/${id}`,
    endpoint
  }
}

/** The kinds of the audit events about webhook endpoints that the account caused, oldest first. */
const endpointEvents = ({ account }: Person) =>
  world.run(
    Effect.map(
      Effect.flatMap(AuditLog, (log) => log.list({ userId: account.id }, 100, undefined)),
      ({ items }) =>
        items
          .map(({ detail }) => detail)
          .filter(({ kind }) => kind.startsWith("endpoint_"))
          .toReversed()
    )
  )

describe("what leads events or secrets of an app to somebody else needs a fresh proof [accounts-18, endpoints-12]", () => {
  it("the API: 403 at 15 minutes and not a millisecond before, and nothing is changed", async () => {
    const { api, endpoint, hook, person, registration } = await stage()
    const calls = {
      add: () => person.send("POST", `${api}/webhooks`, { url: `${URL}/2` }),
      move: (url = `${URL}/${world.clock.now()}`) => person.send("PATCH", hook, { url }),
      rotate: () => person.send("POST", `${hook}/rotate-secret`),
      replace: () => person.send("POST", `${hook}/replace-secret`),
      register: () => person.send("POST", registration, { redirectUris: CALLBACK }),
      replaceClient: () => person.send("POST", `${api}/replace-secret`)
    }
    world.clock.advance(QUARTER - 1)
    for (const [name, call] of Object.entries(calls)) expect([name, (await call()).status < 300]).toEqual([name, true])
    world.clock.advance(1)
    const before = await endpoint()
    const secrets = (await person.get(`${api}/secrets`)).json
    for (const [name, call] of Object.entries(calls)) {
      const { json, status } = await call()
      expect([name, status, json]).toMatchObject([name, 403, REQUIRED])
    }
    expect([await endpoint(), (await person.get(`${api}/secrets`)).json]).toEqual([before, secrets])
    expect((await person.send("POST", "/v1/session/confirmation", { password: PASSWORD })).status).toBe(204)
    for (const [name, call] of Object.entries(calls)) expect([name, (await call()).status < 300]).toEqual([name, true])
  })

  it("the API: what only ends or reads works without it, and so does a change that keeps the address", async () => {
    const { api, endpoint, hook, person } = await stage()
    world.clock.advance(QUARTER)
    const kept = await person.send("PATCH", hook, { url: URL, description: "of the old tab", enabled: true })
    expect([kept.status, kept.json]).toMatchObject([200, { url: URL, description: "of the old tab" }])
    expect((await person.send("PATCH", hook, { description: "again" })).status).toBe(200)
    expect(await endpoint()).toMatchObject({ url: URL, description: "again" })
    expect((await person.send("PATCH", `${api}/webhooks/ep_none`, { url: THIEF })).status).toBe(404)
    expect((await person.send("DELETE", `${hook}/previous-secrets`)).status).toBe(204)
    expect((await person.send("DELETE", `${api}/previous-secrets`)).status).toBe(204)
    expect((await person.send("POST", `${hook}/test`)).status).toBe(200)
    expect((await person.send("DELETE", hook)).status).toBe(204)
  })

  it("the pages: the form leads to the confirmation and back to its page, and nothing is changed", async () => {
    const { endpoint, hookPage, page, person } = await stage()
    const browser = await signedIn(world, person.account.email)
    const forms = [
      { at: page, to: `${page}/redirect-uris`, fields: { redirect_uris: "https://thief.example/callback" } },
      { at: page, to: `${page}/secrets/replace`, fields: {} },
      { at: `${page}/webhooks`, to: `${page}/webhooks`, fields: { url: THIEF } },
      { at: hookPage, to: hookPage, fields: { url: THIEF } },
      { at: hookPage, to: `${hookPage}/rotate-secret`, fields: {} },
      { at: hookPage, to: `${hookPage}/replace-secret`, fields: {} }
    ]
    const before = [await endpoint(), (await browser.get(page)).text.match(/Issued/g)?.length]
    world.clock.advance(QUARTER)
    for (const { at, fields, to } of forms) {
      const posted = { ...hidden(await browser.get(at), to), ...fields }
      const answer = await browser.post(to, posted, { referer: `${world.url}${at}` })
      const back = encodeURIComponent(`${at}?done=choose-again`)
      expect([to, answer.status, answer.headers.get("location")]).toEqual([to, 303, `/confirm?return_to=${back}`])
    }
    expect([await endpoint(), (await browser.get(page)).text.match(/Issued/g)?.length]).toEqual(before)
  })

  it("the pages: a change that keeps the address, and what only ends, work without it", async () => {
    const { endpoint, hookPage, page, person } = await stage()
    const browser = await signedIn(world, person.account.email)
    await person.send("POST", `/v1/developer${hookPage.slice("/developer".length)}/rotate-secret`)
    await person.send("POST", `/v1/oauth/clients/${page.split("/").at(-1)}`, { redirectUris: CALLBACK })
    world.clock.advance(QUARTER)
    const form = { url: URL, description: "of the old tab" }
    const changed = await browser.submit(await browser.get(hookPage), hookPage, form)
    expect(changed.headers.get("location")).toBe(`${page}/webhooks?done=endpoint-changed`)
    expect(await endpoint()).toMatchObject(form)
    for (const [at, to, done] of [
      [hookPage, `${hookPage}/end-previous-secrets`, "secrets-ended"],
      [page, `${page}/secrets/end-previous`, "client-secrets-ended"],
      [hookPage, `${hookPage}/remove`, "endpoint-removed"]
    ] as const) {
      const answer = await browser.submit(await browser.get(at), to)
      expect([to, answer.headers.get("location")]).toEqual([to, expect.stringContaining(`done=${done}`)])
    }
  })
})

describe("the audit log says who led an app's events to an address [audit-1, endpoints-12]", () => {
  it("a new endpoint and a changed address have an event each; other changes and refused ones have none", async () => {
    const { api, hook, person } = await stage()
    const [appId, endpointId] = [api.split("/").at(-1), hook.split("/").at(-1)]
    const added = { kind: "endpoint_added", appId, endpointId }
    expect(await endpointEvents(person)).toEqual([added])
    await person.send("PATCH", hook, { url: URL, description: "the same address" })
    expect((await person.send("PATCH", hook, { url: "https://private.example.com/" })).status).toBe(400)
    expect((await person.send("POST", `${api}/webhooks`, { url: "https://private.example.com/" })).status).toBe(400)
    expect(await endpointEvents(person)).toEqual([added])
    expect((await person.send("PATCH", hook, { url: `${URL}/moved` })).status).toBe(200)
    expect(await endpointEvents(person)).toEqual([added, { kind: "endpoint_moved", appId, endpointId }])
  })

  it("admins read the events on the page, in both languages", async () => {
    const { hook, page, person } = await stage()
    await person.send("PATCH", hook, { url: `${URL}/moved` })
    const admin = await world.person({ roles: ["admin"] })
    const read = (language: string) =>
      admin.get(`/admin/audit-log?account=${person.account.id}`, {
        headers: { accept: "text/html", "accept-language": language }
      })
    const app = page.split("/").at(-1)
    const [english, german] = [(await read("en")).text, (await read("de")).text]
    for (const said of [
      `Added a webhook endpoint to the app`,
      `Changed the address of a webhook endpoint of the app`
    ]) {
      expect(english).toMatch(new RegExp(`${said} <a href="/admin/apps/${app}"`))
    }
    for (const said of ["einen Webhook-Endpunkt hinzugefügt", "die Adresse eines Webhook-Endpunkts der App"]) {
      expect(german).toContain(said)
    }
  })
})
