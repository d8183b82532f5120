import * as OTPAuth from "otpauth"
import type { CDPSession } from "playwright-core"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { type Desk, desk } from "../support/desk.js"
import { mailTo } from "../support/mailbox.js"
import { PASSWORD } from "../support/World.js"

const MINUTE = 60_000
const FACTOR = "/portal/settings/second-factor"

/**
 * Adds a virtual authenticator that is built into the machine. It verifies the user, like a fingerprint sensor, and
 * answers without a touch.
 */
const addAuthenticator = async (cdp: CDPSession): Promise<string> => {
  await cdp.send("WebAuthn.enable")
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return authenticatorId
}

const signOut = async ({ page }: Desk) => {
  await page.getByRole("button", { name: "Sign out", exact: true }).click()
  await page.getByRole("link", { name: "Sign in" }).waitFor()
}

const enterPassword = async ({ page, world }: Desk, email: string) => {
  await page.goto(`${world.url}/sign-in?return_to=${encodeURIComponent(FACTOR)}`)
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByText("Your password is right").waitFor()
}

const codeAt = (secret: string, timestamp: number) =>
  new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret.replaceAll(" ", "")) }).generate({ timestamp })

describeBrowser("second factors, with Chromium's virtual authenticator", () => {
  const at = desk({ options: { atName: true } })

  it("a passkey: added, as the second step, alone, to confirm, copied, removed [factors-3]", async () => {
    const { context, page, world } = at
    const person = await world.person()
    const { email } = person.account
    const cdp = await context.newCDPSession(page)
    const authenticatorId = await addAuthenticator(cdp)
    await at.as(person)
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Passkeys and codes…" }).click()
    await page.getByRole("heading", { name: "Your second factor" }).waitFor()
    await inspect(page, "second-factor")
    await page.getByRole("link", { name: "Add a passkey…" }).click()
    await page.getByLabel("Name").fill("My phone")
    await inspect(page, "add-passkey")
    await page.getByRole("button", { name: "Add the passkey" }).click()
    await page.getByRole("heading", { name: "The passkey was added" }).waitFor()
    expect(await page.locator(".codes code").count()).toBe(10)
    await inspect(page, "recovery-codes")
    await page.getByRole("link", { name: "I have kept them" }).click()
    await page.getByText("10 recovery codes are left").waitFor()

    await signOut(at)
    await enterPassword(at, email)
    expect((await context.cookies()).some(({ name }) => name === "session")).toBe(false)
    await inspect(page, "second-step")
    await page.getByRole("button", { name: "Use a passkey" }).click()
    await page.getByText("last used").waitFor()
    await inspect(page, "second-factor-passkey")

    await signOut(at)
    await page.goto(`${world.url}/sign-in?return_to=${encodeURIComponent(FACTOR)}`)
    await page.getByRole("link", { name: "Sign in with a passkey" }).click()
    // In this step the authenticator cannot verify the person, so the browser returns no passkey. The page must say so.
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false })
    await page.getByRole("button", { name: "Use my passkey" }).click()
    await page.getByText("The browser gave us no passkey").waitFor()
    await inspect(page, "sign-in-passkey")
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true })
    await page.getByRole("button", { name: "Use my passkey" }).click()
    await page.getByText("last used").waitFor()

    world.clock.advance(15 * MINUTE)
    await page.getByText("Remove the passkey My phone").click()
    await page.getByRole("button", { name: "Remove the passkey My phone" }).click()
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor()
    await inspect(page, "confirm-passkey")
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByLabel("Code").fill("0000-0000-0000-0000")
    await page.getByRole("button", { name: "Go on" }).click()
    await page.getByText("Code is wrong").first().waitFor()
    await page.getByRole("button", { name: "Use a passkey" }).click()
    // The browser is back on the page of the second factor, and the session now counts as confirmed. The passkey was
    // not removed, because the person must press the button again (decision accounts-17).
    await page.getByText("10 recovery codes are left").waitFor()

    // Replaces the passkey by a copy whose signature counter has an older value.
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId })
    const [credential] = credentials
    if (credential === undefined) throw new Error("no passkey")
    await cdp.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credential.credentialId })
    await cdp.send("WebAuthn.addCredential", { authenticatorId, credential: { ...credential, signCount: 0 } })
    await signOut(at)
    // The script of this page sets the cookie with the browser's time zone, also when the person comes from a bookmark.
    // It sets the cookie again before a sign-in, because the cookie may expire while the page is open.
    const namesZone = async () => (await context.cookies()).some(({ name }) => name === "time_zone")
    await context.clearCookies({ name: "time_zone" })
    await page.goto(`${world.url}/sign-in/passkey`)
    expect(await namesZone()).toBe(true)
    await context.clearCookies({ name: "time_zone" })
    const posted = page.waitForRequest((request) => request.method() === "POST")
    await page.getByRole("button", { name: "Use my passkey" }).click()
    expect((await (await posted).allHeaders())["cookie"]).toContain("time_zone=")
    await page.getByText("The passkey was not accepted").first().waitFor()
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toContain(
      "A passkey of your account may have been copied"
    )
    await cdp.send("WebAuthn.disable")
  })
})

describeBrowser("second factors without JavaScript", () => {
  const at = desk({ options: { atName: true }, browser: { javaScriptEnabled: false } })

  it("one-time codes: set up, then a sign-in in two steps, with a code and with a recovery code [factors-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    const { email } = person.account
    await at.as(person)
    await page.goto(world.url + FACTOR)
    await page.getByRole("link", { name: "Add a passkey…" }).click()
    await page.getByText("One-time codes work without either").waitFor()
    expect(await page.getByRole("button", { name: "Add the passkey" }).isVisible()).toBe(false)
    await page.goto(world.url + FACTOR)
    await page.getByRole("button", { name: "Set up an app…" }).click()
    const secret = await page.locator("code.breaks").innerText()
    await page.getByLabel("The code that the app shows").fill(codeAt(secret, world.clock.now()))
    await page.getByRole("button", { name: "Switch on one-time codes" }).click()
    await page.getByRole("heading", { name: "One-time codes are on" }).waitFor()
    const recovery = await page.locator(".codes code").first().innerText()

    await signOut(at)
    await enterPassword(at, email)
    await page.getByLabel("Code").fill("000000")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Code is wrong, or was used before").first().waitFor()
    world.clock.advance(MINUTE)
    await page.getByLabel("Code").fill(codeAt(secret, world.clock.now()))
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Remove the app").first().waitFor()

    await signOut(at)
    await enterPassword(at, email)
    await page.getByLabel("Code").fill(recovery)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("You have 9 codes left").waitFor()
    await page.getByRole("link", { name: "Go on" }).click()
    await page.getByText("9 recovery codes are left").waitFor()
  })

  it("the page that sets up an app [factors-4]", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(world.url + FACTOR)
    await page.getByRole("button", { name: "Set up an app…" }).click()
    await page.getByRole("heading", { name: "Set up one-time codes" }).waitFor()
    expect(await page.locator(".qr svg").count()).toBe(1)
  })
})
