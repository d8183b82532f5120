import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("the time zone of an account [accounts-19]", () => {
  it("is that of the first browser that signs in; a name that is no zone is ignored", async () => {
    const person = await world.person()
    const zone = async () => ((await person.get("/v1/session")).json as { readonly time_zone: string | null }).time_zone
    const enter = async (cookie: string) => {
      const browser = visitor(world.url)
      browser.cookies.set("time_zone", cookie)
      const credentials = { email: person.account.email, password: PASSWORD }
      const answer = await browser.submit(await browser.get("/sign-in"), "/sign-in", credentials)
      expect(answer.status).toBe(303)
    }
    await enter("Middle-earth%2FShire")
    expect(await zone()).toBeNull()
    await enter("Europe%2FBerlin")
    expect(await zone()).toBe("Europe/Berlin")
    await enter("Asia%2FTokyo")
    expect(await zone()).toBe("Europe/Berlin")
  })

  it("is changed in the settings, where the pages then show its time, or over the API", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: person.account.email, password: PASSWORD })
    const page = await browser.get("/portal/settings/time-zone")
    expect(page.text).toContain("1 March 2026 at 12:00 UTC</time>")
    const wrong = await browser.submit(page, "/portal/settings/time-zone", { time_zone: "+02:00" })
    expect([wrong.status, wrong.text.includes("Time zone must be the IANA name")]).toEqual([400, true])
    const saved = await browser.submit(page, "/portal/settings/time-zone", { time_zone: "America/New_York" })
    expect(saved.status).toBe(303)
    expect((await browser.get("/portal/settings/time-zone")).text).toContain(">today 07:00</time>")
    const put = await person.send("PUT", "/v1/user/time-zone", { time_zone: "Asia/Tokyo" })
    expect([put.status, (put.json as { readonly time_zone: string }).time_zone]).toEqual([200, "Asia/Tokyo"])
    expect((await person.send("PUT", "/v1/user/time-zone", { time_zone: "Nowhere" })).status).toBe(400)
    expect((await browser.get("/portal/settings/time-zone")).text).toContain(">today 21:00</time>")
  })
})
