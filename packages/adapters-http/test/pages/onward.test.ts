import { listConnections } from "@place-access/domain/connection"
import { App, registerRedirectUris } from "@place-access/domain/apps"
import { decidePurpose, submitPurpose } from "@place-access/domain/purposes"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { inflateSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const tokenOn = async (person: Person, path: string) =>
  /name="form_token" value="([^"]+)"/.exec((await person.get(path)).text.split("<main")[1] ?? "")?.[1] ?? ""

describe("what a page says after a change, and where it leads", () => {
  it("a change of an app in production that waits for a reviewer is not said to be in force [apps-4]", async () => {
    const owner = await world.person()
    const save = async (app: App.App, name: string) => {
      const path = `/developer/apps/${app.id}`
      const fields = new URLSearchParams({
        form_token: await tokenOn(owner, path),
        revision: String(app.revision),
        name,
        description: app.description,
        homepage_url: app.homepageUrl ?? ""
      })
      for (const scope of app.declaredScopes) fields.append("scopes", scope)
      const answer = await owner.send("POST", path, undefined, {
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: fields.toString()
      })
      return (await owner.get(answer.headers.get("location") ?? "")).text
    }
    const { app: sandbox } = await world.app(owner)
    expect(await save(sandbox, "Tea Time")).toContain("The app was changed.")
    const { app: production } = await world.app(owner, { status: "production" })
    const page = await save(production, "Tea Time")
    expect(page).toContain("What needs a review waits for a reviewer.")
    expect(page).not.toContain("The app was changed.")
  })

  it("a first client secret has no secret before it, a second one has", async () => {
    const owner = await world.person()
    const { id } = await world.run(Fixtures.app(owner.account.id))
    const browser = await signedIn(world, owner.account.email)
    const path = `/developer/apps/${id}`
    const register = async () => {
      const fields = { redirect_uris: "https://coffee.example/callback", secret: "new" }
      return (await browser.submit(await browser.get(path), `${path}/redirect-uris`, fields)).text
    }
    const [first, second] = [await register(), await register()]
    expect([first.includes("This is shown once."), first.includes("The secret before it")]).toEqual([true, false])
    expect(second).toContain("The secret before it works for another 24 hours.")
  })

  it("the end of earlier client secrets speaks of client secrets in German, that of signing secrets of those", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    await world.run(registerRedirectUris(owner.account, app.id, app.redirectUris, "assumed", "unchecked"))
    const browser = await signedIn(world, owner.account.email)
    const path = `/developer/apps/${app.id}`
    const ended = await browser.submit(await browser.get(path), `${path}/secrets/end-previous`)
    const read = async (address: string) => (await browser.get(address, { "accept-language": "de" })).text
    expect(await read(ended.headers.get("location") ?? "")).toContain("Die früheren Client-Secrets gelten nicht mehr.")
    browser.cookies.set("notice", "secrets-ended")
    expect(await read(`${path}/webhooks?done=secrets-ended`)).toContain("Die früheren Signaturschlüssel sind ungültig.")
  })

  it("a new purpose of an app in production cannot be used yet [purposes-1]", async () => {
    const owner = await world.person()
    const browser = await signedIn(world, owner.account.email)
    const add = async ({ id }: App.App) => {
      const path = `/developer/apps/${id}`
      const fields = {
        key: "find_friends",
        purpose_description: "Shows your friends where you are",
        purpose_scopes: "location.lookup",
        expected_daily_volume: "20"
      }
      const answer = await browser.submit(await browser.get(path), `${path}/purposes`, fields)
      return (await browser.get(answer.headers.get("location") ?? "")).text
    }
    const sandbox = await add((await world.app(owner)).app)
    expect(sandbox).toContain("The purpose was created. Your app can use it while it is in the sandbox.")
    const production = await add((await world.app(owner, { status: "production" })).app)
    expect(production).toContain("The purpose was created. Your app can use it when a reviewer has approved it")
  })

  it("the page of a live connection leads to the set-up of a phone while there is none", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    await world.connect(owner, app, { scopes: ["location.place.current"] })
    const [connection] = await world.run(listConnections(owner.account.id))
    const path = `/portal/connections/${connection?.id}`
    expect((await owner.get(path)).text).toContain("Set up your phone")
    await world.run(RuleSamples.device(owner.account.id))
    expect((await owner.get(path)).text).not.toContain("Set up your phone")
  })

  it("the last page of a deleted account leads to the front page", async () => {
    const page = await world.call("/account-deleted")
    expect(page.text.split("<main")[1]).toContain('href="/"')
  })

  it("the audit log names a purpose by its key", async () => {
    const [admin, owner] = [await world.person({ roles: ["admin"] }), await world.person()]
    const { app } = await world.app(owner)
    const { id } = await world.run(Fixtures.purpose(app.id, "find_friends"))
    await world.run(submitPurpose(owner.account, app.id, id, "assumed", "unchecked"))
    await world.run(decidePurpose(admin.account, id, { decision: "approve", note: null, revision: 1 }))
    const { text } = await admin.get(`/admin/audit-log?account=${owner.account.id}&kind=review_decided`)
    expect([text.includes("The purpose <code>find_friends</code> of the app"), text.includes(id)]).toEqual([
      true,
      false
    ])
  })

  it("the audit log names an app, and leads to it", async () => {
    const admin = await world.person({ roles: ["admin"] })
    const owner = await world.person()
    const { app } = await world.app(owner, { name: App.AppName.make("Coffee Ahead") })
    await world.run(registerRedirectUris(owner.account, app.id, app.redirectUris, "assumed", "unchecked"))
    await world.run(registerRedirectUris(owner.account, app.id, app.redirectUris, "assumed", "unchecked"))
    const page = (await admin.get(`/admin/audit-log?account=${owner.account.id}&kind=secret_rotated`)).text
    expect(page).toMatch(new RegExp(`href="/admin/apps/${app.id}"[^>]*>\\s*Coffee Ahead`))
  })
})

it("the icon for iOS is a PNG of 180 x 180 pixels: the logo on the ground of the pages", async () => {
  const answer = await fetch(`${world.url}/apple-touch-icon.png`)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"])
  const png = Buffer.from(await answer.arrayBuffer())
  expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([180, 180])
  const body = png.indexOf("IDAT")
  const rows = inflateSync(png.subarray(body + 4, body + 4 + png.readUInt32BE(body - 4)))
  const pixel = (x: number, y: number) => [...rows.subarray(y * 541 + 1 + x * 3, y * 541 + 4 + x * 3)]
  const [ground, ink] = [
    [0x17, 0x60, 0x4d],
    [0xff, 0xff, 0xff]
  ]
  // Three pixels of the icon: one in a corner, one on the head of the pin beside its hole, and one in the hole.
  expect([pixel(0, 0), pixel(66, 71), pixel(90, 71)]).toEqual([ground, ink, ground])
})
