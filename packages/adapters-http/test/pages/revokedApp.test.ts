import { AppStore } from "@place-access/domain/apps"
import { Fixtures } from "@place-access/domain/testing"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const TERMS = {
  description: "Shows your friends where you are",
  scopes: ["location.lookup"],
  expected_daily_volume: 24
}

/** The owner of a revoked app that has an approved purpose and a webhook endpoint. */
const revoked = async (status: "sandbox" | "production" = "production") => {
  const owner = await world.person()
  const { app } = await world.app(owner, { status })
  const added = await owner.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url: "https://hooks.example.com/" })
  const endpoint = added.json as { readonly id: string; readonly url: string }
  await world.run(
    Effect.flatMap(AppStore, (apps) =>
      apps.update(app.id, (before) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, revokedAt: Timestamp.make(world.clock.now()) } }
      }))
    )
  )
  const purpose = await world.run(Fixtures.purpose(app.id, "find_coffee", { status: "approved" }))
  const browser = await signedIn(world, owner.account.email)
  const path = `/developer/apps/${app.id}`
  const form_token = /name="form_token" value="([^"]+)"/.exec((await browser.get(path)).text)?.[1] ?? ""
  return { owner, app, endpoint, purpose, browser, path, form_token }
}

describe("a revoked app [P1]", () => {
  it("its purposes are neither added nor changed: 409", async () => {
    const { app, owner, purpose } = await revoked()
    const path = `/v1/developer/apps/${app.id}/purposes`
    const answers = [
      await owner.send("POST", path, { key: "find_friends", ...TERMS }),
      await owner.send("PATCH", `${path}/${purpose.id}`, { description: TERMS.description })
    ]
    for (const { json, status } of answers) {
      expect([status, json]).toMatchObject([409, { message: "the app was revoked, which is final" }])
    }
    expect((await owner.get(path)).json).toMatchObject({ purposes: [{ id: purpose.id, status: "approved" }] })
  })

  it("the pages say so and offer no form for a purpose", async () => {
    const { browser, path, purpose } = await revoked()
    const [overview, own] = [await browser.get(path), await browser.get(`${path}/purposes/${purpose.id}`)]
    for (const { status, text } of [overview, own]) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/action="[^"]*\/purposes/)
    }
    expect(overview.text).toContain("The app is revoked, so its purposes cannot be used or changed.")
    expect(overview.text).toContain('aria-label="Look at find_coffee"')
    expect(own.text).toContain("The app is revoked, so the purpose cannot be used or changed.")
  })

  it("the page offers only reading: no form changes the app, its secrets, redirect URIs or logo", async () => {
    const { browser, path } = await revoked()
    const { text } = await browser.get(path)
    expect(text).toContain("The app was revoked")
    expect(text).not.toContain("An admin")
    expect(text).not.toMatch(/<form[^>]*action="\/developer/)
    const logo = await browser.get(`${path}/logo`)
    expect([logo.status, logo.text.includes('type="file"')]).toEqual([200, false])
  })

  it("a form that was open before the revocation is refused with the reason", async () => {
    const { browser, form_token, path, purpose } = await revoked()
    const fields = {
      form_token,
      key: "find_friends",
      purpose_description: TERMS.description,
      purpose_scopes: TERMS.scopes,
      expected_daily_volume: "24"
    }
    const own = {
      name: "New name",
      description: "Another description",
      homepage_url: "",
      scopes: ["location.place.current"]
    }
    const redirects = { form_token, redirect_uris: "https://app.example/callback" }
    for (const [action, typed] of [
      [`${path}/purposes`, fields],
      [`${path}/purposes/${purpose.id}`, fields],
      [path, { form_token, ...own }],
      [`${path}/redirect-uris`, redirects]
    ] as const) {
      const answer = await browser.post(action, typed)
      expect([action, answer.status, answer.text.includes("app was revoked, which is final")]).toEqual([
        action,
        409,
        true
      ])
    }
  })

  it("its endpoints are not added or changed, and get no new secret: 409; they are read, tested and removed [apps-2]", async () => {
    const { app, browser, endpoint, form_token, owner, path } = await revoked()
    const api = `/v1/developer/apps/${app.id}/webhooks`
    const added = { url: "https://hooks.example.com/new" }
    const answers = [
      await owner.send("POST", api, added),
      await owner.send("PATCH", `${api}/${endpoint.id}`, added),
      await owner.send("POST", `${api}/${endpoint.id}/rotate-secret`),
      await owner.send("POST", `${api}/${endpoint.id}/replace-secret`)
    ]
    for (const { json, status } of answers) {
      expect([status, json]).toMatchObject([409, { error: "conflict", message: "the app was revoked, which is final" }])
    }
    expect((await owner.get(api)).json).toMatchObject({ webhooks: [{ id: endpoint.id, url: endpoint.url }] })

    const tab = await browser.get(`${path}/webhooks`)
    const page = await browser.get(`${path}/webhooks/${endpoint.id}`)
    for (const { status, text } of [tab, page]) {
      expect([status, text.includes("The app is revoked: no endpoint can be added or changed")]).toEqual([200, true])
      expect(text).not.toMatch(/action="[^"]*\/webhooks(?:\/ep_[^/"]*)?"/)
      expect(text).toMatch(/action="[^"]*\/webhooks\/ep_[^/"]*\/test"/)
      expect(text).not.toMatch(/action="[^"]*\/recover"/)
      expect(text).not.toMatch(/\/(?:rotate-secret|replace-secret|enable)"/)
      expect(text).toMatch(/\/test"/)
    }
    for (const action of ["", `/${endpoint.id}`, `/${endpoint.id}/rotate-secret`, `/${endpoint.id}/replace-secret`]) {
      const answer = await browser.post(`${path}/webhooks${action}`, {
        form_token,
        description: "",
        events: [],
        ...added
      })
      const isExplained = answer.text.includes("app was revoked, which is final")
      expect([action, answer.status, isExplained]).toEqual([action, 409, true])
    }
    expect((await owner.send("DELETE", `${api}/${endpoint.id}`)).status).toBe(204)
  })

  it("a reviewer reads of no purpose that it waits for a decision", async () => {
    const { app } = await revoked()
    const purpose = await world.run(
      Fixtures.purpose(app.id, "find_friends", {
        status: "in_review",
        submission: { at: Timestamp.make(world.clock.now()), revision: 1 }
      })
    )
    const reviewer = await world.person({ roles: ["reviewer"] })
    const { status, text } = await reviewer.get(`/review/apps/${app.id}/purposes/${purpose.id}`)
    expect([status, text.includes("is revoked")]).toEqual([200, true])
    for (const words of ["Waits for a decision", "In review"]) expect(text).not.toContain(words)
  })

  it("the page of test people says that the app is revoked, and nothing of production [test-people-1]", async () => {
    const { browser, path } = await revoked("sandbox")
    const { text } = await browser.get(`${path}/test-people`)
    expect(text).toContain("The app can have no test people: the app was revoked.")
    expect(text).not.toContain("in production")
    const german = await browser.get(`${path}/test-people`, { "accept-language": "de" })
    expect(german.text).toContain("Die App kann keine Testpersonen haben: die App wurde widerrufen.")
  })
})
