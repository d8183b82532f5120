import { App, getApp } from "@place-access/domain/apps"
import { Place } from "@place-access/domain/places"
import { Scope } from "@place-access/domain/shared"
import { Fixtures, RuleSamples, samplePng } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { sendLogo } from "../support/logoForm.js"
import type { Answer } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const CHANGED = "Something changed since you opened this page, so nothing was saved."

/** The values of the ticked boxes with the name `name`. */
const ticked = (text: string, name: string): ReadonlyArray<string> =>
  (text.match(/<input\b[^>]*type="checkbox"[^>]*>/g) ?? [])
    .filter((tag) => tag.includes(` name="${name}"`) && /\schecked/.test(tag))
    .map((tag) => /\svalue="([^"]*)"/.exec(tag)?.[1] ?? "")

describe("a developer's form that was opened before somebody else's change is not saved [apps-11]", () => {
  const scopes: ReadonlyArray<Scope.Scope> = ["location.place.current", "location.lookup"]
  const about = { name: "Coffee Finder", description: "Finds good coffee.", homepage_url: "" }

  const opened = async () => {
    const owner = await world.person()
    const { app } = await world.app(owner, {
      status: "production",
      description: App.AppDescription.make(about.description),
      homepageUrl: null,
      declaredScopes: scopes
    })
    const browser = await signedIn(world, owner.account.email)
    const path = `/developer/apps/${app.id}`
    const api = `/v1/developer/apps/${app.id}`
    return { api, app, browser, owner, page: await browser.get(path), path }
  }

  it("the form about the app: a scope that was removed stays removed, and what was typed is kept", async () => {
    const { api, browser, owner, page, path } = await opened()
    await owner.send("PATCH", api, { scopes: ["location.place.current"] })
    const typed = { ...about, description: "Finds very good coffee.", scopes }
    const repeated = await browser.submit(page, path, typed)
    expect(repeated.status).toBe(409)
    expect(repeated.text).toContain(CHANGED)
    expect(repeated.text).toContain("your form had: location.place.current, location.lookup")
    expect(repeated.text).toContain("Finds very good coffee.</textarea")
    expect(repeated.text).toContain("the saved value is: Finds good coffee.")
    expect(ticked(repeated.text, "scopes")).toEqual(["location.place.current"])
    expect((await owner.get(api)).json).toMatchObject({ scopes: ["location.place.current"], pending: null })
    // The person must be able to save the form that the page shows after the conflict.
    const saved = await browser.submit(repeated, path, { ...typed, scopes: ["location.place.current"] })
    expect(saved.headers.get("location")).toBe(`${path}?done=app-change-waits`)
  })

  it("the form about the app: a web page that was removed does not come back with the next save", async () => {
    const { api, browser, owner, path } = await opened()
    const homepage_url = "https://lost.example.com/"
    await owner.send("PATCH", api, { homepage_url })
    const page = await browser.get(path)
    await owner.send("PATCH", api, { homepage_url: null })
    const repeated = await browser.submit(page, path, {
      ...about,
      homepage_url,
      description: "Finds very good coffee.",
      scopes
    })
    expect(repeated.status).toBe(409)
    expect(repeated.text).toContain(`is shown as it is saved now; your form had: ${homepage_url}`)
    expect(repeated.text).not.toContain(`value="${homepage_url}"`)
  })

  it("the form about the app, after a mistake in it: it does not become newer by being shown again", async () => {
    const { api, browser, owner, page, path } = await opened()
    await owner.send("PATCH", api, { scopes: ["location.place.current"] })
    const mistaken = await browser.submit(page, path, { ...about, description: "", scopes })
    expect(mistaken.status).toBe(400)
    expect((await browser.submit(mistaken, path, { ...about, scopes })).status).toBe(409)
  })

  it("the form about the app, pressed twice: the second press changes nothing and does not complain", async () => {
    const { browser, page, path } = await opened()
    const save = () => browser.submit(page, path, { ...about, scopes: ["location.place.current"] })
    expect([(await save()).status, (await save()).status]).toEqual([303, 303])
  })

  it("the redirect URIs: a removed one stays removed, and no secret is issued", async () => {
    const { api, app, browser, owner, page, path } = await opened()
    const [first = ""] = app.redirectUris
    const elsewhere = new URL("/other", first).href
    await owner.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris: [elsewhere] })
    const secrets = async () =>
      ((await owner.get(`${api}/secrets`)).json as { secrets: ReadonlyArray<unknown> }).secrets
    const before = await secrets()
    const repeated = await browser.submit(page, `${path}/redirect-uris`, { redirect_uris: first })
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect(repeated.text).toContain(`your form had: ${first}`)
    expect(repeated.text).toContain(`${elsewhere}</textarea`)
    expect(await secrets()).toEqual(before)
    const again = { redirect_uris: elsewhere, secret: "new" }
    const registered = await browser.submit(repeated, `${path}/redirect-uris`, again)
    expect([registered.status, registered.text.includes("pa_cs_")]).toEqual([200, true])
  })

  it("the withdrawal of waiting changes: a change that its reader has not seen keeps waiting", async () => {
    const { api, browser, owner, path } = await opened()
    await owner.send("PATCH", api, { description: "Finds very good coffee." })
    const page = await browser.get(path)
    await owner.send("PATCH", api, { name: "Tea Finder" })
    const repeated = await browser.submit(page, `${path}/withdraw`)
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect((await owner.get(api)).json).toMatchObject({
      pending: { description: { proposed: "Finds very good coffee." }, name: { proposed: "Tea Finder" } }
    })
    // The page after the conflict shows both changes, so its button withdraws both. A second press does no harm.
    const withdraw = async () => (await browser.submit(repeated, `${path}/withdraw`)).headers.get("location")
    expect([await withdraw(), await withdraw()]).toEqual([`${path}?done=change-withdrawn`, path])
    expect((await owner.get(api)).json).toMatchObject({ pending: null })
  })

  it("the submission for review: a change that its reader has not seen is not submitted", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const browser = await signedIn(world, owner.account.email)
    const [path, api] = [`/developer/apps/${app.id}`, `/v1/developer/apps/${app.id}`]
    const page = await browser.get(path)
    await owner.send("PATCH", api, { name: "Your Bank" })
    const repeated = await browser.submit(page, `${path}/submit`)
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect(repeated.text).toContain("Your Bank")
    expect((await owner.get(api)).json).toMatchObject({ name: "Your Bank", status: "sandbox" })
    // The page after the conflict shows the new name, so its button submits the app. A second press does no harm.
    const submit = async () => (await browser.submit(repeated, `${path}/submit`)).headers.get("location")
    expect([await submit(), await submit()]).toEqual([`${path}?done=app-submitted`, path])
    expect((await owner.get(api)).json).toMatchObject({ status: "in_review" })
  })

  it("the submission of a purpose: terms that its reader has not seen are not submitted", async () => {
    const { api, app, browser, owner, path } = await opened()
    const purpose = await world.run(Fixtures.purpose(app.id, "find_coffee", { status: "draft" }))
    const at = `${path}/purposes/${purpose.id}`
    const [page, list] = [await browser.get(at), await browser.get(path)]
    await owner.send("PATCH", `${api}/purposes/${purpose.id}`, { description: "Sells where you are" })
    const refused = await browser.submit(list, `${at}/submit`)
    const repeated = await browser.submit(page, `${at}/submit`)
    expect([refused.status, repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, 409, true])
    expect(repeated.text).toContain(`Sells where you are</textarea>`)
    expect((await owner.get(`${api}/purposes`)).json).toMatchObject({ purposes: [{ status: "draft" }] })
    const submit = async () => (await browser.submit(repeated, `${at}/submit`)).headers.get("location")
    expect([await submit(), await submit()]).toEqual([`${at}?done=purpose-submitted`, at])
    expect((await owner.get(`${api}/purposes`)).json).toMatchObject({ purposes: [{ status: "in_review" }] })
  })

  it("the forms of the logo: they replace and remove no logo that their reader has not seen", async () => {
    const { api, app, browser, owner, path } = await opened()
    const logo = async () => (await world.run(getApp(owner.account, app.id, "read"))).proposal?.logo ?? null
    const at = `${path}/logo`
    const upload = (page: Answer, png: string) => sendLogo(world.url, browser, page, at, png)
    const empty = await browser.get(at)
    await owner.send("PATCH", api, { logo_png: samplePng("cup") })
    const [page, cup] = [await browser.get(at), await logo()]
    const late = await upload(empty, samplePng("pot"))
    expect([late.status, late.text.includes(CHANGED), await logo()]).toEqual([409, true, cup])
    expect((await upload(late, samplePng("pot"))).status).toBe(303)
    const pot = await logo()
    expect([pot === null, pot === cup]).toEqual([false, false])
    const repeated = await browser.submit(page, `${at}/remove`)
    expect([repeated.status, repeated.text.includes(CHANGED), await logo()]).toEqual([409, true, pot])
    const remove = async () => (await browser.submit(repeated, `${at}/remove`)).status
    expect([await remove(), await remove(), await logo()]).toEqual([303, 303, null])
  })

  it("the form of a purpose: the old wording does not go into review again", async () => {
    const { api, app, browser, owner, path } = await opened()
    const purpose = await world.run(Fixtures.purpose(app.id, "find_coffee", { status: "approved" }))
    const at = `${path}/purposes/${purpose.id}`
    const page = await browser.get(at)
    await owner.send("PATCH", `${api}/purposes/${purpose.id}`, { description: "Has your coffee ready in time" })
    const stale = {
      purpose_description: purpose.terms.description,
      purpose_scopes: ["location.lookup"],
      expected_daily_volume: "7"
    }
    const repeated = await browser.submit(page, at, stale)
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect(repeated.text).toContain("the saved value is: Has your coffee ready in time")
    expect((await owner.get(`${api}/purposes`)).json).toMatchObject({
      purposes: [{ description: "Has your coffee ready in time" }]
    })
    expect((await browser.submit(repeated, at, stale)).status).toBe(303)
  })

  it("the form of an endpoint: no tick means all events, and the page says so", async () => {
    const { api, browser, owner, path } = await opened()
    const url = "https://new.example.com/hook"
    const made = await owner.send("POST", `${api}/webhooks`, { url, events: [] })
    const at = `${path}/webhooks/${(made.json as { readonly id: string }).id}`
    const page = await browser.get(at)
    await owner.send("PATCH", `${api}/webhooks/${(made.json as { readonly id: string }).id}`, {
      events: ["rule.fired"]
    })
    const repeated = await browser.submit(page, at, { url, description: "ours" })
    expect(repeated.status).toBe(409)
    expect(repeated.text).toContain("your form had none ticked, which means all events")
  })

  it("the form of an endpoint: an old address and events that were left out do not come back", async () => {
    const { api, browser, owner, path } = await opened()
    const [old, present] = ["https://old.example.com/hook", "https://new.example.com/hook"]
    const made = await owner.send("POST", `${api}/webhooks`, { url: old, events: ["rule.fired", "places.changed"] })
    const { id } = made.json as { readonly id: string }
    const at = `${path}/webhooks/${id}`
    const page = await browser.get(at)
    await owner.send("PATCH", `${api}/webhooks/${id}`, { url: present, events: ["rule.fired"] })
    const stale = { url: old, events: ["rule.fired", "places.changed"], description: "ours" }
    const repeated = await browser.submit(page, at, stale)
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect(repeated.text).toContain(`your form had: ${old}`)
    expect(repeated.text).toContain(`value="${present}"`)
    expect(repeated.text).toContain('value="ours"')
    expect(ticked(repeated.text, "events")).toEqual(["rule.fired"])
    const saved = () => owner.get(`${api}/webhooks`)
    expect((await saved()).json).toMatchObject({ webhooks: [{ url: present, events: ["rule.fired"] }] })
    const once = { ...stale, url: present, events: ["rule.fired"] }
    expect((await browser.submit(repeated, at, once)).status).toBe(303)
    // A second press on Save sends the same form again. It must change nothing and must not be refused as outdated.
    expect((await browser.submit(repeated, at, once)).status).toBe(303)
    expect((await saved()).json).toMatchObject({ webhooks: [{ url: present, description: "ours" }] })
  })
})

