import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Authenticator, authenticator, optionsOf } from "../support/authenticator.js"
import { mailedLink, mailTo, tokenOf } from "../support/mailbox.js"
import { type Visitor, visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

/** Browsers make passkeys for host names only, but the socket of the test has a network address. */
const SERVICE = "https://places.example"

let world: World
beforeAll(async () => {
  const [baseUrl, authUrl, userPortalUrl] = [SERVICE, SERVICE, `${SERVICE}/portal`]
  world = await startWorld({ baseUrl, authUrl, userPortalUrl, addressRule: "confirmed" })
})
afterAll(() => world.close())

const OTHER = "purple monkey dishwasher"
const ADD = "/portal/settings/second-factor/add-passkey"
const REMOVED = "every passkey and every app for one-time codes that was added in the 24 hours before the change"

const start = () => visitor(world.url, SERVICE)
const signIn = async (browser: Visitor, email: string, password: string) => {
  const page = await browser.get("/sign-in?return_to=/portal/devices")
  return (await browser.submit(page, "/sign-in", { email, password })).headers.get("location")
}
const isSignedIn = async (browser: Visitor) => (await browser.get("/portal/devices")).status === 200
/** Whether the passkey alone signs a new browser in. */
const opens = async (passkey: Authenticator) => {
  const browser = start()
  const page = await browser.get("/sign-in/passkey")
  await browser.submit(page, "/sign-in/passkey", { passkey: passkey.get(optionsOf(page.text)) })
  return await isSignedIn(browser)
}

it("the link that undoes a thief's change of the address also removes the thief's passkey, and says so [accounts-13]", async () => {
  const { email } = (await world.person()).account
  const thief = start()
  expect(await signIn(thief, email, PASSWORD)).toBe("/portal/devices")
  const changing = "/portal/settings/email"
  await thief.submit(await thief.get(changing), changing, { email: "thief@example.com" })
  const change = await thief.get(
    `/confirm-address?token=${tokenOf(await mailedLink(world, "thief@example.com", "Confirm your e-mail address"))}`
  )
  await thief.submit(change, "/confirm-address")
  const passkey = authenticator(SERVICE)
  const adding = await thief.get(ADD)
  await thief.submit(adding, ADD, { name: "My phone", passkey: passkey.create(optionsOf(adding.text)) })
  expect(await opens(passkey)).toBe(true)
  world.clock.advance(Timestamp.HOUR)

  const CHANGED = "The address of your account was changed"
  const owner = start()
  const [told] = (await mailTo(world, email)).filter(({ subject }) => subject === CHANGED)
  expect(told?.text).toContain(REMOVED)
  const page = await owner.get(`/undo-address?token=${tokenOf(await mailedLink(world, email, CHANGED))}`)
  expect(page.text).toContain(REMOVED)
  const done = await owner.submit(page, "/undo-address", { password: OTHER })
  expect([done.status, done.text.includes(`We removed all recovery codes, and ${REMOVED}`)]).toEqual([200, true])
  expect(done.text).toContain("among your passkeys and second factors, your connected apps and your phones")
  const [back] = (await mailTo(world, email)).filter(({ subject }) => subject === "Your address is back")
  expect(back?.text).toContain(REMOVED)

  expect(await isSignedIn(thief)).toBe(false)
  expect(await opens(passkey)).toBe(false)
  // The password alone must sign the owner in: no second step may ask for the thief's passkey.
  expect(await signIn(owner, email, OTHER)).toBe("/portal/devices")
})

it("the page after an undo says nothing of removed factors when there were none [accounts-13]", async () => {
  const person = await world.person()
  const { email } = person.account
  await person.send("POST", "/v1/user/account/email", { email: "mistyped@example.com" })
  const token = tokenOf(await mailedLink(world, "mistyped@example.com", "Confirm your e-mail address"))
  await person.send("POST", "/v1/user/account/email/confirmations/use", { token })
  const undo = tokenOf(await mailedLink(world, email, "The address of your account was changed"))
  const owner = start()
  const done = await owner.submit(await owner.get(`/undo-address?token=${undo}`), "/undo-address", { password: OTHER })
  expect([done.status, done.text.includes("We removed")]).toEqual([200, false])
})
