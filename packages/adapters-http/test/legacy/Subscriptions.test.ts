import { disconnect } from "@place-access/domain/connection"
import { importRules } from "@place-access/domain/legacy"
import { fanOutAll, MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { type Connected, connected, saying } from "../support/connected.js"
import { bearer, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

const HOOK = "https://hooks.example.com/old"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Made {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly created_at: string
}

const subscribe = (token: string, body: unknown = { url: HOOK }) =>
  world.call("/v1/subscriptions", {
    method: "POST",
    ...jsonBody(body),
    headers: { ...jsonBody(body).headers, ...bearer(token).headers }
  })
const remove = (token: string, id: string) =>
  world.call(`/v1/subscriptions/${id}`, { method: "DELETE", ...bearer(token) })

let ends: Connected
let token: string
beforeEach(async () => {
  ends = await connected(world)
  token = (await ends.connect(["location.rules.place", "location.rules.zone"])).access_token
})

describe("POST /v1/subscriptions", () => {
  it("201 with the secret, this once; at rest it is sealed [§4.8-create, legacy-1]", async () => {
    const answer = await subscribe(token)
    expect(answer.status).toBe(201)
    const made = answer.json as Made
    expect(Object.keys(made).sort()).toEqual(["created_at", "id", "secret", "url"])
    expect(made.url).toBe(HOOK)
    expect(made.secret).toMatch(/^whsec_[0-9a-z]{52}$/)
    const { subscriptions } = await world.run(MemoryDatabase)
    const stored = [...subscriptions.values()].find(({ id }) => id === made.id)
    expect(stored?.connectionId).toBe((await ends.connection()).id)
    expect(JSON.stringify(stored)).not.toContain(made.secret)
  })

  it.each([
    ["nothing", {}, "url is missing"],
    ["no string", { url: 7 }, "url must be a string"],
    ["no https", { url: "http://hooks.example.com" }, "url must begin with https://"],
    ["a private name", { url: "https://private.example.com" }, "url must resolve to public addresses only"]
  ])("400 as for endpoints: %s [§4.8-create]", async (_, body, message) => {
    const answer = await subscribe(token, body)
    expect(saying(answer)).toEqual([400, "validation_failed"])
    expect(JSON.stringify(answer.json)).toContain(message)
  })

  it("409 for the sixth of a connection; removing one makes room [§4.8-create]", async () => {
    const made: Array<Made> = []
    for (let count = 0; count < 5; count++) made.push((await subscribe(token)).json as Made)
    expect(saying(await subscribe(token))).toEqual([409, "conflict"])
    expect((await remove(token, made[0]?.id ?? "")).status).toBe(204)
    expect((await subscribe(token)).status).toBe(201)
  })

  it("403 with a sensitive scope alone, 401 once the connection has ended [legacy-1]", async () => {
    const other = await connected(world)
    const raw = (await other.connect(["location.lookup"])).access_token
    expect(saying(await subscribe(raw))).toEqual([403, "missing_scope"])
    await world.run(disconnect(ends.person.account.id, (await ends.connection()).id))
    expect(saying(await subscribe(token))).toEqual([401, "invalid_token"])
  })
})

it("without an endpoint, the developer's pages do not say that nothing is sent: subscriptions are in no log [legacy-4]", async () => {
  await subscribe(token)
  const browser = await signedIn(world, ends.person.account.email)
  const path = `/developer/apps/${ends.app.id}`
  const empty = async (tab: string, language: string) => {
    const { text } = await browser.get(`${path}/${tab}`, { "accept-language": language })
    return /<p class="empty">([^<]*)</.exec(text)?.[1]?.trim()
  }
  expect(await empty("webhooks", "en")).toBe(
    "No endpoint yet. Events go to subscriptions and to imported rules with their own address, if your app has any."
  )
  expect(await empty("deliveries", "en")).toBe(
    "Nothing was sent to an endpoint yet. The log leaves out subscriptions and imported rules."
  )
  for (const tab of ["webhooks", "deliveries"]) {
    const german = await empty(tab, "de")
    expect(german).toMatch(/Abonnements und (?:an )?importierte Regeln/)
  }
})

describe("the user sees and removes the addresses [legacy-7]", () => {
  it("the page of the connection lists host and time, and its button ends a subscription that a thief made", async () => {
    const { id } = (await subscribe(token, { url: "https://hooks.thief.example/in?key=canary-3c1f" })).json as Made
    const kept = (await subscribe(token)).json as Made
    const connection = (await ends.connection()).id
    const browser = await signedIn(world, ends.person.account.email)
    const page = `/portal/connections/${connection}`
    const shown = await browser.get(page)
    expect(shown.text).toContain("<code>hooks.thief.example</code>")
    expect(shown.text).toContain("<code>hooks.example.com</code>")
    expect(shown.text).not.toContain("canary-3c1f")
    expect((await browser.get(page, { "accept-language": "de" })).text).toContain("Diese Adresse entfernen")
    const button = `${page}/subscriptions/${id}/remove`
    expect((await browser.post(button, {})).status).toBe(403)
    const removed = await browser.submit(shown, button)
    expect([removed.status, removed.headers.get("location")]).toEqual([303, `${page}?done=subscription-removed`])
    const after = await browser.get(`${page}?done=subscription-removed`)
    expect(after.text).toContain("The address was removed.")
    expect(after.text).not.toContain("hooks.thief.example")
    expect(after.text).toContain("<code>hooks.example.com</code>")
    expect((await browser.submit(shown, button)).status).toBe(303)
    expect(saying(await remove(token, id))).toEqual([404, "not_found"])
    expect((await remove(token, kept.id)).status).toBe(204)
    expect((await browser.get(page)).text).not.toContain('id="addresses"')
  })

  it("a stranger's button removes nothing", async () => {
    const { id } = (await subscribe(token)).json as Made
    const connection = (await ends.connection()).id
    const other = await connected(world)
    await other.connect(["location.rules.place"])
    const browser = await signedIn(world, other.person.account.email)
    const own = `/portal/connections/${(await other.connection()).id}`
    const formToken = /name="form_token"\s+value="([^"]+)"/.exec((await browser.get(own)).text)?.[1] ?? ""
    const foreign = `/portal/connections/${connection}/subscriptions/${id}/remove`
    expect((await browser.post(foreign, { form_token: formToken })).status).toBe(404)
    expect((await browser.post(`${own}/subscriptions/${id}/remove`, { form_token: formToken })).status).toBe(303)
    expect((await remove(token, id)).status).toBe(204)
  })

  it("the API lists them too, and the access log names the host, in German as well", async () => {
    const { created_at, id } = (await subscribe(token, { url: "https://hooks.example.com:8443/in?key=1" })).json as Made
    const { person } = ends
    const path = `/v1/user/connections/${(await ends.connection()).id}`
    expect(((await person.get(path)).json as { readonly subscriptions: unknown }).subscriptions).toEqual([
      { id, host: "hooks.example.com:8443", created_at }
    ])
    expect((await person.get("/v1/user/access-log")).text).toContain(
      '"nothing yet; it named an address for notifications on hooks.example.com:8443"'
    )
    const browser = await signedIn(world, person.account.email)
    expect((await browser.get("/portal/access-log", { "accept-language": "de" })).text).toContain(
      "eine Adresse für Benachrichtigungen auf hooks.example.com:8443 genannt"
    )
  })
})

