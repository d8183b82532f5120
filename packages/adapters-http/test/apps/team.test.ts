import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath } from "../support/browsing.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const APPS = "/v1/developer/apps"

interface Listed {
  readonly role: string
  readonly members: ReadonlyArray<{ readonly id: string | null; readonly email: string | null; readonly role: string }>
  readonly invitations: ReadonlyArray<{ readonly id: string; readonly email: string }>
}

const teamOf = async (person: Person, app: string) => (await person.get(`${APPS}/${app}/team`)).json as Listed

const invite = async (by: Person, app: string, email: string, role: string) => {
  const answer = await by.send("POST", `${APPS}/${app}/team/invitations`, { email, role })
  expect(answer.status).toBe(201)
  return (answer.json as { readonly id: string }).id
}

/** A new person who has joined the app's team in the role `role`. */
const joined = async (by: Person, app: string, role: string) => {
  const person = await world.person()
  const id = await invite(by, app, person.account.email, role)
  const answer = await person.send("POST", `${APPS}/${app}/team/invitations/${id}/accept`)
  expect(answer.status).toBe(204)
  const member = (await teamOf(by, app)).members.find(({ email }) => email === person.account.email)
  return { person, member: member?.id ?? "" }
}

const owned = async () => {
  const owner = await world.person()
  const { app } = await world.app(owner)
  return { owner, app: app.id }
}

describe("invitations [teams-2]", () => {
  it("the invited account finds it, joins with its role, and the app is in its list", async () => {
    const { app, owner } = await owned()
    const person = await world.person()
    const id = await invite(owner, app, ` ${person.account.email.toUpperCase()} `, "developer")
    const received = (await person.get("/v1/developer/invitations")).json
    expect(received).toMatchObject({ invitations: [{ id, app_id: app, role: "developer" }], nextCursor: null })
    await person.send("POST", `${APPS}/${app}/team/invitations/${id}/accept`)
    expect((await person.get(APPS)).json).toMatchObject({ apps: [{ id: app }] })
    expect((await person.get("/v1/session")).json).toMatchObject({ roles: ["developer"] })
    expect((await person.get("/v1/developer/invitations")).json).toMatchObject({ invitations: [] })
    expect((await teamOf(owner, app)).members.map(({ role }) => role)).toEqual(["owner", "developer"])
  })

  it("an address without an account gets the same answer and the same place in the list", async () => {
    const { app, owner } = await owned()
    const person = await world.person()
    const send = (email: string) => owner.send("POST", `${APPS}/${app}/team/invitations`, { email, role: "viewer" })
    const [known, unknown] = [await send(person.account.email), await send("nobody-at-all@example.com")]
    const shape = ({ json, status }: typeof known) => [status, Object.keys(json as object), (json as Listed).role]
    expect(shape(unknown)).toEqual(shape(known))
    expect((await teamOf(owner, app)).invitations.length).toBe(2)
  })

  it("nobody else can see, accept or decline it: 404 as for one that does not exist", async () => {
    const { app, owner } = await owned()
    const [invited, stranger] = [await world.person(), await world.person()]
    const id = await invite(owner, app, invited.account.email, "owner")
    for (const who of [stranger, owner]) {
      for (const act of ["accept", "decline"]) {
        const one = await who.send("POST", `${APPS}/${app}/team/invitations/${id}/${act}`)
        const other = await who.send("POST", `${APPS}/${app}/team/invitations/inv_none/${act}`)
        expect([one.status, one.json]).toMatchObject([
          404,
          { error: "not_found", message: (other.json as { message: string }).message }
        ])
      }
      expect((await who.get(`/developer/invitations/${app}/${id}`)).status).toBe(404)
    }
    expect((await invited.get(`/developer/invitations/${app}/${id}`)).status).toBe(200)
  })

  it("withdrawn, declined and after 7 days it opens nothing", async () => {
    const { app, owner } = await owned()
    const person = await world.person()
    const { email } = person.account
    const accept = (id: string) => person.send("POST", `${APPS}/${app}/team/invitations/${id}/accept`)
    const withdrawn = await invite(owner, app, email, "viewer")
    expect((await owner.send("DELETE", `${APPS}/${app}/team/invitations/${withdrawn}`)).status).toBe(204)
    expect((await accept(withdrawn)).status).toBe(404)
    const declined = await invite(owner, app, email, "viewer")
    expect((await person.send("POST", `${APPS}/${app}/team/invitations/${declined}/decline`)).status).toBe(204)
    expect((await accept(declined)).status).toBe(404)
  })

  it("the same address twice, and somebody of the team: 409", async () => {
    const { app, owner } = await owned()
    const { person } = await joined(owner, app, "viewer")
    await invite(owner, app, "twice@example.com", "viewer")
    for (const email of ["twice@example.com", person.account.email, owner.account.email]) {
      const answer = await owner.send("POST", `${APPS}/${app}/team/invitations`, { email, role: "viewer" })
      expect(answer.status).toBe(409)
    }
  })

  it("a sign-in of 16 minutes ago has to be confirmed before somebody is invited [teams-3]", async () => {
    const { app, owner } = await owned()
    world.clock.advance(16 * Timestamp.MINUTE)
    const answer = await owner.send("POST", `${APPS}/${app}/team/invitations`, { email: "a@b.example", role: "owner" })
    expect([answer.status, answer.json]).toMatchObject([403, { error: "confirmation_required" }])
  })
})

