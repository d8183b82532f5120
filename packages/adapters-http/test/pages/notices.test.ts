import { RedirectUri } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { visitor, type Visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
let secure: World
beforeAll(async () => {
  world = await startWorld()
  secure = await startWorld({ baseUrl: "https://places.example.com" })
})
afterAll(() => Promise.all([world.close(), secure.close()]))

const connected = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  await world.connect(person, app, { scopes: ["location.place.current"] })
  const [connection] = await world.run(listConnections(person.account.id))
  const path = `/portal/connections/${connection?.id ?? ""}`
  const browser = await signedIn(world, person.account.email)
  const press = async (button: "pause" | "resume") => {
    const answer = await browser.submit(await browser.get(path), `${path}/${button}`, { for: "hour" })
    return { answer, at: answer.headers.get("location") ?? "" }
  }
  return { person, app, browser, path, press }
}

const said = (text: string): string | undefined => /role="status">\s*<p>([^<]*)/.exec(text)?.[1]?.trim()
const title = (text: string): string | undefined => /<title>([^<]*)/.exec(text)?.[1]
const cookieOf = (headers: Headers): string | undefined =>
  headers.getSetCookie().find((text) => /^(?:__Host-)?notice=/.test(text))

describe("the notice after a form [accounts-24]", () => {
  it("is shown once: a reload does not show it again", async () => {
    const { browser, press } = await connected()
    const { at } = await press("pause")
    const [first, reloaded] = [await browser.get(at), await browser.get(at)]
    expect([said(first.text), first.status]).toEqual([expect.stringContaining("The app is paused."), 200])
    expect([said(reloaded.text), reloaded.status]).toEqual([undefined, 200])
  })

  it("begins the title of the page, so that a screen reader says it first", async () => {
    const { app, browser, press } = await connected()
    const { at } = await press("pause")
    expect(title((await browser.get(at)).text)).toBe(`The app is paused · ${app.name} · Place Access`)
    expect(title((await browser.get(at)).text)).toBe(`${app.name} · Place Access`)
    const resumed = await press("resume")
    const german = await browser.get(resumed.at, { "accept-language": "de" })
    expect(title(german.text)).toBe(`Die App kann wieder fragen · ${app.name} · Place Access`)
  })

  it("says after a pause what the app still sees: its answers say that it is paused [connection-4]", async () => {
    const { browser, press } = await connected()
    const english = said((await browser.get((await press("pause")).at)).text)
    expect(english).toContain("it learns nothing about where you are or were. It can see that you paused it.")
    const german = await browser.get((await press("pause")).at, { "accept-language": "de" })
    expect(said(german.text)).toContain("wo Sie sind oder waren. Sie kann sehen, dass Sie sie pausiert haben.")
  })

  it("is not shown because of a link", async () => {
    const { browser, path } = await connected()
    for (const address of [
      "/portal/settings?done=password-changed",
      "/portal/settings?d%6fne=password-changed",
      "/portal/connections?done=disconnected",
      `${path}?rules=&done=exact-location-ended#about`,
      `${path}?done=choose-again`
    ]) {
      const { status, text } = await browser.get(address)
      expect([address, status, said(text), title(text)?.split(" · ").length]).toEqual([address, 200, undefined, 2])
    }
  })

  it("is bound to its name, and a link does not use it up", async () => {
    const { browser, path, press } = await connected()
    const { at } = await press("pause")
    for (const address of [`${path}?done=resumed`, `${path}?done=paused&done=resumed`]) {
      expect([address, said((await browser.get(address)).text)]).toEqual([address, undefined])
    }
    expect(said((await browser.get(at)).text)).toContain("The app is paused.")
  })

  it("is kept in a cookie of a minute that no script reads and no other site sends", async () => {
    const { browser, press } = await connected()
    const { answer, at } = await press("pause")
    expect(cookieOf(answer.headers)).toBe("notice=paused; Max-Age=60; Path=/; HttpOnly; SameSite=Strict")
    expect(cookieOf((await browser.get(at)).headers)).toContain("notice=; Max-Age=0;")
    expect(cookieOf((await browser.get(at)).headers)).toBeUndefined()
  })

  it("is kept in a cookie that only this host can set, under an https address", async () => {
    const person = await secure.person()
    const browser = visitor(secure.url, "https://places.example.com")
    const page = await browser.get("/sign-in")
    await browser.submit(page, "/sign-in", { email: person.account.email, password: PASSWORD })
    const path = "/portal/settings/name"
    const saved = await browser.submit(await browser.get(path), path, { display_name: "Ada Lovelace" })
    expect([saved.status, cookieOf(saved.headers)]).toEqual([
      303,
      "__Host-notice=name-changed; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict"
    ])
  })

  const entered = async (browser: Visitor, email: string, returnTo: string) => {
    const page = await browser.get(`/sign-in?return_to=${encodeURIComponent(returnTo)}`)
    const answer = await browser.submit(page, "/sign-in", { email, password: PASSWORD })
    const at = answer.headers.get("location") ?? ""
    return [at, said((await browser.get(at)).text)]
  }

  it("is not shown because of a link to the sign-in, which leads to a page afterwards", async () => {
    const { account } = await world.person()
    const settings = "/portal/settings"
    for (const [returnTo, led] of [
      [`${settings}?done=password-changed`, settings],
      [`${settings}?x=1&done=password-changed#name`, `${settings}?x=1#name`],
      ["/.//evil.example?done=disconnected", "/.//evil.example"]
    ] as const) {
      expect(await entered(visitor(world.url), account.email, returnTo)).toEqual([led, undefined])
    }
  })

  it("is shown after a sign-in that a form led to: nothing has changed [accounts-17]", async () => {
    const { account } = await world.person()
    const back = "/portal/settings/name?done=choose-again"
    expect(await entered(visitor(world.url), account.email, back)).toEqual([
      back,
      expect.stringContaining("Nothing has")
    ])
  })

  it("is not set by the address of an app to which a consent leads", async () => {
    const person = await world.person()
    const { app } = await world.app(person, {
      redirectUris: [RedirectUri.RedirectUri.make("https://app.example.com/back?done=paused")]
    })
    const browser = await signedIn(world, person.account.email)
    const query = new URLSearchParams({
      client_id: app.id,
      redirect_uri: "https://app.example.com/back?done=paused",
      scope: "location.rules.place",
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
      state: "state-of-the-app"
    })
    const page = await browser.get(`/authorize?${query}`)
    const action = /action="(\/authorize\/[^"]+)"/.exec(page.text)?.[1] ?? ""
    expect(page.status).toBe(200)
    const denied = await browser.submit(page, action, { decision: "cancel" })
    expect(denied.headers.get("location")).toContain("https://app.example.com/back?done=paused")
    expect(cookieOf(denied.headers)).toBeUndefined()
  })
})
