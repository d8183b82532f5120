import { everything } from "@place-access/domain/leases"
import { Fixtures, importNext, MemoryImportReader } from "@place-access/domain/testing"
import { Effect } from "effect"
import * as OTPAuth from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authenticator, optionsOf } from "../support/authenticator.js"
import { signedIn } from "../support/browsing.js"
import { connected, RULES } from "../support/connected.js"
import { hidden, type Visitor } from "../support/visitor.js"
import type { Answer } from "../support/wire.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  // Browsers make passkeys for host names only, not for network addresses.
  world = await startWorld({ atName: true })
})
afterAll(() => world.close())

const where = (answer: Answer) => [answer.status, answer.headers.get("location")]

/** A new person, and a browser in which this person is signed in. */
const visit = async () => {
  const person = await world.person()
  return { person, browser: await signedIn(world, person.account.email) }
}

describe("a button that adds the first factor and is pressed twice leads to new recovery codes [factors-5]", () => {
  const FACTOR = "/portal/settings/second-factor"

  it("for the app of one-time codes, whose codes the browser did not show", async () => {
    const { browser } = await visit()
    await browser.submit(await browser.get(FACTOR), `${FACTOR}/app/begin`)
    const page = await browser.get(`${FACTOR}/app`)
    const secret = (/<code class="breaks">([^<]+)</.exec(page.text)?.[1] ?? "").replaceAll(" ", "")
    const code = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) }).generate({
      timestamp: world.clock.now()
    })
    const send = () => browser.submit(page, `${FACTOR}/app`, { code })
    expect((await send()).text).toContain("Your recovery codes")
    const second = await send()
    expect(where(second)).toEqual([303, `${FACTOR}?done=code-app-is-on`])
    const settings = await browser.get(second.headers.get("location") ?? "")
    expect(settings.text).toContain("One-time codes are on. If you have not kept your recovery codes")
    // The person may never have seen the first answer, which had the recovery codes. So the page must have the button
    // that makes new codes.
    expect(hidden(settings, `${FACTOR}/recovery-codes`)).toHaveProperty("form_token")
  })

  it("for a passkey; another passkey with a challenge that was used is still refused", async () => {
    const { browser } = await visit()
    const page = await browser.get(`${FACTOR}/add-passkey`)
    const send = (passkey: string) => browser.submit(page, `${FACTOR}/add-passkey`, { name: "My phone", passkey })
    const passkey = authenticator(world.url).create(optionsOf(page.text))
    expect((await send(passkey)).text).toContain("Your recovery codes")
    const second = await send(passkey)
    expect(where(second)).toEqual([303, `${FACTOR}?done=passkey-is-there`])
    expect((await browser.get(second.headers.get("location") ?? "")).text).toContain(
      "The passkey was added. If you have not kept your recovery codes"
    )
    expect((await send(authenticator(world.url).create(optionsOf(page.text)))).status).toBe(400)
  })
})

