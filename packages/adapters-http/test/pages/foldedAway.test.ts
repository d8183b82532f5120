import * as OTPAuth from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authenticator, optionsOf } from "../support/authenticator.js"
import { signedIn } from "../support/browsing.js"
import { connected } from "../support/connected.js"
import type { Visitor } from "../support/visitor.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld({ atName: true })
})
afterAll(() => world.close())

const FACTOR = "/portal/settings/second-factor"

/**
 * The part of the page that is folded away and contains the form that is posted to `action`. Undefined when the form is
 * not folded away.
 */
const folded = (text: string, action: string): string | undefined =>
  (text.match(/<details>[\s\S]*?<\/details>/g) ?? []).find((part) => part.includes(`action="${action}"`))

const addCodeApp = async (browser: Visitor) => {
  await browser.submit(await browser.get(FACTOR), `${FACTOR}/app/begin`)
  const page = await browser.get(`${FACTOR}/app`)
  const secret = (/<code class="breaks">([^<]+)</.exec(page.text)?.[1] ?? "").replaceAll(" ", "")
  const totp = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) })
  await browser.submit(page, `${FACTOR}/app`, { code: totp.generate({ timestamp: world.clock.now() }) })
}

describe("a button whose act cannot be taken back is folded away, and says what it does", () => {
  it("the removal of the only second factor, and of no other [factors-1]", async () => {
    const browser = await signedIn(world, (await world.person()).account.email)
    await addCodeApp(browser)
    const only = "This is your only second factor."
    expect(folded((await browser.get(FACTOR)).text, `${FACTOR}/app/remove`)).toContain(only)
    const page = await browser.get(`${FACTOR}/add-passkey`)
    const passkey = authenticator(world.url).create(optionsOf(page.text))
    await browser.submit(page, `${FACTOR}/add-passkey`, { name: "My phone", passkey })
    const both = (await browser.get(FACTOR)).text
    expect(both).toContain("My phone")
    expect([folded(both, `${FACTOR}/app/remove`), both.includes(only)]).toEqual([undefined, false])
    await browser.submit(await browser.get(FACTOR), `${FACTOR}/app/remove`)
    const { text } = await browser.get(FACTOR)
    const action = /action="([^"]+\/passkeys\/[^"]+\/remove)"/.exec(text)?.[1] ?? ""
    expect(folded(text, action)).toContain(only)
  })

  it("the role Admin, and of no other [staff-2]", async () => {
    const admin = await world.person({ roles: ["admin", "reviewer"] })
    const { text } = await admin.get(`/admin/accounts/${admin.account.id}`)
    expect(folded(text, `/admin/accounts/${admin.account.id}/roles/admin/take`)).toContain("Remove the role Admin")
    expect(folded(text, `/admin/accounts/${admin.account.id}/roles/reviewer/take`)).toBeUndefined()
  })

  it("new recovery codes, while earlier codes are left [factors-5]", async () => {
    const browser = await signedIn(world, (await world.person()).account.email)
    await addCodeApp(browser)
    const part = folded((await browser.get(FACTOR)).text, `${FACTOR}/recovery-codes`)
    expect(part).toContain("The codes that you have kept no longer work then.")
  })

  it("the removal of an app's rule", async () => {
    const { connect, createRule, person } = await connected(world)
    const { access_token } = await connect(["location.rules.place"])
    await createRule(access_token)
    const browser = await signedIn(world, person.account.email)
    const path = /\/portal\/connections\/con_\w+/.exec((await browser.get("/portal/connections")).text)?.[0] ?? ""
    const { text } = await browser.get(path)
    const action = /action="([^"]+\/rules\/[^"]+\/remove)"/.exec(text)?.[1] ?? ""
    expect(folded(text, action)).toContain("You cannot bring the rule back")
  })
})
