import { AccountDeletion, removeDeleted } from "@place-access/domain/deletions"
import { everything } from "@place-access/domain/leases"
import { MemoryDatabase } from "@place-access/domain/testing"
import { refreshTokens } from "@place-access/domain/tokens"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
let admin: Person
let ida: Person
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  admin = await world.person({ roles: ["admin"] })
  ida = await world.person()
})

const at = ({ account }: Person, rest = "") => `/v1/admin/accounts/${account.id}${rest}`
const signIn = ({ account }: Person, password = PASSWORD) =>
  world.call("/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: account.email, password })
  })
const posted = (person: Person, path: string, fields: Readonly<Record<string, string>>) =>
  person.send("POST", path, undefined, {
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString()
  })
const tokenOn = async (person: Person, path: string) =>
  /name="form_token" value="([^"]+)"/.exec((await person.get(path)).text.split("<main")[1] ?? "")?.[1] ?? ""

describe("roles [staff-2]", () => {
  it("an admin gives and takes them; a new role works at once", async () => {
    expect((await ida.get("/v1/admin/reviews")).status).toBe(403)
    expect((await admin.send("PUT", at(ida, "/roles/reviewer"))).json).toMatchObject({ roles: ["reviewer"] })
    expect((await ida.get("/v1/admin/reviews")).status).toBe(200)
    expect((await admin.send("DELETE", at(ida, "/roles/reviewer"))).json).toMatchObject({ roles: [] })
    expect((await ida.get("/v1/admin/reviews")).status).toBe(403)
  })

  it("a staff role is given only after a fresh sign-in; taking one, suspending and resuming need none", async () => {
    world.clock.advance(15 * 60_000)
    const path = `/admin/accounts/${ida.account.id}`
    for (const role of ["reviewer", "admin"]) {
      const late = await admin.send("PUT", at(ida, `/roles/${role}`))
      expect([late.status, late.json]).toMatchObject([403, { error: "confirmation_required" }])
      const page = await posted(admin, `${path}/roles/${role}/give`, { form_token: await tokenOn(admin, path) })
      expect([page.status, page.headers.get("location")]).toMatchObject([303, expect.stringMatching(/^\/confirm\?/)])
    }
    expect((await ida.get("/v1/session")).json).toMatchObject({ roles: [] })
    expect((await admin.send("PUT", at(ida, "/roles/developer"))).json).toMatchObject({ roles: ["developer"] })

    await admin.send("POST", "/v1/session/confirmation", { password: PASSWORD })
    for (const role of ["reviewer", "admin"]) {
      expect((await admin.send("PUT", at(ida, `/roles/${role}`))).status).toBe(200)
    }
    world.clock.advance(15 * 60_000)
    const done = [
      await admin.send("DELETE", at(ida, "/roles/reviewer")),
      await admin.send("DELETE", at(ida, "/roles/admin")),
      await admin.send("POST", at(ida, "/suspend")),
      await admin.send("POST", at(ida, "/resume"))
    ]
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it("nobody but an admin does it, and an unknown account or role is none", async () => {
    const reviewer = await world.person({ roles: ["reviewer"] })
    for (const who of [ida, reviewer]) {
      const answers = [
        await who.send("PUT", at(who, "/roles/admin")),
        await who.send("POST", at(admin, "/suspend")),
        await who.send("POST", "/v1/admin/accounts/search", { account: admin.account.email }),
        await who.get("/v1/admin/audit-log"),
        await who.get("/admin/accounts"),
        await who.get(`/admin/accounts/${admin.account.id}`),
        await who.get("/admin/audit-log")
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    }
    expect((await admin.send("PUT", "/v1/admin/accounts/usr_nobody/roles/reviewer")).status).toBe(404)
    expect((await admin.send("PUT", at(ida, "/roles/owner"))).status).toBe(400)
  })
})

describe("a test person, and the placeholder for deleted accounts [staff-2, test-people-1]", () => {
  const { NOBODY } = AccountDeletion

  /**
   * An admin gives ida a role and then deletes their own account, so the audit log names a placeholder in place of the
   * admin.
   */
  const deletedAdmin = async () => {
    const leaver = await world.person({ roles: ["admin"] })
    await leaver.send("PUT", at(ida, "/roles/developer"))
    expect((await leaver.send("DELETE", "/v1/user/account", { password: PASSWORD })).status).toBe(204)
    await world.run(removeDeleted(everything.people))
  }

  it("are no accounts that admins manage: every call and every form answers 404", async () => {
    await deletedAdmin()
    const { app, clientSecret } = await world.app(ida)
    const authorization = `Basic ${Buffer.from(`${app.id}:${clientSecret}`).toString("base64")}`
    const json = jsonBody({ places: [{ label: "Home", kind: "home", lat: 52.4, lon: 4.9 }] })
    const headers = { ...json.headers, authorization }
    const made = await world.call("/v1/test-people", { ...json, method: "POST", headers })
    const { id: testPerson } = made.json as { readonly id: string }
    const form_token = await tokenOn(admin, `/admin/accounts/${ida.account.id}`)
    for (const id of [testPerson, NOBODY.id]) {
      const page = `/admin/accounts/${id}`
      const answers = [
        await admin.send("PUT", `/v1${page}/roles/admin`),
        await admin.send("DELETE", `/v1${page}/roles/admin`),
        await admin.send("POST", `/v1${page}/suspend`),
        await admin.send("POST", `/v1${page}/resume`),
        await admin.send("POST", "/v1/admin/accounts/search", { account: id }),
        await admin.get(page),
        await posted(admin, `${page}/roles/admin/give`, { form_token }),
        await posted(admin, `${page}/end-sessions`, { form_token })
      ]
      expect([id, ...answers.map(({ status }) => status)]).toEqual([id, ...answers.map(() => 404)])
    }
  })

  it("a test person that got a role, an address and a password before can use none of them [test-people-1]", async () => {
    const robin = await world.person({ roles: ["admin"] })
    expect((await robin.get("/v1/admin/reviews")).status).toBe(200)
    const { app } = await world.app(ida)
    await world.run(
      Effect.map(MemoryDatabase, ({ accounts }) => {
        const stored = accounts.get(robin.account.id)
        if (stored !== undefined) {
          accounts.set(robin.account.id, { ...stored, account: { ...stored.account, testOf: app.id } })
        }
      })
    )
    const answers = [
      await robin.send("PUT", at(ida, "/roles/reviewer")),
      await robin.get("/v1/admin/reviews"),
      await robin.get("/v1/session"),
      await signIn(robin)
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    const page = await robin.get("/admin", { redirect: "manual" })
    expect([page.status, page.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/sign-in/)])
  })

  it("the audit log shows the placeholder without a link to a page", async () => {
    await deletedAdmin()
    const log = (await admin.get(`/admin/audit-log?account=${ida.account.id}`)).text
    expect([log.includes(NOBODY.displayName), log.includes(`/accounts/${NOBODY.id}`)]).toEqual([true, false])
  })
})

describe("suspension [staff-1]", () => {
  it("of a person: no sign-in, no session, 503 for tokens; nothing is lost when it ends", async () => {
    const { app } = await world.app(ida)
    const tokens = await world.connect(ida, app, { scopes: ["location.place.current"] })
    const me = () => world.call("/v1/me", bearer(tokens.accessToken))
    expect((await me()).status).toBe(200)
    expect((await admin.send("POST", at(ida, "/suspend"))).json).toMatchObject({ suspended_at: expect.any(String) })

    const paused = await me()
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([503, "3600"])
    expect(paused.text).not.toContain("suspend")
    const refused = await world.run(Effect.flip(refreshTokens(app, tokens.refreshToken)))
    expect(refused._tag).toBe("Suspended")
    expect((await ida.get("/v1/session")).status).toBe(401)
    const right = await signIn(ida)
    expect([right.status, right.json]).toMatchObject([403, { error: "forbidden" }])
    // With a wrong password, the answer must not say that the account is suspended. Otherwise anybody could find that
    // out.
    expect((await signIn(ida, "another password")).status).toBe(401)

    await admin.send("POST", at(ida, "/resume"))
    expect((await me()).status).toBe(200)
    expect((await ida.get("/v1/session")).status).toBe(200)
    expect((await signIn(ida)).status).toBe(201)
    expect((await world.run(refreshTokens(app, tokens.refreshToken))).accessToken).toMatch(/^pa_at\./)
  })

  it("of a developer: the app answers nobody and asks nobody, and works again afterwards", async () => {
    const { app } = await world.app(ida, { status: "production" })
    const user = await world.person()
    const tokens = await world.connect(user, app, { scopes: ["location.place.current"] })
    await admin.send("POST", at(ida, "/suspend"))
    expect((await world.call("/v1/me", bearer(tokens.accessToken))).status).toBe(503)
    const requested = await user.get(`/authorize?client_id=${app.id}&response_type=code&state=abcdefghij`)
    expect([requested.status, requested.text.includes("Connect ")]).toEqual([403, false])
    await admin.send("POST", at(ida, "/resume"))
    expect((await world.call("/v1/me", bearer(tokens.accessToken))).status).toBe(200)
  })

  it("of a developer: an open consent page and a new link say that the app cannot be connected at the moment, and then work again", async () => {
    const { app } = await world.app(ida, { status: "production" })
    const user = await world.person()
    const query = new URLSearchParams({
      client_id: app.id,
      redirect_uri: app.redirectUris[0] ?? "",
      scope: "location.place.current",
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
      state: "state-of-the-app"
    })
    const link = `/authorize?${query.toString()}`
    const open = await user.get(link)
    const path = /action="(\/authorize\/[^"]+)"/.exec(open.text)?.[1] ?? ""
    await admin.send("POST", at(ida, "/suspend"))
    for (const page of [path, link]) {
      const closed = await user.get(page)
      expect([closed.status, closed.text.includes("cannot be connected at the moment")]).toEqual([403, true])
      expect(closed.text).not.toContain("permanently")
    }
    const signedOut = await world.call(link, { headers: {} })
    expect([signedOut.status, signedOut.text.includes("cannot be connected at the moment")]).toEqual([403, true])
    await admin.send("POST", at(ida, "/resume"))
    expect((await user.get(path)).status).toBe(200)
  })
})

describe("the pages of admins", () => {
  it("find an account by its address, change it, and show what happened in words", async () => {
    const form_token = await tokenOn(admin, "/admin/accounts")
    const found = await posted(admin, "/admin/accounts", { form_token, account: ida.account.email.toUpperCase() })
    expect([found.status, found.headers.get("location")]).toEqual([303, `/admin/accounts/${ida.account.id}`])
    const part = await posted(admin, "/admin/accounts", { form_token, account: ida.account.email.slice(0, 4) })
    expect([part.status, part.text.includes("E-mail address or id belongs to no account here")]).toEqual([404, true])

    const page = `/admin/accounts/${ida.account.id}`
    const token = await tokenOn(admin, page)
    const suspended = await posted(admin, `${page}/suspend`, { form_token: token })
    expect(suspended.headers.get("location")).toBe(`${page}?done=account-suspended`)
    expect((await admin.get(page)).text).toContain("Resume account")
    expect((await posted(admin, `${page}/resume`, { form_token: "" })).status).toBe(403)
    expect((await posted(admin, `${page}/resume`, { form_token: token })).status).toBe(303)
    expect((await posted(admin, `${page}/end-sessions`, { form_token: token })).status).toBe(303)
    expect((await ida.get("/v1/session")).status).toBe(401)

    const log = (await admin.get(`/admin/audit-log?account=${ida.account.id}`)).text
    for (const words of ["The account was suspended.", "The account was resumed.", "Signed out of 1 browser."]) {
      expect(log).toContain(words)
    }
    const filtered = (await admin.get(`/admin/audit-log?account=${ida.account.id}&kind=sign_in`)).text
    expect([filtered.includes("Signed in with"), filtered.includes("was suspended")]).toEqual([true, false])
    const none = (await admin.get(`/admin/audit-log?account=${ida.account.id}&to=2026-01-01`)).text
    expect(none).toContain("Nothing was recorded that fits")
    expect((await admin.get("/admin/audit-log?account=not%20an%20id")).text).toContain("must be an id")
  })

  it("an admin's own page has no button that suspends; on the page of others it is folded away [staff-2]", async () => {
    const own = (await admin.get(`/admin/accounts/${admin.account.id}`)).text
    expect([own.includes("/suspend"), own.includes("ask another admin")]).toEqual([false, true])
    const other = (await admin.get(`/admin/accounts/${ida.account.id}`)).text
    expect(other).toMatch(/<details>(?:(?!<\/details>)[\s\S])*\/suspend"/)
  })

  it("the page says that a resume signs the browsers in again, and to sign an account out that was taken over [staff-1]", async () => {
    const person = await world.person()
    const page = `/admin/accounts/${person.account.id}`
    const read = async () => (await admin.get(page)).text
    const before = await read()
    expect([before.includes("are signed out"), before.includes("can do nothing until it is resumed")]).toEqual([
      false,
      true
    ])
    await posted(admin, `${page}/suspend`, { form_token: await tokenOn(admin, page) })
    expect(await read()).toMatch(
      /its browsers are signed in again[\s\S]*Did somebody else get into the account\? Sign it out/
    )
    expect((await person.get("/v1/session")).status).toBe(401)
    await posted(admin, `${page}/resume`, { form_token: await tokenOn(admin, page) })
    expect((await person.get("/v1/session")).status).toBe(200)
  })

  it("an admin who takes their own role of an admin lands on Today, which says so", async () => {
    // The test needs a second admin, because the service does not let anybody take the role away from the last admin.
    await world.person({ roles: ["admin"] })
    const page = `/admin/accounts/${admin.account.id}`
    const form_token = await tokenOn(admin, page)
    const taken = await posted(admin, `${page}/roles/admin/take`, { form_token })
    expect(taken.status).toBe(303)
    const { status, text } = await admin.get(taken.headers.get("location") ?? "")
    expect([status, text.includes("You are no longer an admin.")]).toEqual([200, true])
    expect((await admin.get("/v1/session")).json).toMatchObject({ roles: [] })
  })

  it("the audit log: From and To are days of the reader's zone, as the times of the rows are [accounts-19]", async () => {
    // 12:00 UTC on 1 March is 1:00 on 2 March in Auckland, so the reader's day differs from the day in UTC.
    await admin.send("PUT", "/v1/user/time-zone", { time_zone: "Pacific/Auckland" })
    const shows = async (day: string) =>
      (await admin.get(`/admin/audit-log?account=${ida.account.id}&from=${day}&to=${day}`)).text.includes("Signed in")
    const today = new Date(world.clock.now() + 13 * 3_600_000).toISOString().slice(0, 10)
    const yesterday = new Date(world.clock.now() - 11 * 3_600_000).toISOString().slice(0, 10)
    expect([await shows(yesterday), await shows(today)]).toEqual([false, true])
  })

  it("the audit log names a member of a team who acted [teams-5]", async () => {
    const { app } = await world.app(ida)
    const [second, third] = [await world.person(), await world.person()]
    const team = `/v1/developer/apps/${app.id}/team`
    const join = async (person: Person, role: string) => {
      const { json } = await ida.send("POST", `${team}/invitations`, { email: person.account.email, role })
      await person.send("POST", `${team}/invitations/${(json as { readonly id: string }).id}/accept`)
    }
    await join(second, "owner")
    await join(third, "viewer")
    const { members } = (await second.get(team)).json as {
      readonly members: ReadonlyArray<{ readonly id: string; readonly email: string }>
    }
    const { id } = members.find(({ email }) => email === third.account.email) ?? { id: "" }
    expect((await second.send("DELETE", `${team}/members/${id}`)).status).toBe(204)
    const log = (await admin.get(`/admin/audit-log?account=${third.account.id}&kind=team_left`)).text
    const by = `href="/admin/accounts/${second.account.id}">${second.account.displayName}</a>`
    expect(log.replace(/\s+/g, " ")).toContain(by)
  })

  it("the API lists the same events, by pages, and names no address and no secret", async () => {
    await admin.send("PUT", at(ida, "/roles/reviewer"))
    await admin.send("DELETE", at(ida, "/roles/reviewer"))
    const list = async (query: string) =>
      (await admin.get(`/v1/admin/audit-log?account_id=${ida.account.id}&${query}`)).json as {
        readonly events: ReadonlyArray<Record<string, unknown>>
        readonly nextCursor: string | null
      }
    const first = await list("limit=1")
    expect(first.events).toMatchObject([
      { kind: "role_taken", account_id: ida.account.id, actor: { kind: "staff", id: admin.account.id } }
    ])
    const second = await list(`limit=1&cursor=${encodeURIComponent(first.nextCursor ?? "")}`)
    expect(second.events).toMatchObject([{ kind: "role_given", detail: { role: "reviewer" } }])
    const all = JSON.stringify(await list("limit=500"))
    expect([ida.account.email, PASSWORD, ida.cookie.split("=")[1] ?? ""].filter((one) => all.includes(one))).toEqual([])
    for (const query of ["kind=everything", "from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z"])
      expect([query, (await admin.get(`/v1/admin/audit-log?${query}`)).status]).toEqual([query, 400])
  })
})
