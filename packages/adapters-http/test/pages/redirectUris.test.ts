import { RedirectUri } from "@place-access/domain/apps"
import { Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const FIRST = "https://coffee.example/callback"
const SECOND = "https://coffee.example/other"

/** An app in production. `world.app` gives it a client secret. */
const opened = async () => {
  const owner = await world.person()
  const { app } = await world.app(owner, { status: "production", redirectUris: [RedirectUri.RedirectUri.make(FIRST)] })
  const browser = await signedIn(world, owner.account.email)
  const [api, path] = [`/v1/developer/apps/${app.id}`, `/developer/apps/${app.id}`]
  return {
    path,
    page: () => browser.get(path),
    save: async (fields: { readonly redirect_uris: string; readonly secret?: "new" }) =>
      browser.submit(await browser.get(path), `${path}/redirect-uris`, fields),
    secrets: async () => ((await owner.get(`${api}/secrets`)).json as { secrets: ReadonlyArray<unknown> }).secrets,
    app: async () => (await owner.get(api)).json
  }
}

describe("the form of the redirect URIs of an app that has a client secret [apps-7]", () => {
  it("saves them and keeps the secret", async () => {
    const { app, page, path, save, secrets } = await opened()
    const before = await secrets()
    expect((await page()).text).toContain(">Save the redirect URIs</button")
    const saved = await save({ redirect_uris: SECOND })
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `${path}?done=app-changed`])
    expect(await app()).toMatchObject({ redirect_uris: [SECOND] })
    expect([before.length, await secrets()]).toEqual([1, before])
  })

  it("says that a new origin waits for a reviewer", async () => {
    const { app, path, save, secrets } = await opened()
    const saved = await save({ redirect_uris: "https://elsewhere.example.com/callback" })
    expect(saved.headers.get("location")).toBe(`${path}?done=app-change-waits`)
    expect(await app()).toMatchObject({ redirect_uris: [FIRST], pending: expect.anything() })
    expect(await secrets()).toHaveLength(1)
  })

  it("issues another secret with its second button", async () => {
    const { app, save, secrets } = await opened()
    const issued = await save({ redirect_uris: SECOND, secret: "new" })
    expect(issued.text).toContain("pa_cs_")
    expect(await app()).toMatchObject({ redirect_uris: [SECOND] })
    expect(await secrets()).toHaveLength(2)
  })
})

describe("the form of the redirect URIs of an app without a client secret [apps-7]", () => {
  it("issues the first secret, and has no button that would not", async () => {
    const owner = await world.person()
    const { id } = await world.run(Fixtures.app(owner.account.id))
    const browser = await signedIn(world, owner.account.email)
    const page = await browser.get(`/developer/apps/${id}`)
    expect(page.text).not.toContain("Save the redirect URIs")
    const issued = await browser.submit(page, `/developer/apps/${id}/redirect-uris`, { redirect_uris: SECOND })
    expect([issued.status, issued.text.includes("pa_cs_")]).toEqual([200, true])
  })
})