describe("DELETE /v1/subscriptions/{id}", () => {
  it("204, and 404 the second time [§4.8-delete]", async () => {
    const { id } = (await subscribe(token)).json as Made
    const first = await remove(token, id)
    expect([first.status, first.text]).toEqual([204, ""])
    expect(saying(await remove(token, id))).toEqual([404, "not_found"])
  })

  it("404 for another connection's, which stays [§4.8-delete]", async () => {
    const { id } = (await subscribe(token)).json as Made
    const other = await connected(world)
    const stranger = (await other.connect(["location.rules.place"])).access_token
    expect(saying(await remove(stranger, id))).toEqual([404, "not_found"])
    expect((await remove(token, id)).status).toBe(204)
  })

  it("404 for what cannot be an id", async () => {
    expect(saying(await remove(token, "%20"))).toEqual([404, "not_found"])
  })
})

describe("deprecated", () => {
  it("every answer of both routes says since when, and where to read on (RFC 9745); no other answer does [§9.3, legacy-6]", async () => {
    const made = await subscribe(token)
    const answers = [
      made,
      await subscribe(token, {}),
      await subscribe("nobody's"),
      await remove(token, (made.json as Made).id),
      await remove(token, "sbs_none")
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 401, 204, 404])
    for (const { headers } of answers) {
      expect(headers.get("deprecation")).toBe(`@${Date.UTC(2026, 10, 20) / 1_000}`)
      expect(headers.get("link")).toBe(`<${world.url}/openapi.json>; rel="deprecation"; type="application/json"`)
    }
    const { headers } = await ends.me(token)
    expect([headers.get("deprecation"), headers.get("link")]).toEqual([null, null])
  })

  it("the document marks them, and says what to do instead [§9.3, legacy-6]", async () => {
    const document = (await world.call("/openapi.json")).json as {
      readonly paths: Record<string, Record<string, { readonly deprecated?: boolean; readonly description: string }>>
    }
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { deprecated }]) => (deprecated === true ? [`${method} ${path}`] : []))
    )
    expect(operations).toEqual(["post /v1/subscriptions", "delete /v1/subscriptions/{id}"])
    expect(document.paths["/v1/subscriptions"]?.["post"]?.description).toContain("Register a webhook endpoint")
  })
})

