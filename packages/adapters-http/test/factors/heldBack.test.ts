import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authenticator, optionsOf } from "../support/authenticator.js"
import { hidden, type Visitor, visitor } from "../support/visitor.js"
import { holdBack } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

/** Browsers make passkeys for host names only, but the socket of the test has a network address. */
const SERVICE = "https://places.example"
const ADD = "/portal/settings/second-factor/add-passkey"

let world: World
beforeAll(async () => {
  world = await startWorld({ baseUrl: SERVICE, authUrl: SERVICE, userPortalUrl: `${SERVICE}/portal` })
})
afterAll(() => world.close())

/** A thief and the owner in two browsers, both signed in with the owner's password. */
const twoBrowsers = async (options: Parameters<World["person"]>[0] = {}) => {
  const { email } = (await world.person(options)).account
  const signIn = async () => {
    const browser = visitor(world.url, SERVICE)
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
    return browser
  }
  const [thief, owner] = [await signIn(), await signIn()]
  /** The owner replaces the password, which ends the thief's session. */
  const replacePassword = async () => {
    const page = await owner.get("/portal/settings/password")
    const fields = { password: PASSWORD, new_password: "purple monkey dishwasher" }
    expect((await owner.submit(page, "/portal/settings/password", fields)).status).toBe(303)
  }
  return { thief, owner, replacePassword }
}

/**
 * Sends a form without its last byte. Returns a function that sends this byte, and returns the address to which the
 * answer redirects.
 */
const holdBackForm = async (browser: Visitor, action: string, fields: Readonly<Record<string, string>>) => {
  const release = await holdBack(world.url + action, {
    method: "POST",
    headers: {
      cookie: Array.from(browser.cookies, (pair) => pair.join("=")).join("; "),
      origin: SERVICE,
      "content-type": "application/x-www-form-urlencoded"
    },
    body: new URLSearchParams(fields).toString()
  })
  // The browser sends this request after the form. When the service has answered this request, it has begun to read the
  // form, and waits for the form's last byte.
  await browser.get("/portal/devices")
  return async () => (await release()).location
}

describe("a form that was begun before its session ended, and held back until afterwards [accounts-23]", () => {
  it("adds no passkey", async () => {
    const { owner, replacePassword, thief } = await twoBrowsers()
    const page = await thief.get(ADD)
    const passkey = authenticator(SERVICE).create(optionsOf(page.text))
    const release = await holdBackForm(thief, ADD, { ...hidden(page, ADD), name: "My phone", passkey })
    await replacePassword()
    expect(await release()).toMatch(/^\/sign-in/)
    expect((await owner.get("/portal/settings/second-factor")).text).not.toContain("My phone")
  })

  it("makes nobody an admin", async () => {
    const { owner, replacePassword, thief } = await twoBrowsers({ roles: ["admin"] })
    const { id } = (await world.person()).account
    const give = `/admin/accounts/${id}/roles/admin/give`
    const release = await holdBackForm(thief, give, hidden(await thief.get(`/admin/accounts/${id}`), give))
    await replacePassword()
    expect(await release()).toMatch(/^\/sign-in/)
    expect((await owner.get(`/admin/accounts/${id}`)).text).toContain(`action="${give}"`)
  })
})
