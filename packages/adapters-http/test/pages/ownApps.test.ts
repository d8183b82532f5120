import { AccountLimits } from "@place-access/domain/quotas"
import { acceptInvitation, inviteMember } from "@place-access/domain/teams"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const first = '<a href="/developer">Oldest</a>'

describe("the list of a developer's apps", () => {
  it("has pages of 50, with a way back; with a changed cursor it shows the beginning", async () => {
    const [owner, friend] = [await world.person(), await world.person()]
    for (let count = 0; count < AccountLimits.APPS.most; count++) await world.app(owner)
    // The list needs one more app than one account can own. So the person also joins the team of another person's app.
    const { app } = await world.app(friend)
    await world.run(
      Effect.flatMap(inviteMember(friend.account, app.id, { email: owner.account.email, role: "viewer" }), ({ id }) =>
        acceptInvitation(owner.account, "confirmed", { appId: app.id, id })
      )
    )
    const cards = async (path: string) => {
      const { status, text } = await owner.get(path)
      expect([path, status]).toEqual([path, 200])
      return { text, count: text.match(/<li class="card">/g)?.length }
    }
    const oldest = await cards("/developer")
    expect([oldest.count, oldest.text.includes(first)]).toEqual([50, false])
    const next = /href="(\/developer\?cursor=[^"]+)">More</.exec(oldest.text)?.[1] ?? ""
    const second = await cards(next)
    expect([second.count, second.text.includes(first)]).toEqual([1, true])
    const changed = await cards("/developer?cursor=changed")
    expect([changed.count, changed.text.includes(first)]).toEqual([50, true])
  })
})
