import { recordAccess } from "@place-access/domain/access-log"
import type { App } from "@place-access/domain/apps"
import {
  createPurpose,
  decidePurpose,
  flagVolumes,
  Purpose,
  submitPurpose,
  updatePurpose
} from "@place-access/domain/purposes"
import { ConnectionId, Scope, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { bearer, type Person, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"
const HISTORY = "location.history.read"
const TERMS = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const

const addPurpose = (
  world: World,
  owner: Person,
  app: App.App,
  key = "order_ahead",
  terms: Purpose.PurposeTerms = TERMS
) => world.run(createPurpose(owner.account, app.id, { key: Purpose.PurposeKey.make(key), terms }))

const mailTo = (world: World, person: Person) =>
  world.run(
    Effect.map(MemoryDatabase, ({ mail }) =>
      [...mail.values()].filter(({ to }) => to === person.account.id).map(({ subject }) => subject)
    )
  )

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
const open = (page: Page, name: string) => page.locator("summary", { hasText: name }).click()

/** These tests run with and without JavaScript, because the pages must work without scripts. */
const lives = (javaScriptEnabled: boolean) => {
  const at = desk({ browser: { javaScriptEnabled } })
  let reviewer: Person
  let admin: Person
  beforeAll(async () => {
    reviewer = await at.world.person({ roles: ["reviewer"], email: "rosa@example.com" })
    admin = await at.world.person({ roles: ["admin"], email: "ada@example.com" })
  })
  // axe-core is a script, so it runs only with JavaScript.
  const look = (name: string) => (javaScriptEnabled ? inspect(at.page, name) : Promise.resolve())

  it("a purpose: submitted by its developer, rejected with a note, changed, submitted again, approved", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: "Coffee Ahead" as App.AppName })
    const purpose = await addPurpose(world, owner, app)
    const own = `${world.url}/developer/apps/${app.id}`
    const review = `${world.url}/review/apps/${app.id}/purposes/${purpose.id}`
    await at.as(owner)
    await page.goto(own)
    await look("developer-purposes-draft")
    await page.getByRole("button", { name: "Submit for review: order_ahead" }).click()
    await page.getByText("The purpose is in review. You get an e-mail with the decision.").waitFor()
    await page.getByText("Your app can use it while the app is not in production.").waitFor()
    await look("developer-purpose-in-review")

    await at.as(reviewer)
    await page.goto(`${world.url}/review`)
    await page.getByRole("link", { name: "Coffee Ahead: order_ahead" }).click()
    expect(page.url()).toBe(review)
    await page.getByText(TERMS.description).first().waitFor()
    await look("review-purpose")
    await press(page, "Reject")
    await page.getByRole("link", { name: /Note to the developer is missing/ }).waitFor()
    await look("review-purpose-problem")
    await page.getByLabel("Note to the developer").fill("Say how long before.\nAnd fewer calls.")
    await press(page, "Reject")
    await page.getByText("Rejected. The developer gets an e-mail with your note.").waitFor()
    expect(page.url()).toBe(`${world.url}/review?done=review-reject`)
    expect(await mailTo(world, owner)).toEqual(["Coffee Ahead: the purpose order_ahead was not approved"])

    await at.as(owner)
    await page.goto(own)
    await page.getByText("Say how long before.").waitFor()
    await look("developer-purpose-rejected-list")
    await page.getByRole("link", { name: "Change order_ahead" }).click()
    await look("developer-purpose-rejected")
    await page.getByLabel("Description").fill("short")
    await page.getByLabel("Expected daily volume").fill("0")
    await press(page, "Save")
    await page.getByRole("link", { name: /Expected daily volume must be/ }).waitFor()
    expect(await page.getByLabel("Description").inputValue()).toBe("short")
    await look("developer-purpose-problem")
    await page.getByLabel("Description").fill("To have your coffee ready ten minutes ahead.")
    await page.getByLabel("Expected daily volume").fill("5")
    await press(page, "Save")
    await page.getByText("The purpose was changed.").waitFor()
    await page.getByRole("button", { name: "Submit for review: order_ahead" }).click()
    await page.getByText("The purpose is in review.").waitFor()

    await at.as(reviewer)
    await page.goto(review)
    await page.getByText("And fewer calls.").waitFor()
    world.clock.advance(1)
    await press(page, "Approve")
    await page.getByText("Approved. The developer gets an e-mail.").waitFor()
    expect(await page.getByRole("link", { name: "Coffee Ahead: order_ahead" }).count()).toBe(0)
    await page.goto(review)
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0)
    const rows = await page.getByRole("region", { name: "Decisions so far" }).locator("tbody tr").allInnerTexts()
    expect(rows.map((text) => /Approved|Rejected/.exec(text)?.[0])).toEqual(["Approved", "Rejected"])
    expect(rows[1]).toContain("Say how long before.")
    expect(rows[0]).toContain(reviewer.account.displayName)
    await look("review-purpose-decided")
  })

  it("an edit of an approved purpose: both wordings side by side, and the reviewer decides on what was read", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { status: "production", name: "Tea Time" as App.AppName })
    const purpose = await addPurpose(world, owner, app)
    await world.run(submitPurpose(owner.account, app.id, purpose.id, "assumed", "unchecked"))
    await world.run(
      decidePurpose(reviewer.account, purpose.id, { decision: "approve", note: null, revision: "unchecked" })
    )
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}/purposes/${purpose.id}`)
    await page.getByLabel("Description").fill("To have your tea ready, and to learn your ways.")
    await page.getByLabel(LATEST).uncheck()
    await page.getByLabel(HISTORY).check()
    await page.getByLabel("Expected daily volume").fill("200")
    await press(page, "Save")
    await page.getByText("The new wording is in review. The approved wording stays in force").waitFor()
    await look("developer-purpose-edited")

    await at.as(reviewer)
    await page.goto(`${world.url}/review`)
    await page.getByText("Edit of an approved purpose").waitFor()
    await look("review-queue")
    await page.getByRole("link", { name: "Tea Time: order_ahead" }).click()
    const table = page.getByRole("region", { name: "Wording" }).locator("table")
    const rows = (await table.locator("tbody tr").all()).map((row) => row.locator("th, td").allInnerTexts())
    const cells = (await Promise.all(rows)).map((texts) => texts.map((text) => text.replace(/\s+/g, " ").trim()))
    expect(cells).toEqual([
      ["Users read Changed", TERMS.description, "To have your tea ready, and to learn your ways."],
      ["Scopes Changed", `${LATEST} Will be removed`, `${HISTORY} New`],
      ["Expected Changed", "20 calls a day and user", "200 calls a day and user"]
    ])
    await look("review-edit")

    // The developer changes the purpose once more after the reviewer has opened the page.
    await world.run(
      updatePurpose(owner.account, app.id, purpose.id, { expectedDailyVolume: 9_999 }, "assumed", "unchecked")
    )
    await page.getByLabel("Note to the developer").fill("Well said.")
    await press(page, "Approve")
    await page.getByText("The developer changed it after you opened this page. Read it again, then decide.").waitFor()
    expect(await page.getByLabel("Note to the developer").inputValue()).toBe("Well said.")
    await page.getByText("9,999 calls a day and user").waitFor()
    await look("review-edit-outdated")
    await page.getByLabel("Note to the developer").fill("That many calls are not needed.")
    await press(page, "Reject")
    await page.getByText("Rejected.").waitFor()
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}/purposes/${purpose.id}`)
    await page.getByText("That many calls are not needed.").waitFor()
    await page.getByText("Earlier wording in force").waitFor()
    await look("developer-purpose-edit-rejected")
  })

  it("a purpose archived by its developer is gone for good", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner)
    const purpose = await addPurpose(world, owner, app)
    await world.run(submitPurpose(owner.account, app.id, purpose.id, "assumed", "unchecked"))
    await at.as(reviewer)
    await page.goto(`${world.url}/review/apps/${app.id}/purposes/${purpose.id}`)
    const other = await at.context.newPage()
    await at.as(owner)
    await other.goto(`${world.url}/developer/apps/${app.id}/purposes/${purpose.id}`)
    await open(other, "Archive order_ahead for good")
    if (javaScriptEnabled) await inspect(other, "developer-purpose-archive")
    await press(other, "Archive purpose")
    await other.getByText("The purpose was archived.").waitFor()
    expect(await other.getByRole("button", { name: "Save" }).count()).toBe(0)
    expect(await other.getByText("A reviewer reads it").count()).toBe(0)
    if (javaScriptEnabled) await inspect(other, "developer-purpose-archived")
    // The reviewer presses Approve on a page that was opened before the developer archived the purpose.
    await at.as(reviewer)
    await press(page, "Approve")
    await page.getByText("Your decision was not recorded").waitFor()
    await page.getByText("Meanwhile the purpose is archived, which is final.").waitFor()
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0)
  })

  it("an app: submitted, rejected, submitted again, in production; its developer reads each note", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: "Cocoa" as App.AppName })
    await addPurpose(world, owner, app)
    const own = `${world.url}/developer/apps/${app.id}`
    await at.as(owner)
    await page.goto(own)
    await press(page, "Submit the app for review")
    await page.getByText("The app is in review. You get an e-mail with the decision.").waitFor()
    expect(await page.getByRole("button", { name: "Submit the app for review" }).count()).toBe(0)
    await look("developer-app-in-review")
    await at.as(reviewer)
    await page.goto(`${world.url}/review`)
    await page.getByRole("link", { name: "Cocoa", exact: true }).click()
    await look("review-app")
    await page.getByLabel("Note to the developer").fill("What does it do?")
    await press(page, "Reject")
    await page.getByText("Rejected.").waitFor()
    await at.as(owner)
    await page.goto(own)
    await page.getByText("What does it do?").waitFor()
    await look("developer-app-rejected")
    await press(page, "Submit the app for review")
    await at.as(reviewer)
    await page.goto(`${world.url}/review/apps/${app.id}`)
    await page.getByLabel("Note to the developer").fill("Welcome!")
    await press(page, "Approve")
    await page.getByText("Approved.").waitFor()
    await at.as(owner)
    await page.goto(own)
    await page.getByRole("heading", { name: "In production" }).waitFor()
    await page.getByText("Welcome!").waitFor()
    await look("developer-app-production")
    expect(await mailTo(world, owner)).toEqual(["Cocoa was not approved for production", "Cocoa is in production"])
  })

  it("an admin leaves an app some of its scopes, and lifts that; live tokens follow at once", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: "Chai" as App.AppName })
    const { accessToken } = await world.connect(owner, app, { scopes: [CURRENT] })
    const ask = async () => (await world.call("/v1/me", bearer(accessToken))).json as { scopes: Array<string> }
    expect((await ask()).scopes).toEqual([CURRENT])
    await at.as(admin)
    await page.goto(`${world.url}/admin`)
    await look("admin-apps")
    await page.getByRole("link", { name: "Chai" }).click()
    await look("admin-app")
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(Scope.all.length)
    await page.getByLabel(CURRENT).uncheck()
    await press(page, "Save scopes")
    await page.getByText("The allowed scopes were saved.").waitFor()
    expect(await page.getByLabel(CURRENT).isChecked()).toBe(false)
    expect((await ask()).scopes).toEqual([])
    await look("admin-app-narrowed")
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByText("An admin narrowed the app.").waitFor()
    await look("developer-app-narrowed")
    await at.as(admin)
    await page.goto(`${world.url}/admin/apps/${app.id}`)
    await page.getByLabel(CURRENT).check()
    await press(page, "Save scopes")
    await page.getByText("The allowed scopes were saved.").waitFor()
    expect((await ask()).scopes).toEqual([CURRENT])
    expect(await page.getByText("An admin left it").count()).toBe(0)
  })

  it("an admin ends an app for good, with a reason; what that means is said before", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: "Mate" as App.AppName })
    const { accessToken } = await world.connect(owner, app, { scopes: [CURRENT] })
    await at.as(admin)
    await page.goto(`${world.url}/admin/apps/${app.id}`)
    await open(page, "Revoke Mate for good")
    await page.getByText("every user is disconnected, and nobody can connect it again;").waitFor()
    await look("admin-revoke")
    // The service must refuse a reason that has only blanks, because a browser accepts blanks in a required field.
    await page.getByLabel("Reason").fill("   ")
    await press(page, "Revoke app")
    await page.getByRole("link", { name: /Reason must not be empty/ }).waitFor()
    await look("admin-revoke-problem")
    expect((await world.call("/v1/me", bearer(accessToken))).status).toBe(200)
    await page.getByLabel("Reason").fill("It sold what it learned.")
    await press(page, "Revoke app")
    await page.getByText("The app was revoked.").waitFor()
    expect(await page.getByRole("button", { name: "Revoke app" }).count()).toBe(0)
    await look("admin-revoked")
    expect((await world.call("/v1/me", bearer(accessToken))).status).toBe(401)
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByText("It sold what it learned.").waitFor()
    expect(await page.getByRole("button", { name: "Submit the app for review" }).count()).toBe(0)
    await look("developer-app-revoked")
  })

  it("volume flags lead to the app and its purpose, and name the connection alone", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: "Kefir" as App.AppName })
    await addPurpose(world, owner, app, "find_cows", { ...TERMS, expectedDailyVolume: 1 })
    await at.as(reviewer)
    await page.goto(`${world.url}/review/flags`)
    await page.getByText("No app has asked unusually often.").waitFor()
    const user = await world.person()
    const connectionId = ConnectionId.make("con_flagged")
    const access = recordAccess({
      owner: { userId: user.account.id, appId: app.id, connectionId },
      endpoint: "GET /v1/locations/latest",
      purpose: "find_cows",
      status: 200,
      error: null,
      disclosed: "one location"
    })
    await world.run(Effect.replicateEffect(access, 3))
    await world.run(flagVolumes(Timestamp.make(world.clock.now() + 1)))
    await page.reload()
    const [row = ""] = await page.locator("tbody tr").allInnerTexts()
    for (const part of ["Kefir", connectionId, "find_cows", "3 times", "1 a day"]) expect(row).toContain(part)
    expect(await page.content()).not.toContain(user.account.email)
    await look("review-flags")
    await page.getByRole("link", { name: "find_cows" }).click()
    await page.getByRole("heading", { name: "Purpose find_cows" }).waitFor()
    await page.goto(`${world.url}/review/apps`)
    await look("review-apps")
    await page.getByRole("link", { name: "Kefir" }).click()
    await page.getByRole("heading", { name: "Kefir" }).waitFor()
  })

  it("the longest waiting comes first, and long lists come in parts", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: "Queue" as App.AppName })
    for (let index = 0; index < 52; index++) {
      const key = `waits_${String(index).padStart(2, "0")}`
      const purpose = await addPurpose(world, owner, app, key)
      await world.run(submitPurpose(owner.account, app.id, purpose.id, "assumed", "unchecked"))
      world.clock.advance(1)
    }
    await at.as(reviewer)
    await page.goto(`${world.url}/review`)
    const keys: Array<string> = []
    const collect = async () => {
      for (const text of await page.locator("main h2").allInnerTexts()) {
        if (text.startsWith("Queue: ")) keys.push(text.slice("Queue: ".length))
      }
    }
    await collect()
    await page.getByRole("link", { name: "More" }).click()
    await page.getByRole("link", { name: "Longest waiting" }).waitFor()
    await collect()
    expect(keys).toEqual(Array.from({ length: 52 }, (_, index) => `waits_${String(index).padStart(2, "0")}`))
    const forged = await page.goto(`${world.url}/review?cursor=forged`)
    expect(forged?.status()).toBe(200)
  })
}

