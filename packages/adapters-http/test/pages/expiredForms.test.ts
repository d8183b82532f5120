import { listConnections } from "@place-access/domain/connection"
import { createEndpoint } from "@place-access/domain/endpoints"
import { createPlace, Place } from "@place-access/domain/places"
import { AppId } from "@place-access/domain/shared"
import { acceptInvitation, inviteMember } from "@place-access/domain/teams"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden, type Visitor, visitor } from "../support/visitor.js"
import { call } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const NOT_KEPT = "Nothing has changed yet. Please do it again: what you had entered or chosen was not kept."

/** Signs out and in again, as in a second tab of the browser. */
const signInAgain = async (browser: Visitor, email: string) => {
  const signedOut = await browser.submit(await browser.get("/portal/settings/name"), "/sign-out")
  expect(signedOut.status).toBe(303)
  const answer = await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
  expect(answer.status).toBe(303)
}

const person = async () => {
  const owner = await world.person()
  const { email } = owner.account
  const browser = await signedIn(world, email)
  return { owner, account: owner.account, browser, again: () => signInAgain(browser, email) }
}

type Typed = Readonly<Record<string, string | ReadonlyArray<string>>>

describe("a form that was opened before a new sign-in", () => {
  /**
   * Forms that are sent with an old token: the page of each form, the address to which the form is posted, and the
   * fields that a person fills in.
   */
  const forms: ReadonlyArray<
    readonly [name: string, at: (owner: Awaited<ReturnType<typeof person>>) => Promise<[string, string]>, typed: Typed]
  > = [
    [
      "a new app",
      async () => ["/developer/apps/new", "/developer/apps"],
      { name: "Tea Finder", description: "Tea near you" }
    ],
    [
      "an app",
      async ({ owner }) => {
        const { app } = await world.app(owner)
        return [`/developer/apps/${app.id}`, `/developer/apps/${app.id}`]
      },
      { name: "Tea Finder", description: "Tea near you" }
    ],
    [
      "the redirect URIs of an app",
      async ({ owner }) => {
        const { app } = await world.app(owner)
        return [`/developer/apps/${app.id}`, `/developer/apps/${app.id}/redirect-uris`]
      },
      { redirect_uris: "https://tea.example/callback" }
    ],
    [
      "a new purpose",
      async ({ owner }) => {
        const { app } = await world.app(owner)
        return [`/developer/apps/${app.id}`, `/developer/apps/${app.id}/purposes`]
      },
      { key: "tea_time", purpose_description: "To have your tea ready when you arrive" }
    ],
    [
      "a new place",
      async () => ["/portal/places", "/portal/places"],
      { label: "Tea house", lat: "52.52", lon: "13.4" }
    ],
    [
      "a place",
      async ({ account }) => {
        const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
        const { id } = await world.run(
          createPlace(account.id, { label: Place.Label.make("Home"), kind: "home", circle })
        )
        return [`/portal/places/${id}`, `/portal/places/${id}`]
      },
      { label: "Tea house" }
    ],
    [
      "a new endpoint",
      async ({ owner }) => {
        const { app } = await world.app(owner)
        return [`/developer/apps/${app.id}/webhooks`, `/developer/apps/${app.id}/webhooks`]
      },
      { url: "https://hooks.example.com/tea", description: "The tea endpoint" }
    ],
    [
      "an endpoint",
      async ({ owner }) => {
        const { app } = await world.app(owner)
        const input = { url: "https://hooks.example.com/old", events: [], description: null }
        const { endpoint } = await world.run(createEndpoint(owner.account, app.id, input))
        const path = `/developer/apps/${app.id}/webhooks/${endpoint.id}`
        return [path, path]
      },
      { url: "https://hooks.example.com/tea", description: "The tea endpoint", header_name: "X-Tea" }
    ],
    ["a new device", async () => ["/portal/devices?phone=android", "/portal/devices"], { name: "Tea phone" }]
  ]
  it.each(forms)("%s is shown again with what was typed, and a second press sends it", async (_, at, typed) => {
    const owner = await person()
    const [path, action] = await at(owner)
    const page = await owner.browser.get(path)
    await owner.again()
    const shown = await owner.browser.submit(page, action, typed)
    expect([shown.status, /<title>Error: /.test(shown.text)]).toEqual([403, true])
    expect(shown.text).toContain(
      "You signed in or confirmed anew after you had opened this form, so nothing was saved."
    )
    for (const value of Object.values(typed)) expect(shown.text).toContain(value)
    // The shown form has a valid token, so its token must not be refused. The answer may be 400, because this test
    // leaves out some required fields.
    const again = await owner.browser.submit(shown, action, typed)
    expect([200, 303, 400]).toContain(again.status)
    expect(again.text).not.toContain("confirmed anew after")
    expect(again.headers.get("location") ?? "").not.toContain("choose-again")
  })

  it.each(forms)("%s is not shown to another account that signed in meanwhile [accounts-17]", async (_, at, typed) => {
    const owner = await person()
    const [path, action] = await at(owner)
    const page = await owner.browser.get(path)
    const other = await world.person()
    const [, app] = /^\/developer\/apps\/(app_\w+)/.exec(path) ?? []
    if (app !== undefined) {
      const invited = { email: other.account.email, role: "owner" } as const
      const appId = AppId.make(app)
      await world.run(
        Effect.flatMap(inviteMember(owner.account, appId, invited), ({ id }) =>
          acceptInvitation(other.account, "confirmed", { appId, id })
        )
      )
    }
    await signInAgain(owner.browser, other.account.email)
    const fields = { ...hidden(page, action), ...typed }
    const refused = await owner.browser.post(action, fields)
    expect([refused.status, refused.text.includes("<h1>This form has expired</h1>")]).toEqual([403, true])
    for (const value of Object.values(typed)) expect(refused.text).not.toContain(value)
    const back = await owner.browser.post(action, fields, { referer: world.url + path })
    const [page_, query = ""] = path.split("?")
    const done = query === "" ? "done=choose-again" : `${query}&done=choose-again`
    expect([back.status, back.headers.get("location")]).toEqual([303, `${page_}?${done}`])
  })

  it("a form of buttons leads back to its page, which says that nothing has changed [accounts-17]", async () => {
    const someone = await world.person()
    const { app } = await world.app(someone)
    await world.connect(someone, app, { scopes: ["location.place.current"] })
    const connections = () => world.run(listConnections(someone.account.id))
    const path = `/portal/connections/${(await connections())[0]?.id ?? ""}`
    const browser = await signedIn(world, someone.account.email)
    const page = await browser.get(path)
    await signInAgain(browser, someone.account.email)
    const headers = { referer: world.url + path }
    const token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ""
    const pressed = await browser.post(`${path}/pause`, { form_token: token, for: "hour" }, headers)
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, `${path}?done=choose-again`])
    expect((await browser.get(`${path}?done=choose-again`)).text).toContain(NOT_KEPT)
    expect((await connections())[0]?.pause).toBeNull()
    const out = await browser.post("/sign-out", { form_token: token }, headers)
    expect([out.status, out.headers.get("location")]).toEqual([303, `${path}?done=choose-again`])
    // Without the header Referer, the service does not know the page of the form, so it refuses the form.
    const alone = await browser.post(`${path}/pause`, { form_token: token, for: "hour" })
    expect([alone.status, alone.text.includes("<h1>This form has expired</h1>")]).toEqual([403, true])
    const foreign = await browser.post(
      `${path}/pause`,
      { form_token: token },
      { ...headers, origin: "https://evil.example" }
    )
    expect(foreign.status).toBe(403)
  })

  it("a form leads to no other site, whatever page the browser names [accounts-17]", async () => {
    const { again, browser } = await person()
    const page = await browser.get("/portal/settings/name")
    await again()
    const token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ""
    for (const path of ["//evil.example/x", "/\\evil.example/x", "//portal/places"]) {
      const answer = await browser.post("/sign-out", { form_token: token }, { referer: world.url + path })
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"])
    }
  })

  it("a file that is sent from before a new sign-in is refused where its form is, without a redirect [imports-3]", async () => {
    const { again, browser } = await person()
    const page = await browser.get("/portal/imports/new")
    await again()
    const body = new FormData()
    body.append("form_token", hidden(page, "/portal/imports")["form_token"] ?? "")
    body.append("file", new Blob(["<gpx/>"]), "a.gpx")
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join("; ")
    const headers = { accept: "text/html", origin: world.url, cookie, referer: `${world.url}/portal/imports/new` }
    const answer = await call(`${world.url}/portal/imports`, { method: "POST", body, headers, redirect: "manual" })
    expect([answer.status, /id="file-fault"[^>]*>([^<]*)/.exec(answer.text)?.[1]]).toEqual([
      403,
      expect.stringContaining("This form has expired")
    ])
  })
})

it("a browser that keeps no cookies reads so at the sign-in, in its language", async () => {
  const { account } = await world.person()
  const browser = visitor(world.url)
  const page = await browser.get("/sign-in")
  browser.cookies.clear()
  const fields = { email: account.email, password: PASSWORD }
  const english = await browser.submit(page, "/sign-in", fields)
  expect([english.status, english.text]).toEqual([403, expect.stringContaining("<h1>This page needs a cookie</h1>")])
  expect(english.text).toContain("Allow cookies for this service")
  const german = await browser.post("/sign-in", fields, { "accept-language": "de" })
  expect(german.text).toContain("<h1>Diese Seite braucht ein Cookie</h1>")
  expect(german.text).toContain("Erlauben Sie Cookies für diesen Dienst")
})
