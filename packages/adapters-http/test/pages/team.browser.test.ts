import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspectClosely } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("the page of an app's team", () => {
  const at = desk()

  it("invites somebody, who joins, gets another role, and takes the app over [teams-2, teams-3]", async () => {
    const { page, world } = at
    const [owner, colleague] = [await world.person(), await world.person({ email: "colleague@example.com" })]
    const { app } = await world.app(owner)
    const team = `${world.url}/developer/apps/${app.id}/team`

    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByRole("link", { name: "Team", exact: true }).click()
    await inspectClosely(page, "team-alone")
    await page.getByLabel("E-mail address").fill("not an address")
    await page
      .locator("form")
      .filter({ hasText: "Send the invitation" })
      .evaluate((form) => {
        form.setAttribute("novalidate", "")
      })
    await page.getByRole("button", { name: "Send the invitation" }).click()
    await page.getByRole("alert").waitFor()
    await page.getByLabel("E-mail address").fill("colleague@example.com")
    await page.getByLabel("Role", { exact: true }).selectOption("viewer")
    await page.getByRole("button", { name: "Send the invitation" }).click()
    await page.getByText("The invitation stands.").waitFor()
    await inspectClosely(page, "team-invited")

    await at.as(colleague)
    await page.goto(`${world.url}/developer`)
    await inspectClosely(page, "team-waiting")
    await page.getByRole("link", { name: `${app.name}: see the invitation` }).click()
    await inspectClosely(page, "team-invitation")
    await page.getByRole("button", { name: "Join the team" }).click()
    await page.getByText("You are in the team now.").waitFor()
    await inspectClosely(page, "team-overview-of-viewer")
    await page.goto(team)
    expect(await page.getByText("Invite somebody").count()).toBe(0)
    await inspectClosely(page, "team-seen-by-viewer")

    await at.as(owner)
    await page.goto(team)
    await page.getByText("Change the role").click()
    await page.getByLabel(/^Role of /).selectOption("owner")
    await page.getByRole("button", { name: "Save the role" }).click()
    await page.getByText("The role was changed.").waitFor()
    await page.locator("summary", { hasText: "Hand the app over" }).click()
    await inspectClosely(page, "team-two-owners")
    await page.getByRole("button", { name: "Hand the app over" }).click()
    await page.getByText("The app was handed over.").waitFor()
    await inspectClosely(page, "team-handed-over")
    await page.locator("summary", { hasText: "Leave the team" }).click()
    await page.getByRole("button", { name: "Leave the team" }).click()
    await page.getByText("You left the team.").waitFor()
    expect((await owner.get(`/developer/apps/${app.id}`)).status).toBe(404)
  })
})
