import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Connected, connected, RULES } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** The badges on the page of the rule, in German too. */
const badges = async ({ connection, person }: Connected, rule: string, language = "en") => {
  const { id } = await connection()
  const page = await person.get(`/portal/connections/${id}/rules/${rule}`, {
    headers: { "accept-language": language }
  })
  expect(page.status).toBe(200)
  const main = page.text.slice(page.text.indexOf("<main"))
  return [...main.matchAll(/<span class="badge \w+">([^<]*)</g)].map(([, text]) => text)
}

describe("the page of one rule", () => {
  it("says that the rule is over, has not begun, or that the app is paused; of an active rule it says nothing", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    const at = (minutes: number) => new Date(world.clock.now() + minutes * Timestamp.MINUTE).toISOString()
    const create = async (more: object) => (await one.createRule(access_token, more)).json as { readonly id: string }
    const active = await create({ active_until: at(10) })
    const later = await create({ active_from: at(20), active_until: at(40) })
    expect(await badges(one, active.id)).toEqual([])
    expect(await badges(one, later.id)).toEqual(["Not yet"])
    const { id } = await one.connection()
    await one.person.send("PUT", `/v1/user/connections/${id}/pause`, { for: "hour" })
    expect(await badges(one, active.id)).toEqual(["Paused"])
    world.clock.advance(30 * Timestamp.MINUTE)
    expect(await badges(one, active.id)).toEqual(["Over", "Paused"])
    expect(await badges(one, active.id, "de")).toEqual(["Vorbei", "Pausiert"])
    expect(await badges(one, later.id)).toEqual(["Paused"])
  })
})
