import { acceptInvitation, inviteMember, type Role } from "@place-access/domain/teams"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** An app in production with two owners, one of whom is its holder. */
const owned = async () => {
  const [holder, other, admin] = await Promise.all([world.person(), world.person(), world.person({ roles: ["admin"] })])
  const { app } = await world.app(holder, { status: "production" })
  const role: Role.TeamRole = "owner"
  await world.run(
    Effect.flatMap(inviteMember(holder.account, app.id, { email: other.account.email, role }), ({ id }) =>
      acceptInvitation(other.account, "confirmed", { appId: app.id, id })
    )
  )
  return { app, admin, holder, other, path: `/developer/apps/${app.id}` }
}

const read = async (person: Person, path: string, language = "en") => {
  const { status, text } = await person.get(path, { headers: { accept: "text/html", "accept-language": language } })
  expect([path, status]).toEqual([path, 200])
  return text
}

const INVITE = /action="[^"]*\/invitations"/
const HAND_OVER = /action="[^"]*\/hand-over"/

describe("the tabs of an app offer no form that the service always refuses", () => {
  it("of a revoked app: no invitation, no hand-over, and no command that forwards events", async () => {
    const { admin, app, holder, path } = await owned()
    const before = await read(holder, `${path}/team`)
    expect([INVITE.test(before), HAND_OVER.test(before)]).toEqual([true, true])
    expect(await read(holder, `${path}/webhooks`)).toContain("npm run listen")
    const revoked = await admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, { reason: "It sold what it saw." })
    expect(revoked.status).toBe(200)

    const team = await read(holder, `${path}/team`)
    expect([INVITE.test(team), HAND_OVER.test(team)]).toEqual([false, false])
    expect(team).toContain("nobody can be invited, and nobody can take the app over")
    expect(team).toMatch(/action="[^"]*\/members\/[^"]+\/role"/)
    // Before the app was revoked, the page said that the holder can hand the app over. Now it must not say so, because
    // nobody can take over a revoked app.
    const holderStays = "You hold the app, so you cannot leave"
    expect(before).toContain(`${holderStays}. Make somebody an owner and hand the app over first.`)
    expect(team).toContain(`${holderStays} its team.`)
    expect(team).not.toContain("hand the app over")
    const german = await read(holder, `${path}/team`, "de")
    expect(german).toContain("Niemand kann eingeladen werden")
    expect(german).toContain("deshalb können Sie das Team nicht verlassen.")
    expect(german).not.toContain("übergeben Sie die App")
    expect(await read(holder, `${path}/webhooks`)).not.toContain("npm run listen")
    const invitation = { email: "new@example.com", role: "viewer" }
    const refused = await holder.send("POST", `/v1${path}/team/invitations`, invitation)
    expect(refused.status).toBe(409)
  })

  it("of a revoked app: its page says nothing of scopes that an admin allowed, because no scope works", async () => {
    const { admin, app, holder, path } = await owned()
    const narrowed = { allowed_scopes: ["location.place.current"] }
    expect((await admin.send("PATCH", `/v1/admin/apps/${app.id}`, narrowed)).status).toBe(200)
    expect(await read(holder, path)).toContain("An admin narrowed the app.")
    await admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, { reason: "It sold what it saw." })
    const page = await read(holder, path)
    expect(page).toContain("Its tokens and client secrets do not work")
    expect(page).not.toContain("narrowed")
  })

  it("of a revoked app: a reviewer gets no hints for a decision and no consent page, because nobody can approve it", async () => {
    const { admin, app } = await owned()
    const path = `/review/apps/${app.id}`
    const before = await read(admin, path)
    expect([before.includes("Look twice"), before.includes(`${path}/consent`)]).toEqual([true, true])
    await admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, { reason: "It sold what it saw." })
    const after = await read(admin, path)
    expect([after.includes("Look twice"), after.includes(`${path}/consent`)]).toEqual([false, false])
  })

  it("of a revoked app: test people can be removed, and send no trip and no log [test-people-1]", async () => {
    const holder = await world.person()
    const admin = await world.person({ roles: ["admin"] })
    const { app, clientSecret } = await world.app(holder)
    const authorization = `Basic ${Buffer.from(`${app.id}:${clientSecret}`).toString("base64")}`
    const json = jsonBody({ places: [{ label: "Home", kind: "home", lat: 52.37, lon: 4.89 }] })
    const made = await world.call("/v1/test-people", {
      ...json,
      method: "POST",
      headers: { ...json.headers, authorization }
    })
    expect(made.status).toBe(201)
    const forms = async () =>
      [...(await read(holder, `/developer/apps/${app.id}/test-people`)).matchAll(/action="[^"]*\/([a-z-]+)"/g)]
        .map(([, action]) => action)
        .filter((action) => action !== "sign-out")
    expect(await forms()).toEqual(["trips", "logs", "remove", "test-people"])
    await admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, { reason: "It sold what it saw." })
    expect(await forms()).toEqual(["remove"])
  })

  it("of an app whose holder is suspended: no invitation, until the suspension ends [staff-1]", async () => {
    const { admin, holder, other, path } = await owned()
    const change = (what: "suspend" | "resume") => admin.send("POST", `/v1/admin/accounts/${holder.account.id}/${what}`)
    await change("suspend")
    const team = await read(other, `${path}/team`)
    expect(team).not.toMatch(INVITE)
    expect(team).toContain("until the suspension of its holder ends, nobody can be invited")
    await change("resume")
    expect(await read(other, `${path}/team`)).toMatch(INVITE)
  })
})