describe("a rule that was imported", () => {
  const imported = async () => {
    const { id: connection_id } = await ends.connection()
    const line = {
      id: "old_rule",
      connection_id,
      type: "enter",
      place_id: ends.placeId,
      webhook_url: HOOK,
      secret: "a secret of before endpoints",
      created_at: "2025-06-01T00:00:00.000Z"
    }
    // An imported rule keeps the id of the old service. The tests share one service, so each imported rule needs its
    // own id.
    const id = `old_${connection_id.slice(4)}`
    await world.run(importRules(JSON.stringify({ ...line, id })))
    return { id, connection_id }
  }

  it("is in the app's list with its own address, in the user's with the host alone, and marked for its developer [legacy-3]", async () => {
    const { connection_id, id } = await imported()
    const ofApp = (await ends.rules(token)).json as { readonly rules: ReadonlyArray<object> }
    expect(ofApp.rules).toMatchObject([{ id, webhook_url: HOOK, created_at: "2025-06-01T00:00:00.000Z" }])
    expect(JSON.stringify(ofApp)).not.toContain("secret")
    const ofUser = await ends.person.get(`/v1/user/connections/${connection_id}/rules`)
    expect(ofUser.json).toMatchObject({
      rules: [{ id, type: "enter", target: { label: "Home" }, webhook_host: "hooks.example.com" }]
    })
    expect(ofUser.text).not.toContain(HOOK)
    const connection = `/portal/connections/${connection_id}`
    const browser = await signedIn(world, ends.person.account.email)
    for (const path of [connection, `${connection}/rules/${id}`]) {
      const [page, german] = [await browser.get(path), await browser.get(path, { "accept-language": "de" })]
      expect(page.text).toContain("<strong>Home</strong> (sent only to <code>hooks.example.com</code>)")
      expect(german.text).toContain("<strong>Home</strong> (geht nur an <code>hooks.example.com</code>)")
      expect(page.text).not.toContain("deprecated")
      expect(page.text).not.toContain(HOOK)
    }
    const developer = await ends.person.get(`/developer/apps/${ends.app.id}/users/${connection_id}/rules`)
    expect(developer.text).toContain("own address (deprecated)")
  })

  it("a rule with the address of an endpoint shows its user no host [rules-5]", async () => {
    await ends.person.send("POST", `/v1/developer/apps/${ends.app.id}/webhooks`, { url: HOOK, events: [] })
    expect((await ends.createRule(token, { webhook_url: HOOK })).status).toBe(201)
    const { id } = await ends.connection()
    const ofUser = await ends.person.get(`/v1/user/connections/${id}/rules`)
    expect(ofUser.json).toMatchObject({ rules: [{ type: "enter", webhook_host: null }] })
    const page = await ends.person.get(`/portal/connections/${id}`)
    expect([page.text.includes("<strong>Home</strong>"), page.text.includes("hooks.example.com")]).toEqual([
      true,
      false
    ])
  })

  it("new rules return no secret, and none can be made with an address of their own [§6.4.9]", async () => {
    const plain = await ends.createRule(token)
    expect(plain.status).toBe(201)
    expect(plain.text).not.toContain("secret")
    expect(saying(await ends.createRule(token, { webhook_url: HOOK }))).toEqual([400, "webhook_url_not_registered"])
  })

  it("§6.4.9: endpoint, replacement without webhook_url, the old rule deleted; meanwhile both arrive, each with its secret [§6.4.9-migration]", async () => {
    const { id } = await imported()
    await ends.person.send("POST", `/v1/developer/apps/${ends.app.id}/webhooks`, {
      url: `${HOOK}/new`,
      events: ["rule.fired"]
    })
    expect((await ends.createRule(token)).status).toBe(201)
    const made = await ends.person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })
    const { token: phone } = made.json as { readonly token: string }
    const upload = async () => {
      const minute = 60_000
      world.clock.advance(10 * minute)
      const now = world.clock.now()
      const body = {
        locations: [
          { captured_at: new Date(now - 5 * minute).toISOString(), lat: 53, lon: 4.89, accuracy_m: 5 },
          { captured_at: new Date(now - minute).toISOString(), lat: 52.37, lon: 4.89, accuracy_m: 5 }
        ]
      }
      const sent = jsonBody(body)
      const answer = await world.call("/v1/phone/locations", {
        method: "POST",
        ...sent,
        headers: { ...sent.headers, ...bearer(phone).headers }
      })
      expect(answer.status).toBe(200)
      return world.run(fanOutAll(100))
    }
    const both = await upload()
    expect(both.deliveries).toBe(1)
    expect(both.legacy.map(({ receiver }) => [receiver._tag, receiver.id, receiver.url])).toEqual([["Rule", id, HOOK]])
    const gone = await world.call(`/v1/rules/place/${id}`, { method: "DELETE", ...bearer(token) })
    expect(gone.status).toBe(204)
    const after = await upload()
    expect([after.deliveries, after.legacy]).toEqual([1, []])
    expect(await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.posts(HOOK)))).toEqual([])
  })
})
