import { Scope } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/**
 * Opens the developer's page of an app with the given scopes. Returns the address that the developer can copy
 * (`address`), which is undefined when the page shows no address.
 */
const page = async (declaredScopes: ReadonlyArray<Scope.Scope>, hasPurpose = false) => {
  const owner = await world.person()
  const { app } = await world.app(owner, { declaredScopes })
  if (hasPurpose) await world.run(Fixtures.purpose(app.id, "find_coffee", { status: "draft" }))
  const { text } = await owner.get(`/developer/apps/${app.id}`)
  const found = /<textarea class="code" id="authorize-url" readonly>([^<]*)</.exec(text)?.[1]
  const address = found === undefined ? undefined : new URL(found.replaceAll("&amp;", "&"))
  return { owner, text, address, scope: address?.searchParams.get("scope")?.split(" ") }
}

const LEFT_OUT = "Not in the address, because each of them needs a purpose that the app may use"

describe("the address of an app's consent page asks for every scope that the app can ask for [O3]", () => {
  it("sensitive scopes too, when a usable purpose covers them; the address opens the consent page", async () => {
    const { address, owner, scope, text } = await page(Scope.all, true)
    expect(scope).toEqual(Scope.all)
    expect(text).not.toContain(LEFT_OUT)
    const query = (address?.search ?? "").replace("CODE_CHALLENGE", "A".repeat(43)).replace("STATE", "state-of-the-app")
    const requested = await owner.get(`/authorize${query}`)
    expect([requested.status, requested.text.includes("Coffee Finder")]).toEqual([200, true])
  })

  it("without a purpose it leaves them out and says so", async () => {
    const { scope, text } = await page(["location.place.current", "location.latest.read"])
    expect(scope).toEqual(["location.place.current"])
    expect(text).toContain(`${LEFT_OUT}: <code>location.latest.read</code>.`)
  })

  it("when the app can ask for no scope there is no address, because the app would get invalid_scope", async () => {
    const { address, text } = await page(["location.latest.read"])
    expect(address).toBeUndefined()
    expect(text).toContain("the app can ask for none at the moment")
    expect(text).toContain(LEFT_OUT)
  })
})
