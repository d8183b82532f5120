import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { mailedLink, mailTo } from "../support/mailbox.js"
import { PASSWORD } from "../support/World.js"

const NEW = "purple monkey dishwasher"

describeBrowser.each([
  ["with JavaScript", true],
  ["without JavaScript", false]
])("passwords, %s", (name, javaScriptEnabled) => {
  const at = desk({ browser: { javaScriptEnabled } })
  /** Inspects the page when JavaScript is on, because the inspection itself is a script in the page. */
  const look = (page: string) => (javaScriptEnabled ? inspect(at.page, page) : Promise.resolve())

  it(`a forgotten password: from the sign-in page by mail to a new one (${name})`, async () => {
    const { page, world } = at
    const person = await world.person()
    const { email } = person.account
    await page.goto(`${world.url}/sign-in`)
    await page.getByRole("link", { name: "Forgot your password?" }).click()
    await page.getByRole("heading", { name: "Set a new password" }).waitFor()
    await look("forgot-password")
    await page.getByLabel("Email").fill(email)
    await page.getByRole("button", { name: "Send me a link" }).click()
    await page.getByRole("heading", { name: "Look into your mail" }).waitFor()
    await look("forgot-password-sent")

    const link = await mailedLink(world, email, "Set a new password")
    await page.goto(link)
    await page.getByText(`For ${email}.`).waitFor()
    await look("reset-password")
    await page.getByLabel("New password").fill("password123")
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("link", { name: "New password is one of the passwords that attackers try first" }).waitFor()
    await look("reset-password-common")
    await page.getByLabel("New password").fill(NEW)
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("heading", { name: "Your password was changed" }).waitFor()
    await page.getByText("It is strong").waitFor()
    await look("reset-password-done")
    expect((await person.get("/v1/session")).status).toBe(401)

    await page.getByRole("link", { name: "Sign in" }).click()
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password").fill(NEW)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("link", { name: "Settings" }).waitFor()
    await page.goto(link)
    await page.getByRole("heading", { name: "This link does not work any more" }).waitFor()
    await look("reset-password-dead")
    await page.getByRole("link", { name: "Send me a new link" }).click()
    await page.getByRole("button", { name: "Send me a link" }).waitFor()
  })

  it(`changing the password in the settings (${name})`, async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Change my password…" }).click()
    await page.getByRole("heading", { name: "Change your password" }).waitFor()
    await look("change-password")
    const fill = async (old: string, fresh: string) => {
      await page.getByLabel("Your present password").fill(old)
      await page.getByLabel("New password").fill(fresh)
      await page.getByRole("button", { name: "Change the password" }).click()
    }
    await fill("not this one", NEW)
    await page.getByRole("link", { name: "Your present password is wrong" }).waitFor()
    await look("change-password-wrong")
    await fill(PASSWORD, person.account.email)
    await page.getByRole("link", { name: "New password must not be made from your e-mail address" }).waitFor()
    await fill(PASSWORD, NEW)
    await page.getByText("Your password was changed. It is strong").waitFor()
    await look("change-password-done")
    // The browser stays signed in with a new cookie. A copy of the old cookie must no longer work.
    expect((await page.request.get(`${world.url}/v1/session`)).status()).toBe(200)
    expect((await person.get("/v1/session")).status).toBe(401)
    const [notice] = await mailTo(world, person.account.email)
    expect(notice?.subject).toBe("Your password was changed")
  })
})