describe("a form that adds something and is sent twice adds it once", () => {
  const PLACE = { label: "Café", kind: "other", lat: "52.52", lon: "13.405", radius_m: "150" }

  it("a place: the second press finds the place of the first; a changed form is another place [L1]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get("/portal/places")
    const add = (more = {}) => browser.submit(page, "/portal/places", { ...PLACE, ...more })
    for (const answer of [await add(), await add(), await add({ label: "Bar" })]) {
      expect(where(answer)).toEqual([303, "/portal/places?done=place-created"])
    }
    const { places } = (await person.get("/v1/user/places")).json as { readonly places: ReadonlyArray<object> }
    expect(places).toMatchObject([{ label: "Bar" }, { label: "Café" }])
  })

  it("a place that was archived meanwhile is added again [L1]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get("/portal/places")
    await browser.submit(page, "/portal/places", PLACE)
    const places = async () =>
      ((await person.get("/v1/user/places")).json as { readonly places: ReadonlyArray<{ readonly id: string }> }).places
    const [first] = await places()
    await person.send("DELETE", `/v1/user/places/${first?.id}`)
    await browser.submit(page, "/portal/places", PLACE)
    expect(await places()).toHaveLength(2)
  })

  const DEVICES = "/portal/devices"
  const tokenOf = ({ text }: Answer) => /data-testid="device-token"\s*>([^<]+)</.exec(text)?.[1]
  const devicesOf = async (person: Person) =>
    (
      (await person.get("/v1/user/devices")).json as {
        readonly devices: ReadonlyArray<{ readonly id: string; readonly name: string }>
      }
    ).devices

  it("a phone: both answers show the same token, and it works [devices-1, idempotency-5]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get(`${DEVICES}?phone=android`)
    const add = (name: string) => browser.submit(page, DEVICES, { name, format: "overland" })
    const [first, second] = [await add("My phone"), await add("My phone")]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(tokenOf(first)).toMatch(/^pa_dv\./)
    expect(tokenOf(second)).toBe(tokenOf(first))
    const locations = [{ captured_at: "2026-03-01T11:59:00.000Z", lat: 52, lon: 13, accuracy_m: 9 }]
    const sent = await world.call("/v1/phone/locations", {
      method: "POST",
      body: JSON.stringify({ locations }),
      headers: { "content-type": "application/json", authorization: `Bearer ${tokenOf(second)}` }
    })
    expect(sent.status).toBe(200)
    // The person goes back and sends the same form with another name. The service must add another phone, and must not
    // repeat the first answer.
    expect(tokenOf(await add("Other phone"))).not.toBe(tokenOf(first))
    expect((await devicesOf(person)).map(({ name }) => name)).toEqual(["My phone", "Other phone"])
  })

  it("a phone: of two presses at the same moment, one adds it and both show its token [devices-1]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get(`${DEVICES}?phone=android`)
    const add = () => browser.submit(page, DEVICES, { name: "My phone", format: "overland" })
    const [first, second] = await Promise.all([add(), add()])
    expect(tokenOf(first)).toMatch(/^pa_dv\./)
    expect(tokenOf(second)).toBe(tokenOf(first))
    expect(await devicesOf(person)).toHaveLength(1)
  })

  it("a phone with GPSLogger: both answers have the same link to its settings [devices-14, idempotency-5]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get(`${DEVICES}?phone=android`)
    const link = async () => {
      const { text } = await browser.submit(page, DEVICES, { name: "My phone", format: "gpslogger" })
      return /href="(gpslogger:[^"]+)"/.exec(text)?.[1]
    }
    const first = await link()
    expect(first).toContain("gpslogger:")
    expect(await link()).toBe(first)
    expect(await devicesOf(person)).toHaveLength(1)
  })

  it("a phone that was removed meanwhile does not come back, and its token is not shown again [devices-1]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get(`${DEVICES}?phone=android`)
    const add = () => browser.submit(page, DEVICES, { name: "My phone", format: "overland" })
    await add()
    const [device] = await devicesOf(person)
    await person.send("DELETE", `/v1/user/devices/${device?.id}`)
    expect(where(await add())).toEqual([303, DEVICES])
    expect(await devicesOf(person)).toEqual([])
  })

  /** A person with an app: the person, their browser, the path of the app's page, and the app's path in the API. */
  const developing = async () => {
    const { browser, person } = await visit()
    const { app } = await world.app(person)
    return { browser, path: `/developer/apps/${app.id}`, api: `/v1/developer/apps/${app.id}`, person }
  }

  it("a webhook endpoint: both answers show the same secret; a changed form is another endpoint [idempotency-6]", async () => {
    const { api, browser, path, person } = await developing()
    const page = await browser.get(`${path}/webhooks`)
    const secretOf = ({ text }: Answer) => /data-testid="signing-secret"\s*>([^<]+)</.exec(text)?.[1]
    const add = (url: string) => browser.submit(page, `${path}/webhooks`, { url, events: ["rule.fired"] })
    const [first, second] = await Promise.all([add("https://a.example.com/in"), add("https://a.example.com/in")])
    expect(secretOf(first)).toMatch(/^whsec_/)
    expect(secretOf(second)).toBe(secretOf(first))
    expect(secretOf(await add("https://b.example.com/in"))).not.toBe(secretOf(first))
    const { webhooks } = (await person.get(`${api}/webhooks`)).json as { readonly webhooks: ReadonlyArray<object> }
    expect(webhooks).toMatchObject([{ url: "https://b.example.com/in" }, { url: "https://a.example.com/in" }])
  })

  it("an app: both presses lead to the same app; a changed form is another app [idempotency-6]", async () => {
    const { browser, person } = await visit()
    const page = await browser.get("/developer/apps/new")
    const draft = { name: "Coffee", description: "Finds coffee", homepage_url: "", scopes: ["location.rules.place"] }
    const add = async (name: string) => where(await browser.submit(page, "/developer/apps", { ...draft, name }))
    const first = await add("Coffee")
    expect(first).toEqual([303, expect.stringMatching(/^\/developer\/apps\/app_\w+\?done=app-created$/)])
    expect(await add("Coffee")).toEqual(first)
    expect(await add("Tea")).not.toEqual(first)
    const { apps } = (await person.get("/v1/developer/apps")).json as { readonly apps: ReadonlyArray<object> }
    expect(apps).toMatchObject([{ name: "Coffee" }, { name: "Tea" }])
  })

  it("a purpose: both presses say that it was created, and not that its key is taken [idempotency-6]", async () => {
    const { api, browser, path, person } = await developing()
    const page = await browser.get(path)
    const draft = {
      key: "find_coffee",
      purpose_description: "Finds the coffee nearest to you",
      purpose_scopes: ["location.lookup"],
      expected_daily_volume: "100"
    }
    const add = async () => where(await browser.submit(page, `${path}/purposes`, draft))
    const first = await add()
    expect(first).toEqual([303, expect.stringContaining("?done=purpose-created")])
    expect(await add()).toEqual(first)
    const { purposes } = (await person.get(`${api}/purposes`)).json as { readonly purposes: ReadonlyArray<object> }
    expect(purposes).toHaveLength(1)
    const other = await browser.submit(await browser.get(path), `${path}/purposes`, draft)
    expect([other.status, other.text.includes("cannot be used")]).toEqual([400, true])
  })

  it("two people's forms with the same id are two forms [devices-1]", async () => {
    const [ada, bob] = [await visit(), await visit()]
    const page = await ada.browser.get(`${DEVICES}?phone=android`)
    const phone = { name: "My phone", format: "overland", form_id: hidden(page, DEVICES)["form_id"] ?? "" }
    expect(phone.form_id).not.toBe("")
    await ada.browser.submit(page, DEVICES, phone)
    await bob.browser.submit(await bob.browser.get(`${DEVICES}?phone=android`), DEVICES, phone)
    expect([(await devicesOf(ada.person)).length, (await devicesOf(bob.person)).length]).toEqual([1, 1])
  })
})

