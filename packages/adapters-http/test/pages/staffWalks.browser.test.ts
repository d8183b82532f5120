import { App, updateApp } from "@place-access/domain/apps"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { look } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { PASSWORD, type Person } from "../support/World.js"

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

/**
 * Tasks of staff and developers in a browser, with and without scripts. Other tests check the programs behind the
 * pages.
 */
const walks = (javaScriptEnabled: boolean) => {
  const at = desk({ browser: { javaScriptEnabled } })
  let admin: Person
  let reviewer: Person
  beforeAll(async () => {
    admin = await at.world.person({ roles: ["admin"], email: "ada@example.com" })
    reviewer = await at.world.person({ roles: ["reviewer"], email: "rosa@example.com" })
  })
  const see = (name: string) =>
    look(at.page, `walk-${name}-${javaScriptEnabled ? "scripts" : "plain"}`, javaScriptEnabled)

  it("an admin suspends an account and resumes it: its owner is refused in between, and then back [staff-1]", async () => {
    const { page, world } = at
    const person = await world.person({ email: "sam@example.com" })
    const signIn = async () => {
      await at.context.clearCookies()
      await page.goto(`${world.url}/sign-in?return_to=/portal/devices`)
      await page.getByLabel("Email").fill(person.account.email)
      await page.getByLabel("Password").fill(PASSWORD)
      await press(page, "Sign in")
    }
    const find = async () => {
      await at.context.clearCookies()
      await at.as(admin)
      await page.goto(`${world.url}/admin/accounts`)
      await page.getByLabel("E-mail address or id").fill(person.account.email)
      await press(page, "Find account")
    }
    await find()
    await see("account")
    await page.getByText(`Suspend ${person.account.displayName}`).click()
    await press(page, "Suspend account")
    await page.getByText("The account is suspended. Its owner gets an e-mail.").waitFor()
    await see("account-suspended")
    await signIn()
    await page.getByText("This account is suspended").waitFor()
    await see("sign-in-suspended")
    await find()
    await press(page, "Resume account")
    await page.getByText("The account works again. Its owner gets an e-mail.").waitFor()
    await see("account-resumed")
    await signIn()
    await page.waitForURL(`${world.url}/portal/devices`)
  })

  it("a reviewer reads what an app in production wants to change, sees its consent page, and approves [M2]", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, {
      name: App.AppName.make("Rooibos"),
      status: "production",
      declaredScopes: ["location.place.current"]
    })
    await world.run(
      updateApp(
        owner.account,
        app.id,
        {
          name: App.AppName.make("Rooibos Ahead"),
          scopes: ["location.place.current", "location.places.watch"]
        },
        "assumed",
        "unchecked"
      )
    )
    await at.as(reviewer)
    await page.goto(`${world.url}/review`)
    await see("review-queue")
    await page.getByRole("link", { name: "Rooibos", exact: true }).click()
    const table = page.getByRole("region", { name: "Changes to decide on" }).locator("table")
    const cells = await table.locator("tbody td").allInnerTexts()
    expect(cells.map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
      "Rooibos",
      "Rooibos Ahead",
      "location.place.current",
      "location.place.current location.places.watch New"
    ])
    await see("review-change")
    await page.getByRole("link", { name: "The consent page: if you approve" }).click()
    const shown = page.locator("fieldset.preview")
    await shown.getByText("Rooibos Ahead").first().waitFor()
    expect(await shown.locator("button:enabled, input:enabled, a[href]").count()).toBe(0)
    await see("review-preview")
    await page
      .getByRole("navigation", { name: "Versions of the consent page" })
      .getByRole("link", { name: "In force" })
      .click()
    expect(await shown.getByText("Rooibos Ahead").count()).toBe(0)
    await see("review-preview-in-force")
    await page.goto(`${world.url}/review/apps/${app.id}`)
    await press(page, "Approve")
    await page.getByText("Approved. The developer gets an e-mail.").waitFor()
    await at.context.clearCookies()
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByRole("heading", { name: "Rooibos Ahead" }).waitFor()
    await see("developer-approved")
  })

  it("a developer ends the earlier signing secrets of an endpoint at once, or all but a new one", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await world.app(owner, { name: App.AppName.make("Matcha") })
    const url = "https://hooks.example.com/matcha"
    expect((await owner.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url, events: [] })).status).toBe(201)
    const list = `${world.url}/developer/apps/${app.id}/webhooks`
    const open = () => page.locator("summary", { hasText: "New signing secret" }).click()
    await at.as(owner)
    await page.goto(list)
    await open()
    await see("endpoint-secret")
    await press(page, "Issue a new secret")
    const second = await page.getByTestId("signing-secret").innerText()
    await see("secret-issued")
    await page.goto(list)
    await open()
    await page.getByText("An earlier secret signs too").waitFor()
    await see("endpoint-two-secrets")
    await press(page, "End the earlier secrets now")
    await page.getByText("The earlier secrets have ended. The newest one works.").waitFor()
    await open()
    expect(await page.getByRole("button", { name: "End the earlier secrets now" }).count()).toBe(0)
    await see("endpoint-ended")
    await press(page, "Replace the secret now")
    expect(await page.getByTestId("signing-secret").innerText()).not.toBe(second)
    await see("secret-replaced")
  })
}

describeBrowser("walks of staff and developers", () => {
  describe("with JavaScript", () => walks(true))
  describe("without JavaScript", () => walks(false))
})
