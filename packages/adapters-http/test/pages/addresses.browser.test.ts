import { exportNext } from "@place-access/domain/exports"
import { everything } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryArchiveMaker } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { mailedLink } from "../support/mailbox.js"
import { PASSWORD } from "../support/World.js"

const NEW = "purple monkey dishwasher"

describeBrowser.each([
  ["with JavaScript", true],
  ["without JavaScript", false]
])("addresses, from sign-up to the undo of a change, %s", (_, javaScriptEnabled) => {
  const at = desk({ options: { addressRule: "confirmed" }, browser: { javaScriptEnabled } })
  /** Inspects the page when JavaScript is on, because the inspection itself is a script in the page. */
  const look = (name: string) => (javaScriptEnabled ? inspect(at.page, name) : Promise.resolve())
  const press = (name: string) => at.page.getByRole("button", { name, exact: true }).click()
  const heading = (name: string) => at.page.getByRole("heading", { name, exact: true }).waitFor()

  it("sign-up, the mailbox, the link and its password [accounts-12]", async () => {
    const { page, world } = at
    const email = "grace@example.com"
    await page.goto(`${world.url}/sign-up?return_to=${encodeURIComponent("/portal/settings/email")}`)
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password").fill(PASSWORD)
    await press("Create account")
    await heading("Look into your mail")
    await look("sign-up-mailed")
    const first = await mailedLink(world, email, "Confirm your e-mail address")
    world.clock.advance(1_000)
    await press("Send the mail again")
    await page.getByText("the link is on its way again").waitFor()
    await mailedLink(world, email, "Confirm your e-mail address", 2)

    await page.goto(first)
    await page.getByText(`Somebody signed up with ${email}.`).waitFor()
    await look("confirm-sign-up")
    await page.getByLabel("The password that you chose").fill(NEW)
    await press("Create my account")
    await page.getByRole("link", { name: /is not the one that was chosen/ }).waitFor()
    await look("confirm-sign-up-wrong")
    await page.getByLabel("The password that you chose").fill(PASSWORD)
    await press("Create my account")
    await heading("Your e-mail address")
    await page.getByText("Confirmed", { exact: true }).waitFor()
    await page.goto(first)
    await heading("This link does not work any more")
    await look("confirm-sign-up-dead")
  })

  it("another address, and the old one brought back by mail [accounts-13]", async () => {
    const { page, world } = at
    const person = await world.person()
    const [before, after] = [person.account.email, "grace.hopper@example.com"]
    await at.as(person)
    world.clock.advance(16 * Timestamp.MINUTE)
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Change or confirm it…" }).click()
    await page.getByRole("link", { name: "Confirm that it is you first" }).click()
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button").last().click()
    await heading("Your e-mail address")
    await look("change-address")
    await page.getByLabel("New address").fill(before)
    await press("Mail me a link")
    await page.getByRole("link", { name: "New address is the address that you have" }).waitFor()
    await page.getByLabel("New address").fill(after)
    await press("Mail me a link")
    await page.getByText("A mail to the new address is on its way.").waitFor()

    await page.goto(await mailedLink(world, after, "Confirm your e-mail address"))
    await heading("Confirm the address")
    await look("confirm-address")
    await press("Change the address")
    await page.getByText("Your address is confirmed.").waitFor()
    await page.getByText(after).first().waitFor()

    await page.goto(await mailedLink(world, before, "The address of your account was changed"))
    await heading("Bring your address back")
    await look("undo-address")
    await page.getByLabel("New password").fill(NEW)
    await press("Undo the change")
    await heading("Your address is back")
    await page.getByText("Your password was changed. It is strong").waitFor()
    await look("undo-address-done")
    expect((await person.get("/v1/session")).status).toBe(401)
  })

  it("strangers guess: the link in the mail lets this browser in [accounts-15]", async () => {
    const { page, world } = at
    const { email } = (await world.person()).account
    await page.goto(`${world.url}/sign-in`)
    for (let tried = 0; tried < 6; tried++) {
      await page.getByLabel("Email").fill(email)
      await page.getByLabel("Password").fill(`a guess ${tried}`)
      await press("Sign in")
      await page.getByRole("alert").waitFor()
    }
    await look("sign-in-closed")
    await page.getByRole("link", { name: "Let me sign in all the same" }).click()
    await heading("Sign in although others guess")
    await look("unlock-link")
    await page.getByLabel("Email").fill(email)
    await press("Send me a link")
    await heading("Look into your mail")
    await page.goto(await mailedLink(world, email, "Sign in although others guess your password"))
    await heading("Let this browser sign in")
    await look("unlock")
    await press("Let this browser sign in")
    await heading("This browser can sign in")
    await page.getByRole("link", { name: "Sign in", exact: true }).click()
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password").fill(PASSWORD)
    await press("Sign in")
    await page.getByRole("link", { name: "Settings" }).waitFor()
  })
})

describeBrowser("an account without JavaScript", () => {
  const at = desk({ options: { addressRule: "confirmed" }, browser: { javaScriptEnabled: false } })

  it("sign-up, confirmation, sign-in, an archive, the end of other sessions, and of the account [accounts-6, accounts-12, exports-3]", async () => {
    const { page, world } = at
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
    const email = "grace@example.com"
    const signIn = async () => {
      await page.goto(`${world.url}/sign-in?return_to=${encodeURIComponent("/portal/settings/sessions")}`)
      await page.getByLabel("Email").fill(email)
      await page.getByLabel("Password").fill(PASSWORD)
      await press("Sign in")
      await page.getByRole("heading", { name: "Where you are signed in" }).waitFor()
    }
    await page.goto(`${world.url}/sign-up`)
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password").fill(PASSWORD)
    await press("Create account")
    await page.goto(await mailedLink(world, email, "Confirm your e-mail address"))
    await page.getByLabel("The password that you chose").fill(PASSWORD)
    await press("Create my account")
    // Without its cookies, the browser is unknown to the service, so the next sign-in makes a second session.
    await at.context.clearCookies()
    await signIn()
    expect(await page.getByText("This browser", { exact: true }).count()).toBe(1)
    await press("Sign out everywhere else")
    await page.getByText("You are signed in nowhere else.").waitFor()

    await page.getByRole("link", { name: "Settings" }).first().click()
    await page.getByRole("link", { name: "Take my data along…" }).click()
    await press("Create an archive")
    await page.getByRole("heading", { name: "Your archive is being created" }).waitFor()
    await world.run(Effect.provide(exportNext(everything.people), MemoryArchiveMaker.layer))
    await page.goto(`${world.url}/portal/settings/export`)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click()
    ])
    expect(download.suggestedFilename()).toMatch(/\.zip$/)
    await press("Sign out")
    await page.getByRole("link", { name: "Sign in" }).waitFor()

    await signIn()
    await page.goto(`${world.url}/portal/settings/delete-account`)
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByLabel("The word").fill("delete")
    await press("Delete my account for good")
    await page.getByRole("heading", { name: "Your account is deleted" }).waitFor()
    await page.goto(`${world.url}/portal/settings`)
    expect(page.url()).toContain("/sign-in")
  })
})