describeBrowser("review and administration", () => {
  describe("in a browser with scripts", () => lives(true))
  describe("in a browser without", () => lives(false))
})

describeBrowser("who sees what", () => {
  const at = desk()
  const entries = async (page: Page) => page.getByRole("navigation", { name: "Main" }).getByRole("link").allInnerTexts()

  it.each([
    { roles: [], review: 403, admin: 403, links: [] },
    { roles: ["developer"], review: 403, admin: 403, links: [] },
    { roles: ["reviewer"], review: 200, admin: 403, links: ["Review"] },
    { roles: ["admin"], review: 200, admin: 200, links: ["Review", "Admin"] }
  ] as const)("roles $roles: /review $review, /admin $admin, navigation $links", async (row) => {
    const { page, world } = at
    const { app } = await world.app(await world.person())
    await at.as(await world.person({ roles: row.roles }))
    await page.goto(world.url)
    expect((await entries(page)).filter((name) => name === "Review" || name === "Admin")).toEqual(row.links)
    await inspect(page, `home-${row.roles.join("-") || "user"}`)
    for (const path of ["/review", "/review/flags", "/review/leaks", "/review/apps", `/review/apps/${app.id}`]) {
      expect([path, (await page.goto(world.url + path))?.status()]).toEqual([path, row.review])
    }
    for (const path of ["/admin", `/admin/apps/${app.id}`]) {
      expect([path, (await page.goto(world.url + path))?.status()]).toEqual([path, row.admin])
    }
    if (row.admin === 403) {
      await page.getByRole("heading", { name: "This is not allowed" }).waitFor()
      await inspect(page, `refused-${row.roles.join("-") || "user"}`)
    }
  })

  it("what is not there is not found, for reviewers and admins too", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner)
    const { app: other } = await world.app(owner)
    const purpose = await addPurpose(world, owner, other)
    await at.as(await world.person({ roles: ["admin"] }))
    for (const path of [
      "/review/apps/app_unknown",
      "/admin/apps/app_unknown",
      `/review/apps/${app.id}/purposes/pps_unknown`,
      `/review/apps/${app.id}/purposes/${purpose.id}`,
      // This page exists only for the team of the app, and the admin is not in the team. So the answer is 404.
      `/developer/apps/${other.id}/purposes/${purpose.id}`
    ]) {
      expect([path, (await page.goto(world.url + path))?.status()]).toEqual([path, 404])
    }
  })
})