it("an admin's form that was opened before another admin's change does not lift the limit of an app [apps-11]", async () => {
  const owner = await world.person()
  const [admin, other] = [await world.person({ roles: ["admin"] }), await world.person({ roles: ["admin"] })]
  const { app } = await world.app(owner, { declaredScopes: ["location.place.current", "location.lookup"] })
  const path = `/admin/apps/${app.id}`
  const [browser, another] = [await signedIn(world, admin.account.email), await signedIn(world, other.account.email)]
  const page = await browser.get(path)
  const all = ticked(page.text, "allowed_scopes")
  const limit = { allowed_scopes: all.filter((scope) => scope !== "location.lookup") }
  await another.submit(await another.get(path), `${path}/scopes`, limit)
  const repeated = await browser.submit(page, `${path}/scopes`, {
    allowed_scopes: all.filter((scope) => scope !== "location.place.current")
  })
  expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
  expect(repeated.text).toContain("Make your change again.")
  expect(ticked(repeated.text, "allowed_scopes")).toEqual(limit.allowed_scopes)
  expect((await browser.submit(repeated, `${path}/scopes`, { allowed_scopes: ["location.lookup"] })).status).toBe(303)
})

it("an admin's form can be saved when the limit of the app is a list of all scopes [apps-11]", async () => {
  const { app } = await world.app(await world.person(), { declaredScopes: ["location.lookup"] })
  const admin = await world.person({ roles: ["admin"] })
  const path = `/admin/apps/${app.id}`
  const limit = async () =>
    ((await admin.get(`/v1${path}`)).json as { readonly allowed_scopes: ReadonlyArray<string> | null }).allowed_scopes
  await admin.send("PATCH", `/v1${path}`, { allowed_scopes: Scope.all })
  expect(await limit()).toEqual(Scope.all)
  const browser = await signedIn(world, admin.account.email)
  const some = Scope.all.slice(1)
  const narrowed = await browser.submit(await browser.get(path), `${path}/scopes`, { allowed_scopes: some })
  expect([narrowed.status, await limit()]).toEqual([303, some])
  await admin.send("PATCH", `/v1${path}`, { allowed_scopes: Scope.all })
  const lifted = await browser.submit(await browser.get(path), `${path}/scopes`, { allowed_scopes: Scope.all })
  expect([lifted.status, await limit()]).toEqual([303, null])
})