it("exact location that is given back with two presses: both answers say that the app has it again [connection-9]", async () => {
  const { browser, person } = await visit()
  const { app } = await world.app(person)
  await world.run(Fixtures.purpose(app.id, "find_coffee"))
  await world.connect(person, app, { scopes: ["location.place.current", "location.lookup"] })
  const path = /\/portal\/connections\/con_\w+/.exec((await browser.get("/portal/connections")).text)?.[0] ?? ""
  const ended = await browser.submit(await browser.get(path), `${path}/exact-location/end`)
  const page = await browser.get(ended.headers.get("location") ?? "")
  const restore = () => browser.submit(page, `${path}/exact-location/restore`)
  const done = [303, `${path}?done=exact-location-restored`]
  expect([where(await restore()), where(await restore())]).toEqual([done, done])
})

describe("a removal that is pressed twice has the same answer twice, not 404", () => {
  /** Presses the button of the form at `action` on the page at `path` twice. */
  const pressTwice = async (browser: Visitor, path: string, action: string) => {
    const page = await browser.get(path)
    return [where(await browser.submit(page, action)), where(await browser.submit(page, action))]
  }
  const idIn = ({ json, status }: Answer) => {
    expect(status).toBe(201)
    return (json as { readonly id: string }).id
  }

  it("of a phone [devices-1]", async () => {
    const { browser, person } = await visit()
    const id = idIn(await person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" }))
    const done = [303, "/portal/devices?done=device-removed"]
    expect(await pressTwice(browser, "/portal/devices", `/portal/devices/${id}/remove`)).toEqual([done, done])
  })

  it("of a rule; in another person's connection it is 404", async () => {
    const { connect, createRule, person } = await connected(world)
    const { access_token } = await connect([RULES])
    const rule = idIn(await createRule(access_token))
    const browser = await signedIn(world, person.account.email)
    const path = /\/portal\/connections\/con_\w+/.exec((await browser.get("/portal/connections")).text)?.[0] ?? ""
    const done = [303, `${path}?done=rule-removed`]
    expect(await pressTwice(browser, path, `${path}/rules/${rule}/remove`)).toEqual([done, done])
    const stranger = await visit()
    const form = hidden(await stranger.browser.get("/portal/connections"), "/sign-out")
    const answer = await stranger.browser.post(`${path}/rules/${rule}/remove`, form)
    expect(answer.status).toBe(404)
  })

  const imported = async (person: Person) => {
    const reading = MemoryImportReader.line(Date.parse("2026-02-05T09:00:00Z"), 52, 4)
    return idIn(
      await person.send("POST", "/v1/user/imports", undefined, {
        body: `${MemoryImportReader.FIRST_LINE}\n${reading}\n`,
        headers: { "content-type": "application/octet-stream" }
      })
    )
  }

  it("of an import [imports-3]", async () => {
    const { browser, person } = await visit()
    const id = await imported(person)
    const done = [303, "/portal/imports?done=import-removed"]
    expect(await pressTwice(browser, "/portal/imports", `/portal/imports/${id}/remove`)).toEqual([done, done])
  })

  it("of an import with its history, also when it is gone by the second press [imports-3]", async () => {
    const { browser, person } = await visit()
    const action = `/portal/imports/${await imported(person)}/undo`
    const work = () => world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer))
    await work()
    const page = await browser.get("/portal/imports")
    const done = [303, "/portal/imports?done=import-undone"]
    expect(where(await browser.submit(page, action))).toEqual(done)
    await work()
    expect(where(await browser.submit(page, action))).toEqual(done)
  })

  it("of an archive", async () => {
    const { browser, person } = await visit()
    const id = idIn(await person.send("POST", "/v1/user/exports"))
    const path = "/portal/settings/export"
    const done = [303, `${path}?done=export-deleted`]
    expect(await pressTwice(browser, path, `${path}/${id}/delete`)).toEqual([done, done])
  })

  it("of an endpoint; in somebody else's app it is 404", async () => {
    const { browser, person } = await visit()
    const { app } = await world.app(person)
    const draft = { url: "https://hooks.example.com/", events: ["rule.fired"] }
    const id = idIn(await person.send("POST", `/v1/developer/apps/${app.id}/webhooks`, draft))
    const path = `/developer/apps/${app.id}/webhooks`
    const done = [303, `${path}?done=endpoint-removed`]
    expect(await pressTwice(browser, path, `${path}/${id}/remove`)).toEqual([done, done])
    const other = await world.app(await world.person())
    const form = hidden(await browser.get(path), "/sign-out")
    expect((await browser.post(`/developer/apps/${other.app.id}/webhooks/${id}/remove`, form)).status).toBe(404)
  })

  it("of a test person [test-people-1]", async () => {
    const { browser, person } = await visit()
    const { app } = await world.app(person)
    const path = `/developer/apps/${app.id}/test-people`
    const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: ["location.place.current"] }
    await browser.submit(await browser.get(path), path, draft)
    const id = /<li class="card" id="(\w+)"/.exec((await browser.get(path)).text)?.[1] ?? ""
    const done = [303, `${path}?done=test-person-removed`]
    expect(await pressTwice(browser, path, `${path}/${id}/remove`)).toEqual([done, done])
  })
})

