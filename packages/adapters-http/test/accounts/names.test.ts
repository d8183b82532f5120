import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const PAGE = "/portal/settings/name"

const signedIn = async (email: string) => {
  const browser = visitor(world.url)
  await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
  return browser
}

const nameOf = async (person: Awaited<ReturnType<World["person"]>>) =>
  ((await person.get("/v1/session")).json as { readonly display_name: string }).display_name

describe("the name of an account [accounts-22]", () => {
  it("is changed in the settings, trimmed; a faulty name is shown again with what is wrong", async () => {
    const person = await world.person()
    const browser = await signedIn(person.account.email)
    const before = await nameOf(person)
    const page = await browser.get(PAGE)
    expect(page.text).toContain(`value="${before}"`)
    const long = "x".repeat(81)
    const wrong = await browser.submit(page, PAGE, { display_name: long })
    expect([wrong.status, wrong.text.includes('href="#display_name"'), wrong.text.includes(long)]).toEqual([
      400,
      true,
      true
    ])
    expect((await browser.submit(page, PAGE, { display_name: " " })).status).toBe(400)
    expect(await nameOf(person)).toBe(before)

    const saved = await browser.submit(page, PAGE, { display_name: "  Grace <Hopper> " })
    expect([saved.status, saved.headers.get("location")]).toEqual([303, "/portal/settings?done=name-changed"])
    expect(await nameOf(person)).toBe("Grace <Hopper>")
    expect((await browser.get("/portal/settings?done=name-changed")).text).toContain(
      "Others read <strong>Grace &lt;Hopper&gt;</strong>."
    )
  })

  it("is changed over the API, whose answer has the new name", async () => {
    const person = await world.person()
    const put = (display_name: unknown) => person.send("PUT", "/v1/user/name", { display_name })
    const [empty, long, missing] = [await put(""), await put("x".repeat(81)), await put(undefined)]
    expect([empty.status, long.status, missing.status]).toEqual([400, 400, 400])
    const answer = await put("Ada Lovelace")
    expect([answer.status, (answer.json as { readonly display_name: string }).display_name]).toEqual([
      200,
      "Ada Lovelace"
    ])
    expect(await nameOf(person)).toBe("Ada Lovelace")
  })

  it("is not changed by a form without its token", async () => {
    const person = await world.person()
    const browser = await signedIn(person.account.email)
    const before = await nameOf(person)
    expect((await browser.post(PAGE, { display_name: "Somebody else" })).status).toBe(403)
    expect(await nameOf(person)).toBe(before)
  })
})
