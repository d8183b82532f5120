import { request } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { authenticator, optionsOf } from "../support/authenticator.js"
import { hidden, visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

/** Browsers make passkeys for host names only, but the socket of the test has a network address. */
const SERVICE = "https://places.example"
const ADD = "/portal/settings/second-factor/add-passkey"

let world: World
beforeAll(async () => {
  world = await startWorld({ baseUrl: SERVICE, authUrl: SERVICE, userPortalUrl: `${SERVICE}/portal` })
})
afterAll(() => world.close())

it("a form that was begun before the session ended, and held back until afterwards, adds no passkey [accounts-18]", async () => {
  const { email } = (await world.person()).account
  const signIn = async () => {
    const browser = visitor(world.url, SERVICE)
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
    return browser
  }
  const [thief, owner] = [await signIn(), await signIn()]
  const page = await thief.get(ADD)
  const passkey = authenticator(SERVICE).create(optionsOf(page.text))
  const form = new URLSearchParams({ ...hidden(page, ADD), name: "My phone", passkey }).toString()
  const sending = request(world.url + ADD, {
    method: "POST",
    headers: {
      cookie: Array.from(thief.cookies, (pair) => pair.join("=")).join("; "),
      origin: SERVICE,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": form.length
    }
  })
  const answered = new Promise<string | undefined>((resolve, reject) =>
    sending.once("error", reject).once("response", (answer) => resolve(answer.resume().headers.location))
  )
  await new Promise((resolve) => sending.write(form.slice(0, -1), resolve))
  // The service has begun to answer the form when it has answered these requests.
  await thief.get(ADD)
  const change = await owner.get("/portal/settings/password")
  const fields = { password: PASSWORD, new_password: "purple monkey dishwasher" }
  expect((await owner.submit(change, "/portal/settings/password", fields)).status).toBe(303)
  sending.end(form.slice(-1))
  expect(await answered).toMatch(/^\/sign-in/)
  expect((await owner.get("/portal/settings/second-factor")).text).not.toContain("My phone")
})