describe("the deletion of an account that is pressed twice [deletions-1]", () => {
  const PATH = "/portal/settings/delete-account"
  const FIELDS = { password: PASSWORD, word: "delete" }

  it("says both times that the account is deleted, although its session is gone by the second press", async () => {
    const { browser } = await visit()
    const page = await browser.get(PATH)
    const [session = ""] = [browser.cookies.get("session")]
    const first = where(await browser.submit(page, PATH, FIELDS))
    expect(first).toEqual([303, "/account-deleted"])
    // The browser sent the second request before it got the first answer, so the second request still has the session's
    // cookie.
    browser.cookies.set("session", session)
    expect(where(await browser.submit(page, PATH, FIELDS))).toEqual(first)
  })

  it("says so also when both requests arrive at the same moment", async () => {
    const { browser } = await visit()
    const page = await browser.get(PATH)
    const press = () => browser.submit(page, PATH, FIELDS)
    const done = [303, "/account-deleted"]
    expect((await Promise.all([press(), press()])).map(where)).toEqual([done, done])
  })

  it("a form that names another account, or an account that is there, leads to the sign-in page", async () => {
    const [ada, bob] = [await visit(), await visit()]
    const page = await ada.browser.get(PATH)
    const session = ada.browser.cookies.get("session") ?? ""
    await bob.browser.submit(await bob.browser.get(PATH), PATH, FIELDS)
    await ada.browser.submit(await ada.browser.get("/portal/places"), "/sign-out")
    ada.browser.cookies.set("session", session)
    const posted = async (more: Readonly<Record<string, string>> = {}) =>
      (await ada.browser.submit(page, PATH, { ...FIELDS, ...more })).headers.get("location")
    expect(await posted()).toMatch(/^\/sign-in/)
    expect(await posted({ account: bob.person.account.id })).toMatch(/^\/sign-in/)
  })
})
