import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mailedLink, mailTo } from "../support/mailbox.js"
import { type Visitor, visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld({ addressRule: "confirmed" })
})
afterAll(() => world.close())

const OTHER = "purple monkey dishwasher"
const CONFIRM = "Confirm your e-mail address"
const EMAIL = "wanted-by-two@example.com"

/** Advances the clock until every window of a rate limit for half an hour or less has ended. */
const wait = () => world.clock.advance(31 * Timestamp.MINUTE)

const signUp = async (browser: Visitor, password: string, wanted: string) => {
  const form = await browser.get(`/sign-up?return_to=${encodeURIComponent(wanted)}`)
  return browser.submit(form, "/sign-up", { email: EMAIL, password, display_name: "", keep_days: "90" })
}
const mails = async () => (await mailTo(world, EMAIL)).filter(({ subject }) => subject === CONFIRM).length

describe("the button that mails the link of a sign-up again", () => {
  it("mails the link of the visitor's own sign-up, also when a stranger used the address later [accounts-12]", async () => {
    const [own, stranger] = [visitor(world.url), visitor(world.url)]
    const sent = await signUp(own, PASSWORD, "/portal/places")
    world.clock.advance(1)
    const strangers = await signUp(stranger, OTHER, "/portal/visits")
    wait()
    const repeated = await own.submit(sent, "/sign-up/resend")
    expect(await mails()).toBe(3)
    wait()
    await own.submit(repeated, "/sign-up/resend")
    const link = new URL(await mailedLink(world, EMAIL, CONFIRM, 4))
    const page = await own.get(link.pathname + link.search)
    const done = await own.submit(page, "/confirm-sign-up", { password: PASSWORD })
    expect([done.status, done.headers.get("location")]).toEqual([303, "/portal/places"])
    // The sign-up of the stranger has ended, so the service must not mail its link once more.
    await stranger.submit(strangers, "/sign-up/resend")
    expect(await mails()).toBe(4)
  })
})
