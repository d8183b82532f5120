import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden } from "../support/visitor.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** A person who has an invitation and has opened its page in a browser. */
const invited = async () => {
  const [owner, person] = [await world.person(), await world.person()]
  const { app } = await world.app(owner)
  const draft = { email: person.account.email, role: "viewer" }
  const answer = await owner.send("POST", `/v1/developer/apps/${app.id}/team/invitations`, draft)
  const path = `/developer/invitations/${app.id}/${(answer.json as { readonly id: string }).id}`
  const browser = await signedIn(world, person.account.email)
  const fields = hidden(await browser.get(path), `${path}/accept`)
  const press = async (button: "accept" | "decline") => {
    const { headers, status } = await browser.post(`${path}/${button}`, fields)
    return [status, headers.get("location")]
  }
  return { app: `/developer/apps/${app.id}`, owner, path, press }
}

describe("the buttons of an invitation, pressed twice [teams-2]", () => {
  it("lead where the first press led", async () => {
    const joining = await invited()
    const joined = [303, `${joining.app}?done=team-joined`]
    expect([await joining.press("accept"), await joining.press("accept")]).toEqual([joined, joined])
    const declining = await invited()
    const declined = [303, "/developer?done=team-declined"]
    expect([await declining.press("decline"), await declining.press("decline")]).toEqual([declined, declined])
  })

  it("after the other button say what is so: who joined is in the team, who declined has no invitation", async () => {
    const joining = await invited()
    await joining.press("accept")
    expect(await joining.press("decline")).toEqual([303, joining.app])
    const declining = await invited()
    await declining.press("decline")
    expect(await declining.press("accept")).toEqual([404, null])
  })

  it("of somebody else's invitation: 404", async () => {
    const { path } = await invited()
    const stranger = await signedIn(world, (await world.person()).account.email)
    const fields = hidden(await stranger.get("/portal/places"), "/portal/places")
    expect((await stranger.post(`${path}/accept`, fields)).status).toBe(404)
  })
})
