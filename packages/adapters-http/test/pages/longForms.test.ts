import { Event } from "@place-access/domain/events"
import { RedirectUri } from "@place-access/domain/apps"
import { Scope } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Schema, Either } from "effect"
import * as Form from "@place-access/adapters-http/pages/kit/Form"
import { signedIn } from "../support/browsing.js"
import { connected } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** How many faults the page shows at its top, and the size of the page without what was typed. */
const faultsOf = (text: string): number => /<div class="problems".*?<\/div>/s.exec(text)?.[0].split("<li>").length ?? 0

const there = async () => {
  const { app, person } = await connected(world)
  const path = `/developer/apps/${app.id}`
  const browser = await signedIn(world, person.account.email)
  return {
    path,
    post: async (page: string, to: string, fields: Record<string, string | ReadonlyArray<string>>) =>
      browser.submit(await browser.get(page), to, fields)
  }
}

describe("a form with too many values shows one fault, and not a fault for each value [M11]", () => {
  it("the lines of an app's redirect URIs", async () => {
    const { path, post } = await there()
    const { status, text } = await post(path, `${path}/redirect-uris`, { redirect_uris: "x\n".repeat(50_000) })
    expect([status, faultsOf(text)]).toEqual([400, 2])
    expect(text).toContain(`must name at most ${RedirectUri.MAX} addresses`)
    expect(text.length).toBeLessThan(300_000)
  })

  it.each([
    ["", "", "scopes", Scope.all.length],
    ["", "/purposes", "purpose_scopes", Scope.all.length],
    ["/webhooks", "/webhooks", "events", Event.SUBSCRIBABLE.length],
    ["/test-people", "/test-people", "scopes", Scope.all.length]
  ])("the ticked boxes of %s%s", async (page, to, name, most) => {
    const { path, post } = await there()
    const { status, text } = await post(`${path}${page}`, `${path}${to}`, {
      [name]: Array.from({ length: 1_500 }, () => "v")
    })
    expect(status).toBe(400)
    expect(text).toContain(`must be at most ${most}`)
    expect(text.length).toBeLessThan(100_000)
  })

  it("no form shows more than 50 faults", () => {
    const All = Schema.Struct(
      Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`f${index}`, Schema.String]))
    )
    const faults = Form.decode(All, {})
    expect(Either.isLeft(faults) && faults.left.length).toBe(50)
  })
})
