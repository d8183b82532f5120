import { createPlace, Place } from "@place-access/domain/places"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden, type Visitor } from "../support/visitor.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const NOT_KEPT = "Nothing has changed yet. Please do it again: what you had entered or chosen was not kept."
const times = (text: string): number => text.split(NOT_KEPT).length - 1

/**
 * Follows the links from the page at `path`, and returns the text of each page that the links reach, by its path. Paths
 * have no queries.
 */
const crawl = async (browser: Visitor, path: string, found = new Map<string, string>()) => {
  if (found.has(path)) return found
  const { headers, status, text } = await browser.get(path)
  if (status !== 200 || !(headers.get("content-type") ?? "").startsWith("text/html")) return found
  found.set(path, text)
  for (const [, to = ""] of text.matchAll(/<a [^>]*?href="(\/(?:portal|developer|admin|review)[^"?#]*)/g)) {
    await crawl(browser, to, found)
  }
  return found
}

/** Signs in with the form of the page at `path`. Returns the address to which the sign-in redirects. */
const signInAt = async (browser: Visitor, { account }: Person, path: string) => {
  const credentials = { email: account.email, password: PASSWORD }
  const answer = await browser.submit(await browser.get(path), "/sign-in", credentials)
  return answer.headers.get("location") ?? ""
}

describe("a page to which a sign-in or a confirmation leads back after a form [accounts-17]", () => {
  it("every page with a form says, once, that nothing has changed and that what was entered or chosen was not kept", async () => {
    const person = await world.person({ roles: ["developer", "reviewer", "admin"] })
    // The second person is an admin too, because the last admin cannot delete their account.
    const stranger = await world.person({ roles: ["admin"] })
    const { app } = await world.app(person)
    const { app: submitted } = await world.app(stranger, { status: "in_review" })
    const at = (path: string) => `/v1/developer/apps/${app.id}/${path}`
    await person.send("POST", at("webhooks"), { url: "https://hooks.example.com/", events: [] })
    const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
    await world.run(createPlace(person.account.id, { label: Place.Label.make("Home"), kind: "home", circle }))
    await stranger.send("POST", `/v1/developer/apps/${submitted.id}/team/invitations`, {
      email: person.account.email,
      role: "viewer"
    })
    const browser = await signedIn(world, person.account.email)
    const pages = new Map<string, string>()
    for (const path of ["/portal/today", "/portal/settings", "/developer", "/review", "/admin"]) {
      await crawl(browser, path, pages)
    }
    const forms = (text: string) => text.match(/<form\b[^>]*method="post"[^>]*>/g) ?? []
    const paths = [...pages]
      .filter(([, text]) => forms(text).some((tag) => !tag.includes('action="/sign-out"')))
      .map(([path]) => path)
    for (const path of [
      "/portal/settings/password",
      "/portal/settings/delete-account",
      "/portal/settings/name",
      "/portal/settings/language",
      "/portal/settings/time-zone",
      "/portal/settings/notices",
      "/portal/imports/new",
      "/developer/apps/new",
      `/developer/apps/${app.id}/logo`,
      `/developer/apps/${app.id}/team`
    ]) {
      expect(paths).toContain(path)
    }
    for (const kind of [/^\/portal\/places\/./, /\/webhooks\/./, /^\/developer\/invitations\//, /^\/review\/apps\/./]) {
      expect(paths.filter((path) => kind.test(path))).not.toEqual([])
    }
    for (const path of paths) {
      const before = await browser.get(path)
      browser.cookies.set("notice", "choose-again")
      const after = await browser.get(`${path}?done=choose-again`)
      expect([path, times(before.text), times(after.text)]).toEqual([path, 0, 1])
    }
  })

  it("the password page says so after a session that ended, and the old password still signs in", async () => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    const path = "/portal/settings/password"
    const fields = {
      ...hidden(await browser.get(path), path),
      password: PASSWORD,
      new_password: "a new one that is long"
    }
    browser.cookies.delete("session")
    const requested = await browser.post(path, fields, { referer: world.url + path })
    const back = await signInAt(browser, person, requested.headers.get("location") ?? "")
    expect(times((await browser.get(back)).text)).toBe(1)
    await signedIn(world, person.account.email)
  })

  it("a form that was shown again with a mistake leads back to the page of the form, which says so", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    const team = `/developer/apps/${app.id}/team`
    const action = `${team}/invitations`
    const repeated = await browser.submit(await browser.get(team), action, { email: "nonsense", role: "viewer" })
    expect(repeated.status).toBe(400)
    world.clock.advance(16 * 60_000)
    const fields = { ...hidden(repeated, action), email: "ada@example.com", role: "viewer" }
    // After a refused form, the address in the browser is the address to which the form was posted. The browser sends
    // this address as the referrer.
    const requested = await browser.post(action, fields, { referer: world.url + action })
    const confirm = requested.headers.get("location") ?? ""
    expect(confirm).toMatch(/^\/confirm\?/)
    const confirmed = await browser.submit(await browser.get(confirm), "/confirm", { password: PASSWORD })
    const led = (await browser.get(confirmed.headers.get("location") ?? "")).headers.get("location") ?? ""
    const page = await browser.get(led.split("#")[0] ?? "")
    expect([page.status, times(page.text), led]).toEqual([200, 1, `${team}?done=choose-again#invitations`])
  })
})
