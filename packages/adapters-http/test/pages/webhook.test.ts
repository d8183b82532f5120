import { EndpointUrl, type WebhookEndpoint } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden } from "../support/visitor.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const URL = "https://hooks.example.com/places"

const enter = (person: Person) => signedIn(world, person.account.email)

/**
 * An address that the service would refuse for a new endpoint: in tests, every host with `private` in its name counts
 * as private.
 */
const GONE = EndpointUrl.EndpointUrl.make("https://private.example.com/")

const stored = (id: string, over: Partial<WebhookEndpoint.WebhookEndpoint>) =>
  world.run(
    Effect.map(MemoryDatabase, ({ endpoints }) => {
      for (const [key, one] of endpoints) if (one.id === id) endpoints.set(key, { ...one, ...over })
    })
  )
const move = (id: string, url: EndpointUrl.EndpointUrl) => stored(id, { url })
const disable = (id: string) => stored(id, { disabledAt: Timestamp.make(world.clock.now()) })

/** A developer on the page of one of their endpoints. */
const there = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const path = `/v1/developer/apps/${app.id}/webhooks`
  const draft = { url: URL, events: ["rule.fired", "places.changed"], description: "production" }
  const { id } = (await person.send("POST", path, draft)).json as { readonly id: string }
  const stored = async () =>
    ((await person.get(path)).json as { readonly webhooks: ReadonlyArray<unknown> }).webhooks[0]
  const webhooks = `/developer/apps/${app.id}/webhooks`
  return {
    id,
    person,
    browser: await enter(person),
    webhooks,
    page: `${webhooks}/${id}`,
    stored,
    before: await stored()
  }
}

const field = (text: string, id: string): string =>
  new RegExp(`<input\\b[^>]*\\sid="${id}"[^>]*>`).exec(text)?.[0] ?? ""

const ticked = (text: string): ReadonlyArray<string> =>
  (text.match(/<input\b[^>]*type="checkbox"[^>]*>/g) ?? [])
    .filter((tag) => /\schecked[\s/>]/.test(tag))
    .map((tag) => /value="([^"]*)"/.exec(tag)?.[1] ?? "")

