import { App } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { removeDeleted } from "@place-access/domain/deletions"
import { everything } from "@place-access/domain/leases"
import { getHistoryChoice } from "@place-access/domain/retention-choice"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { PASSWORD, type Person, type World } from "../support/World.js"

const DAY = 86_400_000

const sent = async (world: World, person: Person, days: ReadonlyArray<number>) => {
  const added = await person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })
  const { token } = added.json as { readonly token: string }
  const at = (ago: number) => new Date(world.clock.now() - ago * DAY).toISOString()
  const answer = await world.call("/v1/phone/locations", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      locations: days.map((ago) => ({ captured_at: at(ago), lat: 52.52, lon: 13.405 })),
      visits: days.map((ago) => ({ arrival: at(ago + 1), departure: at(ago), lat: 52.52, lon: 13.405 }))
    })
  })
  expect(answer.status).toBe(200)
}

const plain = (text: string): string => text.replace(/\s+/g, " ")

describeBrowser("settings", () => {
  const at = desk()

  it("history: says what there is and when the next deletion is; a shorter time is asked about, with what it deletes [M3-offered]", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/connections`)
    await page.getByRole("link", { name: "Settings" }).click()
    await page.getByText("You have no history at the moment.").waitFor()
    expect(await page.getByLabel("For ever").isChecked()).toBe(true)
    await page.getByLabel("90 days").check()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved. It takes effect now.").waitFor()
    await sent(world, person, [89.5, 40, 30, 29, 1])
    await page.reload()
    await inspect(page, "settings")
    expect(await page.getByLabel("90 days").isChecked()).toBe(true)
    const text = plain(await page.getByRole("region", { name: "How long your history is kept" }).innerText())
    expect(text).toContain("5 locations and 5 records of visits")
    // At noon on 1 March, the time of the clock, the oldest location is 89.5 days old. It is deleted half a day later,
    // when it is 90 days old.
    expect(text).toContain("2 December 2025 at 00:00 UTC")
    expect(text).toContain("Next deletion 2 March 2026 at 00:00 UTC")

    await page.getByLabel("30 days").check()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Keep 30 days only?" }).waitFor()
    await inspect(page, "settings-shorter")
    expect(plain(await page.locator("main").innerText())).toContain(
      "3 locations and 3 records of visits would be deleted for good, the oldest from 2 December 2025 at 00:00 UTC"
    )
    await page.getByRole("link", { name: "Change nothing" }).click()
    expect(await page.getByLabel("90 days").isChecked()).toBe(true)
    expect((await world.run(getHistoryChoice(person.account.id))).keep).toBe(90)

    await page.getByLabel("30 days").check()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("button", { name: "Delete them and keep 30 days" }).click()
    await page.getByText("Saved. It takes effect now.").waitFor()
    expect(await page.getByLabel("30 days").isChecked()).toBe(true)
    expect(plain(await page.locator("main").innerText())).toContain("2 locations and 2 records of visits")

    // A longer time for which history is kept, or a shorter time that deletes nothing, needs no confirmation.
    for (const label of ["For ever", "365 days"]) {
      await page.getByLabel(label).check()
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Saved. It takes effect now.").waitFor()
      expect(await page.getByLabel(label).isChecked()).toBe(true)
    }
  })

  it("deleting the account: says what goes and what stays, asks for the password and a word, and then it is gone", async () => {
    const { page, world } = at
    const person = await world.person({ roles: ["developer"] })
    const other = await world.person()
    const { app } = await world.app(other, { status: "production" })
    const { app: sandbox } = await world.app(person, { name: App.AppName.make("Tea Time") })
    const { app: production } = await world.app(person, { name: App.AppName.make("Bread Time"), status: "production" })
    await world.connect(person, app, { scopes: ["location.place.current"] })
    await world.connect(person, sandbox, { scopes: ["location.place.current"] })
    await world.connect(other, production, { scopes: ["location.place.current"] })
    await at.as(person)
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Delete my account…" }).click()
    await inspect(page, "delete-account")
    const apps = plain(await page.getByRole("region", { name: "Your apps" }).innerText())
    expect(apps).toContain("Tea Time: only you could connect it; it is removed entirely")
    expect(apps).toContain("Bread Time: 1 person uses it now")
    const stays = plain(await page.getByRole("region", { name: "What stays" }).innerText())
    expect(stays).toContain("Ask them to delete it.")
    expect(stays).toContain("What you did in the team of an app stays on record, with “Deleted account”")
    expect(stays).not.toContain("as a reviewer or admin")

    await page.getByLabel("Password").fill("wrong horse battery")
    await page.getByLabel("The word").fill("remove")
    await page.getByRole("button", { name: "Delete my account for good" }).click()
    await page.getByRole("link", { name: "The word must be “delete”" }).waitFor()
    await page.getByLabel("Password").fill("wrong horse battery")
    await page.getByLabel("The word").fill("delete")
    await page.getByRole("button", { name: "Delete my account for good" }).click()
    await page.getByRole("link", { name: "Password is wrong" }).waitFor()
    await inspect(page, "delete-account-wrong")
    expect((await person.get("/v1/session")).status).toBe(200)

    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByLabel("The word").fill(" Delete ")
    await page.getByRole("button", { name: "Delete my account for good" }).click()
    await page.getByRole("heading", { name: "Your account is deleted" }).waitFor()
    await inspect(page, "account-deleted")
    expect((await person.get("/v1/session")).status).toBe(401)
    await page.goto(`${world.url}/portal/connections`)
    expect(page.url()).toContain("/sign-in")
    await world.run(removeDeleted(everything.people))
    expect(await world.run(listConnections(person.account.id))).toEqual([])

    await at.as(other)
    await page.goto(`${world.url}/portal/connections`)
    await page.getByText("Bread Time").first().waitFor()
  })

  it("the only admin reads why not, and has no button", async () => {
    const { page, world } = at
    const admin = await world.person({ roles: ["admin"] })
    await at.as(admin)
    await page.goto(`${world.url}/portal/settings/delete-account`)
    await page.getByText("You are the only admin.").waitFor()
    await inspect(page, "delete-account-admin")
    const stays = plain(await page.getByRole("region", { name: "What stays" }).innerText())
    expect(stays).toContain("What you decided or did as a reviewer or admin stays on record, with “Deleted account”")
    expect(stays).not.toContain("in the team of an app")
    expect(await page.getByRole("button", { name: /Delete/ }).count()).toBe(0)
  })
})