describe("roles [teams-1]", () => {
  const WEBHOOK = { url: "https://hooks.example.com/team", events: [] }

  it("a viewer reads and changes nothing, a developer develops, and the secrets stay with owners", async () => {
    const { app, owner } = await owned()
    const { person: viewer } = await joined(owner, app, "viewer")
    const { person: developer } = await joined(owner, app, "developer")
    const { person: second } = await joined(owner, app, "owner")
    const stranger = await world.person()
    const at = `${APPS}/${app}`
    const reads = [at, `${at}/webhooks`, `${at}/deliveries`, `${at}/purposes`, `${at}/team`]
    const statusOf = (who: Person, path: string) => who.get(path).then(({ status }) => status)
    for (const path of reads) {
      expect([
        path,
        await statusOf(viewer, path),
        await statusOf(developer, path),
        await statusOf(stranger, path)
      ]).toEqual([path, 200, 200, 404])
    }
    const changed = (who: Person) => who.send("PATCH", at, { name: "Tea Finder" }).then(({ status }) => status)
    expect([await changed(viewer), await changed(developer), await changed(stranger)]).toEqual([403, 200, 404])
    const hooked = (who: Person) => who.send("POST", `${at}/webhooks`, WEBHOOK).then(({ status }) => status)
    expect([await hooked(viewer), await hooked(developer), await hooked(stranger)]).toEqual([403, 201, 404])
    const secrets = (who: Person) => who.send("POST", `${at}/replace-secret`).then(({ status }) => status)
    expect([await secrets(viewer), await secrets(developer), await secrets(stranger)]).toEqual([403, 403, 404])
    expect(await secrets(second)).toBe(200)
    const invites = (who: Person) =>
      who
        .send("POST", `${at}/team/invitations`, { email: "new@example.com", role: "viewer" })
        .then(({ status }) => status)
    expect([await invites(viewer), await invites(developer), await invites(stranger)]).toEqual([403, 403, 404])
  })

  it("the pages: what a viewer may not do is neither shown nor accepted", async () => {
    const { app, owner } = await owned()
    const { person: viewer } = await joined(owner, app, "viewer")
    const at = `/developer/apps/${app}`
    for (const path of ["", "/calls", "/webhooks", "/deliveries", "/team"]) {
      const { status, text } = await viewer.get(at + path)
      expect([path, status]).toEqual([path, 200])
      const posts = [...text.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action]) => action)
      const own = path === "/team" ? [`${at}/team/leave`] : []
      expect(posts.filter((action) => action?.startsWith("/developer"))).toEqual(own)
    }
    for (const path of ["/users", "/test-people", "/logo"]) expect((await viewer.get(at + path)).status).toBe(403)
  })

  it("a developer withdraws a waiting change only when it has no redirect URIs [apps-4]", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner, { status: "production" })
    const { person: developer } = await joined(owner, app.id, "developer")
    const [at, page] = [`${APPS}/${app.id}`, `/developer/apps/${app.id}`]
    const offers = async (who: Person) => {
      const { text } = await who.get(page)
      return [text.includes(`action="${page}/withdraw"`), text.includes("Only owners can withdraw these changes")]
    }
    const withdraw = (who: Person) => who.send("POST", `${at}/withdraw`)
    await owner.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris: ["https://new.example.com/cb"] })
    await developer.send("PATCH", at, { name: "Tea Finder" })
    const { pending } = (await owner.get(at)).json as { readonly pending: object }
    expect(Object.values(pending).filter((part) => part !== null)).toHaveLength(2)
    const refused = await withdraw(developer)
    expect([refused.status, refused.json]).toMatchObject([
      403,
      {
        error: "forbidden",
        message: "the waiting changes include redirect URIs: only owners of this app may withdraw them"
      }
    ])
    expect((await owner.get(at)).json).toMatchObject({ pending })
    expect([await offers(developer), await offers(owner)]).toEqual([
      [false, true],
      [true, false]
    ])
    expect((await withdraw(owner)).json).toMatchObject({ pending: null })
    await owner.send("PATCH", at, { name: "Tea Finder" })
    expect(await offers(developer)).toEqual([true, false])
    expect((await withdraw(developer)).json).toMatchObject({ pending: null })
  })

  it("the consent page refuses a member of the team, and says that only the holder can connect the app", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const { person } = await joined(owner, app.id, "owner")
    expect((await owner.get(authorizePath(app))).text).toContain("Sandbox: only its holder can connect it")
    const refused = await person.get(authorizePath(app))
    expect(refused.status).toBe(403)
    expect(refused.text).toContain("only its holder can connect it: the person in whose name it is registered")
  })

  it("only owners read addresses and invitations", async () => {
    const { app, owner } = await owned()
    const { person: viewer } = await joined(owner, app, "viewer")
    await invite(owner, app, "waiting@example.com", "viewer")
    const seen = await teamOf(viewer, app)
    expect(seen.members.map(({ email }) => email)).toEqual([null, viewer.account.email])
    expect(seen.invitations).toEqual([])
    // The page may have a `<wbr />` after each separator of an address, where a browser may break the line.
    const shown = async (person: Person) =>
      (await person.get(`/developer/apps/${app}/team`)).text.replaceAll("<wbr />", "")
    expect(await shown(owner)).toContain(viewer.account.email)
    expect(await shown(viewer)).not.toContain(owner.account.email)
  })

  it("an owner who removes themselves reads that they left, as after leaving", async () => {
    const { app, owner } = await owned()
    const { member, person } = await joined(owner, app, "owner")
    const at = `/developer/apps/${app}/team`
    const form_token = /name="form_token" value="([^"]+)"/.exec((await person.get(at)).text)?.[1] ?? ""
    const remove = (by: Person, id: string, token: string) =>
      by.send("POST", `${at}/members/${id}/remove`, undefined, {
        redirect: "manual",
        body: new URLSearchParams({ form_token: token })
      })
    const { member: other } = await joined(owner, app, "viewer")
    expect((await remove(person, other, form_token)).headers.get("location")).toBe(`${at}?done=team-member-removed`)
    // The page has no button with which a person removes themselves. But a browser may show an older page that has such
    // a button.
    const left = await remove(person, member, form_token)
    expect([left.status, left.headers.get("location")]).toEqual([303, "/developer?done=team-left"])
    expect((await person.get(at)).status).toBe(404)
  })

  it("a new role counts at once, a removed member gets 404, and its session goes on", async () => {
    const { app, owner } = await owned()
    const { member, person } = await joined(owner, app, "developer")
    const path = `${APPS}/${app}/team/members/${member}`
    const change = () => person.send("PATCH", `${APPS}/${app}`, { name: "Tea Finder" }).then(({ status }) => status)
    expect(await change()).toBe(200)
    expect((await owner.send("PATCH", path, { role: "viewer" })).json).toMatchObject({ role: "owner" })
    expect(await change()).toBe(403)
    expect((await owner.send("DELETE", path)).status).toBe(204)
    expect(await change()).toBe(404)
    expect((await person.get("/v1/session")).status).toBe(200)
  })
})

describe("the holder [teams-3]", () => {
  it("cannot leave; hands the app over to an owner only, and then can", async () => {
    const { app, owner } = await owned()
    const { member: viewer } = await joined(owner, app, "viewer")
    const { member, person: second } = await joined(owner, app, "owner")
    const leave = () => owner.send("POST", `${APPS}/${app}/team/leave`).then(({ status }) => status)
    const give = (who: Person, to: string) =>
      who.send("POST", `${APPS}/${app}/team/members/${to}/hand-over`).then(({ status }) => status)
    expect(await leave()).toBe(409)
    expect(await give(owner, viewer)).toBe(409)
    expect(await give(second, member)).toBe(403)
    expect(await give(owner, member)).toBe(200)
    expect(await leave()).toBe(204)
    expect((await teamOf(second, app)).members.map(({ role }) => role)).toEqual(["owner", "viewer"])
    expect((await owner.get(`${APPS}/${app}`)).status).toBe(404)
  })
})