describe("the page on which a developer changes an endpoint", () => {
  it("the card leads to it; its form has what is stored", async () => {
    const { browser, page, webhooks } = await there()
    expect((await browser.get(webhooks)).text).toContain(`href="${page}"`)
    const { status, text } = await browser.get(page)
    expect(status).toBe(200)
    expect(field(text, "url")).toContain(`value="${URL}"`)
    expect(field(text, "description")).toContain('value="production"')
    expect([...ticked(text)].sort()).toEqual(["places.changed", "rule.fired"])
  })

  it("has the buttons that the documentation promises, and each leads back to this page or shows a secret", async () => {
    const { browser, id, page, webhooks } = await there()
    const own = await browser.get(page)
    for (const action of ["test", "rotate-secret", "replace-secret", "recover", "remove"]) {
      expect(own.text).toContain(`action="${page}/${action}"`)
    }
    const tested = await browser.submit(own, `${page}/test`, { type: "ping" })
    expect([tested.status, tested.text.includes("The test was not delivered.")]).toEqual([200, true])
    expect(tested.text).toContain(`action="${page}/rotate-secret"`)
    expect((await browser.submit(own, `${page}/rotate-secret`)).text).toContain('data-testid="signing-secret"')
    const ended = await browser.submit(await browser.get(page), `${page}/end-previous-secrets`)
    expect([ended.status, ended.headers.get("location")]).toEqual([303, `${page}?done=secrets-ended`])
    expect((await browser.get(`${page}?done=secrets-ended`)).text).toContain('role="status"')
    await disable(id)
    const enabled = await browser.submit(await browser.get(page), `${page}/enable`)
    expect([enabled.status, enabled.headers.get("location")]).toEqual([303, `${page}?done=endpoint-changed`])
    const onTab = await browser.submit(await browser.get(webhooks), `${page}/test`)
    expect([onTab.status, onTab.text.includes('<h2 id="new">')]).toEqual([200, true])
    const removed = await browser.submit(await browser.get(page), `${page}/remove`)
    expect(removed.headers.get("location")).toBe(`${webhooks}?done=endpoint-removed`)
  })

  it("saves address, events and description at once, and goes back to the list with 303", async () => {
    const { before, browser, page, stored, webhooks } = await there()
    const fields = { url: ` ${URL}/2 `, events: ["sensitive.expiring"], description: "" }
    const answer = await browser.submit(await browser.get(page), page, fields)
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${webhooks}?done=endpoint-changed`])
    expect(await stored()).toEqual({
      ...(before as object),
      url: `${URL}/2`,
      events: ["sensitive.expiring"],
      description: null
    })
    expect((await browser.get(`${webhooks}?done=endpoint-changed`)).text).toContain("The endpoint was changed.")
  })

  it("none ticked: every event, those of later versions included", async () => {
    const { before, browser, page, stored } = await there()
    await browser.submit(await browser.get(page), page, { url: URL, description: "production" })
    expect(await stored()).toEqual({ ...(before as object), events: [] })
    expect(ticked((await browser.get(page)).text)).toEqual([])
  })

  it.each([
    ["an address that is not https", { url: "http://x.example.com/" }, "url", "Address must begin with https://"],
    ["a private name", { url: "https://private.example.com/" }, "url", "Address must resolve to public addresses only"],
    ["an unknown event", { events: ["nope"] }, "events", "Events"],
    [
      "a long description",
      { description: "x".repeat(201) },
      "description",
      "Description must be at most 200 characters"
    ]
  ])(
    "400 for %s: listed and beside the field, what was typed is kept, nothing is stored",
    async (_, wrong, name, words) => {
      const { before, browser, page, stored } = await there()
      const fields = { url: `${URL}/typed`, events: ["sensitive.expiring"], description: "typed", ...wrong }
      const { status, text } = await browser.submit(await browser.get(page), page, fields)
      expect(status).toBe(400)
      expect(text.replace(/\s+/g, " ")).toMatch(new RegExp(`<a href="#${name}">${words}`))
      expect(text).toContain(`id="${name}-fault"`)
      expect(field(text, "url")).toContain(`value="${fields.url}"`)
      expect(field(text, "description")).toContain(`value="${fields.description}"`)
      expect(ticked(text)).toEqual(fields.events.filter((event) => event !== "nope"))
      expect(await stored()).toEqual(before)
    }
  )

  it("several mistakes are listed at once, the address with the others, when one is changed and when one is added", async () => {
    const { browser, page, webhooks } = await there()
    const fields = { url: "http://x.example.com/", events: ["nope"], description: "x".repeat(201) }
    for (const [at, action] of [
      [page, page],
      [webhooks, webhooks]
    ] as const) {
      const { status, text } = await browser.submit(await browser.get(at), action, fields)
      expect([status, text.match(/<a href="#(?:url|events|description)">/g)]).toEqual([
        400,
        ['<a href="#url">', '<a href="#events">', '<a href="#description">']
      ])
    }
  })

  it("a wrong header is listed together with the address, when an endpoint is changed and when one is added", async () => {
    const { browser, page, webhooks } = await there()
    const fields = { url: "http://x.example.com/", header_name: "bad name", header_value: "x" }
    for (const at of [page, webhooks]) {
      const { status, text } = await browser.submit(await browser.get(at), at, fields)
      expect([status, text.match(/<a href="#(?:url|header_name)">/g)]).toEqual([
        400,
        ['<a href="#url">', '<a href="#header_name">']
      ])
    }
  })

  it("another origin: the page asks for the headers again, says why, and keeps what was typed [endpoints-11]", async () => {
    const { browser, id, page, person, stored } = await there()
    const headers = [
      { name: "authorization", value: "Bearer canary-7a1e" },
      { name: "x-key", value: "canary-7a1e" }
    ]
    await person.send("PATCH", `/v1${page}`, { headers })
    const before = await stored()
    const form = await browser.get(page)
    expect(form.text).toContain("When the address moves to another server")
    const typed = { url: "https://other.example.com/", events: ["places.changed"], description: "moved" }
    for (const part of [{}, { remove_header: "x-key" }, { header_name: "x-key", header_value: "new" }]) {
      const { status, text } = await browser.submit(form, page, { ...typed, ...part })
      expect(status).toBe(400)
      expect(text.replace(/\s+/g, " ")).toMatch(/<a href="#headers">Own headers must all be set again or removed/)
      expect(field(text, "url")).toContain(`value="${typed.url}"`)
      expect(field(text, "description")).toContain('value="moved"')
      expect(ticked(text)).toEqual([...typed.events, ...("remove_header" in part ? ["x-key"] : [])])
      expect(await stored()).toEqual(before)
    }
    const german = await browser.post(page, { ...hidden(form, page), ...typed }, { "accept-language": "de" })
    expect(german.text).toContain("müssen alle neu gesetzt oder entfernt werden")
    const change = { ...typed, remove_header: "x-key", header_name: "authorization", header_value: "Bearer new" }
    expect((await browser.submit(form, page, change)).status).toBe(303)
    expect(await stored()).toMatchObject({ id, url: typed.url, header_names: ["authorization"] })
  })

  it("an address that stays is not looked up again: its owner can change the rest while the name is away", async () => {
    const { before, browser, id, page, stored } = await there()
    await move(id, GONE)
    const fields = { url: GONE, events: ["rule.fired", "places.changed"], description: "moving" }
    expect((await browser.submit(await browser.get(page), page, fields)).status).toBe(303)
    expect(await stored()).toEqual({ ...(before as object), url: GONE, description: "moving" })
  })

  it("somebody else's, a removed and an unknown one do not exist: 404, and nothing is changed", async () => {
    const { before, browser, page, person, stored, webhooks } = await there()
    const other = await there()
    const fields = { url: `${URL}/mine`, description: "mine" }
    const token = /name="form_token"\s+value="([^"]+)"/.exec((await other.browser.get(other.page)).text)?.[1] ?? ""
    // The three paths: the endpoint under the owner's app, the same endpoint under the visitor's own app, and an
    // unknown endpoint.
    for (const path of [page, `${other.webhooks}/${page.split("/").at(-1)}`, `${other.webhooks}/ep_unknown`]) {
      expect((await other.browser.get(path)).status).toBe(404)
      expect((await other.browser.post(path, { ...fields, form_token: token })).status).toBe(404)
    }
    expect(await stored()).toEqual(before)
    const form = await browser.get(page)
    await person.send("DELETE", `/v1${page}`)
    expect((await browser.submit(form, page, fields)).status).toBe(404)
    expect((await browser.get(page)).status).toBe(404)
    expect((await browser.get(webhooks)).text).toContain("No endpoint yet")
  })

  it("without the form's token, or with one of somebody else: 403, and nothing is changed", async () => {
    const { before, browser, page, stored } = await there()
    const other = await there()
    const foreign = /name="form_token"\s+value="([^"]+)"/.exec((await other.browser.get(other.page)).text)?.[1] ?? ""
    for (const fields of [{}, { form_token: "" }, { form_token: foreign }]) {
      expect((await browser.post(page, { url: `${URL}/forged`, ...fields })).status).toBe(403)
    }
    expect(await stored()).toEqual(before)
  })
})
