import { LeaseStore } from "@place-access/domain/leases"
import { Timestamp, WorkerId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("GET /admin/service", () => {
  it("numbers of the service for admins; a warning while no worker is alive; 403 for others [staff-6]", async () => {
    const admin = await world.person({ roles: ["admin"] })
    await world.app(await world.person(), { status: "production" })
    const before = (await admin.get("/admin/service")).text
    expect(before).toContain("No worker is alive.")
    expect(before).toContain("Mails also wait when no mail server is set (SMTP_URL)")
    expect(before).toContain("1 in production, 0 in review for the first time, 0 in the sandbox")
    await world.run(
      Effect.flatMap(LeaseStore, (store) =>
        store.beat({ worker: WorkerId.make("wrk_1"), aliveUntil: Timestamp.make(Date.UTC(2026, 2, 1, 12, 1)) })
      )
    )
    const after = (await admin.get("/admin/service", { headers: { "accept-language": "de" } })).text
    expect(after).toContain("Laufende Worker")
    expect(after).toContain("E-Mails warten auch, wenn kein E-Mail-Server eingestellt ist (SMTP_URL)")
    expect(after).not.toContain("Kein Worker läuft.")
    for (const roles of [["reviewer"], []] as const) {
      expect((await (await world.person({ roles })).get("/admin/service")).status).toBe(403)
    }
  })
})

describe("hints on the page of a review [reviews-8]", () => {
  it("are shown to reviewers, in English and German", async () => {
    const [reviewer, owner] = [await world.person({ roles: ["reviewer"] }), await world.person()]
    const { app } = await world.app(owner)
    const page = (await reviewer.get(`/review/apps/${app.id}`)).text
    expect(page).toContain("Look twice")
    expect(page).toContain("No purpose says what these sensitive scopes are for: <code>location.latest.read</code>")
    const german = (await reviewer.get(`/review/apps/${app.id}`, { headers: { "accept-language": "de" } })).text
    expect(german).toContain("Sehen Sie zweimal hin")
  })
})
