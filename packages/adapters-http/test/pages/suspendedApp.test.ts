import { acceptInvitation, inviteMember } from "@place-access/domain/teams"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** An app in production, with a viewer in its team and a connected user. An admin has suspended the app's holder. */
const suspended = async () => {
  const [holder, viewer, user, admin] = await Promise.all([
    world.person(),
    world.person(),
    world.person(),
    world.person({ roles: ["admin"] })
  ])
  const { app } = await world.app(holder, { status: "production" })
  await world.run(
    Effect.flatMap(inviteMember(holder.account, app.id, { email: viewer.account.email, role: "viewer" }), ({ id }) =>
      acceptInvitation(viewer.account, "confirmed", { appId: app.id, id })
    )
  )
  await world.connect(user, app, { scopes: ["location.place.current"] })
  const { connections } = (await user.get("/v1/user/connections")).json as {
    readonly connections: ReadonlyArray<{ readonly id: string }>
  }
  const change = (what: "suspend" | "resume") => admin.send("POST", `/v1/admin/accounts/${holder.account.id}/${what}`)
  expect((await change("suspend")).status).toBe(200)
  return { app, viewer, user, admin, connectionId: connections[0]?.id, resume: () => change("resume") }
}

const read = async (person: Person, path: string, language = "en") => {
  const { status, text } = await person.get(path, { headers: { accept: "text/html", "accept-language": language } })
  expect([path, status]).toEqual([path, 200])
  return text
}

describe("an app whose holder is suspended is shown as on hold [staff-1]", () => {
  it("to its team, with the reason, until the suspension ends", async () => {
    const { app, resume, viewer } = await suspended()
    const path = `/developer/apps/${app.id}`
    const page = await read(viewer, path)
    expect(page).toContain("The app has been on hold since")
    expect(page).not.toContain("Everybody can connect the app.")
    expect(await read(viewer, "/developer")).toContain("On hold")
    expect(await read(viewer, path, "de")).toContain("Die App ruht")
    await resume()
    const after = await read(viewer, path)
    expect([after.includes("n hold"), after.includes("Everybody can connect the app.")]).toEqual([false, true])
  })

  it("to reviewers and admins, in the lists and on the pages of the app", async () => {
    const { admin, app } = await suspended()
    for (const path of ["/admin", "/review/apps"]) expect(await read(admin, path)).toContain("On hold")
    for (const path of [`/admin/apps/${app.id}`, `/review/apps/${app.id}`]) {
      expect(await read(admin, path)).toContain("because the account of its holder is suspended")
    }
  })

  it("in the API: to its team and to reviewers since when, to its users without it", async () => {
    const { admin, app, connectionId, resume, user, viewer } = await suspended()
    const read = async () => {
      const apps = [await viewer.get(`/v1/developer/apps/${app.id}`), await admin.get(`/v1/admin/apps/${app.id}`)]
      const connection = await user.get(`/v1/user/connections/${connectionId}`)
      return [
        ...apps.map(({ json }) => (json as { readonly on_hold_since: string | null }).on_hold_since),
        (connection.json as { readonly on_hold: boolean }).on_hold
      ]
    }
    const since = new Date(world.clock.now()).toISOString()
    expect(await read()).toEqual([since, since, true])
    await resume()
    expect(await read()).toEqual([null, null, false])
  })

  it("to its users, who do not learn of the suspension", async () => {
    const { app, connectionId, resume, user } = await suspended()
    const paths = ["/portal/connections", `/portal/connections/${connectionId}`]
    for (const path of paths) {
      const text = await read(user, path)
      expect([app.name, text.includes("it gets no answers and no events at the moment")]).toEqual([app.name, true])
      expect(text).not.toContain("suspend")
    }
    await resume()
    for (const path of paths) expect(await read(user, path)).not.toContain("n hold")
  })
})