describe("a person's form that was opened before another change is not saved [connection-10]", () => {
  const [CURRENT, LOOKUP] = ["location.place.current", "location.lookup"] as const
  const BOX = "scopes"

  const opened = async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    await world.run(Fixtures.purpose(app.id, "find_coffee"))
    const [home, work] = await Promise.all(
      ["Home", "Work"].map((label) =>
        world.run(RuleSamples.place(person.account.id, { label: Place.Label.make(label) }))
      )
    )
    if (home === undefined || work === undefined) throw new Error("no places")
    await world.connect(person, app, { scopes: [CURRENT, LOOKUP], places: [home.id] })
    const browser = await signedIn(world, person.account.email)
    const path = /\/portal\/connections\/con_\w+/.exec((await browser.get("/portal/connections")).text)?.[0] ?? ""
    const api = path.replace("/portal", "/v1/user")
    return { api, browser, home, page: await browser.get(path), path, person, work }
  }

  it("permissions: exact location that was ended stays ended", async () => {
    const { api, browser, page, path, person } = await opened()
    await browser.submit(page, `${path}/exact-location/end`)
    const before = (await person.get(api)).json
    const repeated = await browser.submit(page, `${path}/permissions`, {
      scopes: [CURRENT, LOOKUP],
      standard_days: "7"
    })
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect(ticked(repeated.text, BOX)).toEqual([CURRENT])
    expect(before).toMatchObject({ held_scopes: [CURRENT] })
    expect((await person.get(api)).json).toEqual(before)
    const saved = await browser.submit(repeated, `${path}/permissions`, { scopes: [CURRENT], standard_days: "7" })
    expect(saved.headers.get("location")).toBe(`${path}?done=permissions-changed`)
  })

  it("permissions, after a mistake in the form: it does not become newer by being shown again", async () => {
    const { browser, page, path } = await opened()
    await browser.submit(page, `${path}/exact-location/end`)
    const mistaken = await browser.submit(page, `${path}/permissions`, {
      scopes: [CURRENT, LOOKUP],
      standard_days: "2"
    })
    expect(mistaken.status).toBe(400)
    expect((await browser.submit(mistaken, `${path}/permissions`, { scopes: [CURRENT, LOOKUP] })).status).toBe(409)
  })

  it("places: a place that was withdrawn stays withdrawn, and earlier visits too", async () => {
    const { api, browser, home, page, path, person, work } = await opened()
    const places = async () =>
      ((await person.get(api)).json as { places: ReadonlyArray<{ id: string; include_earlier_visits: boolean }> })
        .places
    await person.send("PUT", `${api}/places`, { places: [] })
    const repeated = await browser.submit(page, `${path}/places`, { place: [home.id, work.id] })
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect([ticked(repeated.text, "place"), await places()]).toEqual([[], []])
    expect((await browser.submit(repeated, `${path}/places`, { place: home.id, earlier: home.id })).status).toBe(303)
    const second = await browser.get(path)
    await browser.submit(second, `${path}/places`, { place: home.id })
    const stale = await browser.submit(second, `${path}/places`, { place: [home.id, work.id], earlier: home.id })
    expect(stale.status).toBe(409)
    expect(await places()).toMatchObject([{ id: home.id, include_earlier_visits: false }])
  })

  it("a place: renaming it does not move it back [places-2]", async () => {
    const { browser, home, person } = await opened()
    const path = `/portal/places/${home.id}`
    const page = await browser.get(path)
    const { lat, lon, radiusM } = home.circle
    const typed = { label: "My home", kind: home.kind, lat: String(lat), lon: String(lon), radius_m: String(radiusM) }
    await person.send("PATCH", `/v1/user/places/${home.id}`, { lat: lat + 1 })
    const repeated = await browser.submit(page, path, typed)
    expect([repeated.status, repeated.text.includes(CHANGED)]).toEqual([409, true])
    expect(repeated.text).toContain(`value="${lat + 1}"`)
    const { places } = (await person.get("/v1/user/places")).json as { places: ReadonlyArray<object> }
    expect(places).toContainEqual(expect.objectContaining({ label: "Home", lat: lat + 1 }))
    const saved = await browser.submit(repeated, path, { ...typed, lat: String(lat + 1) })
    expect(saved.headers.get("location")).toBe("/portal/places?done=place-changed")
  })
})
