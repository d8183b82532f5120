import { type App, RedirectUri, registerRedirectUris } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { deadLinks } from "../support/browsing.js"
import { phone } from "../support/phone.js"
import { hidden, visitor, type Visitor } from "../support/visitor.js"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"
import type { Answer } from "../support/wire.js"

const CURRENT = "location.place.current"
const VISITS = "location.visits.read"
const LATEST = "location.latest.read"
const CALLBACK = "https://coffee.example/callback"
const VERIFIER = "v".repeat(43)
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url")
const { DAY } = Timestamp

let world: World
let person: Person
let app: App.App
let clientSecret: string
let browser: Visitor

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** Begins a test with a new user who owns an app and has signed in through the page. */
const fresh = async () => {
  world.clock.set("2026-03-01T12:00:00.000Z")
  person = await world.person()
  ;({ app, clientSecret } = await world.app(person))
  const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
  await world.run(createPurpose(person.account, app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
  browser = visitor(world.url)
  await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: person.account.email, password: PASSWORD })
}

const PARAMETERS = {
  redirect_uri: CALLBACK,
  scope: CURRENT,
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
  state: "state-of-the-app"
}

type More = Readonly<Record<string, string | undefined>>

const authorize = (more: More = {}): Promise<Answer> => {
  const all = Object.entries({ client_id: app.id, ...PARAMETERS, ...more })
  const query = new URLSearchParams(all.filter((pair): pair is [string, string] => pair[1] !== undefined))
  return browser.get(`/authorize?${query.toString()}`)
}

const action = ({ text }: Answer): string => /action="(\/authorize\/[^"]+)"/.exec(text)?.[1] ?? ""

/**
 * Fills in the form of the page, with one scope by default, and presses a button. Returns the address to which the
 * browser is redirected.
 */
const answer = async (page: Answer, fields: Parameters<Visitor["submit"]>[2] = {}) => {
  const sent = await browser.submit(page, action(page), { decision: "allow", scope: [CURRENT], ...fields })
  return new URL(sent.headers.get("location") ?? "", world.url)
}

const exchange = async (code: string | null) => {
  const sent = await world.call("/v1/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      grantType: "authorization_code",
      clientId: app.id,
      clientSecret,
      code,
      codeVerifier: VERIFIER,
      redirectUri: CALLBACK
    })
  })
  return sent.json as { readonly access_token: string; readonly scope: string }
}

const me = async (token: string) => {
  const { json, status } = await world.call("/v1/me", bearer(token))
  return { status, ...(json as Record<string, unknown>) }
}

/** The redirect of a refusal: the address without its query, then the error and the state from the query. */
const refusedBack = (page: Answer) => {
  const back = new URL(page.headers.get("location") ?? "", world.url)
  return [back.origin + back.pathname, back.searchParams.get("error"), back.searchParams.get("state")]
}

describe("GET {auth_url}/authorize, its parameters [§4.1]", () => {
  beforeAll(fresh)
  const back = (error: string) => [CALLBACK, error, "state-of-the-app"]
  const nobodyIsSent = (page: Answer) => [page.status, page.headers.get("location")]

  it("client_id: required, the app id; else a page, and nobody is sent anywhere [§4.1-client-id]", async () => {
    for (const client_id of [undefined, "", "app_unknown"]) {
      expect(nobodyIsSent(await authorize({ client_id }))).toEqual([400, null])
    }
  })

  it("redirect_uri: must match a registered one exactly, no prefix matching [§4.1-redirect-uri]", async () => {
    for (const redirect_uri of [
      undefined,
      `${CALLBACK}/`,
      `${CALLBACK}?a=b`,
      "https://coffee.example/",
      "HTTPS://coffee.example/callback"
    ]) {
      expect(nobodyIsSent(await authorize({ redirect_uri }))).toEqual([400, null])
    }
    expect((await authorize()).status).toBe(200)
  })

  it("scope: required, space-separated, within the app's declared scopes [§4.1-scope]", async () => {
    for (const scope of [undefined, "location.nowhere", `${CURRENT},${VISITS}`]) {
      expect(refusedBack(await authorize({ scope }))).toEqual(back("invalid_scope"))
    }
    const narrow = await world.app(person, { declaredScopes: [VISITS] })
    expect(refusedBack(await authorize({ client_id: narrow.app.id }))).toEqual(back("invalid_scope"))
    const page = await authorize({ scope: `${CURRENT} ${VISITS}` })
    expect(page.text).toContain(`value="${CURRENT}"`)
    expect(page.text).toContain(`value="${VISITS}"`)
  })

  it("code_challenge: required, base64url(SHA-256(verifier)) [§4.1-code-challenge]", async () => {
    for (const code_challenge of [undefined, "x", `${CHALLENGE}=`, "x".repeat(44)]) {
      expect(refusedBack(await authorize({ code_challenge }))).toEqual(back("invalid_request"))
    }
  })

  it("code_challenge_method: required, S256 [§4.1-code-challenge-method]", async () => {
    for (const code_challenge_method of [undefined, "plain", "s256"]) {
      expect(refusedBack(await authorize({ code_challenge_method }))).toEqual(back("invalid_request"))
    }
  })

  it("state: required, 8-512 characters; without one the request is refused before the consent screen renders [§4.1-state]", async () => {
    for (const state of [undefined, "1234567", "x".repeat(513)]) {
      expect(nobodyIsSent(await authorize({ state }))).toEqual([400, null])
    }
    for (const state of ["12345678", "x".repeat(512), "Grüße-🦊🦊", "a\r\nX-Y: b\t"]) {
      const to = await answer(await authorize({ state }), { decision: "cancel" })
      expect(to.searchParams.get("state")).toBe(state)
    }
  })

  it("external_user_id: optional, up to 128 characters; the app reads it, the user's page never shows it [§2.1-external-user-id, §4.1-external-user-id]", async () => {
    expect(refusedBack(await authorize({ external_user_id: "x".repeat(129) }))).toEqual(back("invalid_request"))
    const external_user_id = "ü".repeat(128)
    const page = await authorize({ external_user_id })
    expect(page.text).not.toContain(external_user_id)
    const { access_token } = await exchange((await answer(page)).searchParams.get("code"))
    expect(await me(access_token)).toMatchObject({ external_user_id })
  })

  it("on completion the browser is redirected to redirect_uri with code and state [§4.1-completion]", async () => {
    const to = await answer(await authorize())
    expect(to.origin + to.pathname).toBe(CALLBACK)
    expect([...to.searchParams.keys()]).toEqual(["code", "state"])
  })
})

describe("consent screen modes [§4.1]", () => {
  const mode = (page: Answer) => hidden(page, action(page))["mode"]
  const boxes = ({ text }: Answer) => (text.match(/type="checkbox"/g) ?? []).length

  it("new: no live connection; full consent screen, for sensitive scopes with each purpose's description [§4.1-new, §4.1-purposes]", async () => {
    await fresh()
    const page = await authorize({ scope: `${CURRENT} ${LATEST}` })
    expect([mode(page), boxes(page)]).toEqual(["new", 2])
    expect(page.text).toContain("To have your coffee ready.")
    expect(page.text).not.toContain("order_ahead")
    await answer(page, { scope: [CURRENT] })
    const [connection] = await world.run(listConnections(person.account.id))
    expect(connection?.heldScopes).toEqual([CURRENT])
  })

  it("renew_sensitive: live connection and exactly the held scopes; sensitive expiry, uses by purpose, link to the log [§4.1-log, §4.1-renew-sensitive]", async () => {
    await fresh()
    await world.connect(person, app, { scopes: [CURRENT, LATEST], standardDays: "90" })
    const page = await authorize({ scope: `${LATEST} ${CURRENT}` })
    expect([mode(page), boxes(page)]).toEqual(["renew_sensitive", 0])
    expect(page.text).toContain("Not once")
    expect(page.text).toContain(`/portal/access-log?app=${app.id}`)
    expect(page.text).not.toContain('name="standard_days"')
    await answer(page, { scope: [], sensitive_days: "7" })
    const [connection] = await world.run(listConnections(person.account.id))
    expect([connection?.sensitiveExpiresAt, connection?.grantExpiresAt]).toEqual([
      world.clock.now() + 7 * DAY,
      world.clock.now() + 90 * DAY
    ])
  })

  it("change: live connection and a different scope set; full consent screen for the new set [§4.1-change]", async () => {
    await fresh()
    await world.connect(person, app, { scopes: [CURRENT, LATEST] })
    const page = await authorize({ scope: `${CURRENT} ${VISITS}` })
    expect([mode(page), boxes(page)]).toEqual(["change", 2])
    expect(page.text).toContain("No longer requested")
    await answer(page, { scope: [CURRENT, VISITS], standard_days: "1" })
    const [connection] = await world.run(listConnections(person.account.id))
    expect([connection?.heldScopes, connection?.grantExpiresAt]).toEqual([[CURRENT, VISITS], world.clock.now() + DAY])
  })

  it("the page and a mail tell a user without a phone that there is none; the user can still approve [§4.1-no-phone, consent-13]", async () => {
    const receipt = () =>
      world.run(
        Effect.map(MemoryDatabase, ({ mail }) =>
          [...mail.entries()].flatMap(([key, one]) => (key.startsWith(person.account.id) ? [JSON.stringify(one)] : []))
        )
      )
    await fresh()
    const page = await authorize()
    expect(page.text).toContain("No phone has sent your location yet.")
    expect((await answer(page)).searchParams.has("code")).toBe(true)
    expect(await receipt()).toEqual([expect.stringContaining("No phone of yours has sent its location yet")])
    await fresh()
    await (await phone(world, person)).at({ lat: 52.5, lon: 13.4 }, [0])
    const repeated = await authorize()
    expect(repeated.text).not.toContain("No phone has sent")
    await answer(repeated)
    expect(await receipt()).toEqual([expect.not.stringContaining("No phone")])
  })
})

describe("expiry choices [§4.2]", () => {
  const options = ({ text }: Answer, name: string) =>
    (text.match(new RegExp(`<input[^>]*name="${name}"[^>]*>`, "g")) ?? []).map((tag) => ({
      value: /value="([^"]*)"/.exec(tag)?.[1],
      checked: /\schecked\b/.test(tag)
    }))
  const values = (all: ReturnType<typeof options>) => all.map(({ value }) => value)
  const checked = (all: ReturnType<typeof options>) => values(all.filter((one) => one.checked))

  it("Standard: 1, 7, 30, 90 days or never, 30 by default; at its end the whole connection ends [§4.2-standard, §8-standard]", async () => {
    await fresh()
    const page = await authorize()
    const offered = options(page, "standard_days")
    expect([values(offered), checked(offered)]).toEqual([["1", "7", "30", "90", "never"], ["30"]])
    const { access_token } = await exchange((await answer(page, { standard_days: "1" })).searchParams.get("code"))
    world.clock.advance(DAY - 1)
    const repeated = await world.run(listConnections(person.account.id))
    expect(repeated[0]?.live).toBe(true)
    world.clock.advance(1)
    const ended = await world.run(listConnections(person.account.id))
    expect([ended[0]?.live, ended[0]?.endReason, (await me(access_token)).status]).toEqual([false, "expired", 401])
  })

  it("Sensitive: 1, 7, 30, 90 days, 30 by default and no never; at its end only the sensitive scopes stop [§4.2-sensitive, §8-sensitive]", async () => {
    await fresh()
    const page = await authorize({ scope: `${CURRENT} ${LATEST}` })
    const offered = options(page, "sensitive_days")
    expect([values(offered), checked(offered)]).toEqual([["1", "7", "30", "90"], ["30"]])
    const never = await browser.submit(page, action(page), {
      decision: "allow",
      scope: [CURRENT, LATEST],
      standard_days: "never",
      sensitive_days: "never"
    })
    expect([never.status, never.text.includes("How long for exact location must be 1, 7, 30 or 90")]).toEqual([
      400,
      true
    ])
    await answer(page, { scope: [CURRENT, LATEST], standard_days: "never", sensitive_days: "90" })
    const ends = world.clock.now() + 90 * DAY
    world.clock.set(ends - 1)
    const scopes = async () => (await world.run(listConnections(person.account.id)))[0]?.scopes
    expect(await scopes()).toEqual([CURRENT, LATEST])
    world.clock.set(ends)
    expect(await scopes()).toEqual([CURRENT])
  })

  it("each option shows the date that it comes to", async () => {
    await fresh()
    const page = await authorize()
    for (const date of ["2 March", "8 March", "31 March", "30 May"]) {
      expect(page.text).toContain(`Ends <time datetime`)
      expect(page.text).toContain(`${date} 2026 at 12:00 UTC`)
    }
  })
})

describe("one request, one answer", () => {
  it("the same form posted five times at once: one code, one connection, one receipt", async () => {
    await fresh()
    const page = await authorize()
    const all = await Promise.all(Array.from({ length: 5 }, () => answer(page)))
    expect(new Set(all.map(({ href }) => href)).size).toBe(1)
    expect(all[0]?.searchParams.get("code")).toMatch(/^pa_ac\./)
    expect((await world.run(listConnections(person.account.id))).length).toBe(1)
    const receipts = await world.run(
      Effect.map(MemoryDatabase, ({ mail }) => [...mail.keys()].filter((key) => key.startsWith(person.account.id)))
    )
    expect(receipts.length).toBe(1)
    // The first decision counts. Pressing another button later must not change the decision.
    expect((await answer(page, { decision: "cancel" })).href).toBe(all[0]?.href)
    expect((await browser.get(action(page))).status).toBe(409)
  })

  it("an answer whose redirect URI was removed meanwhile sends the person back to the app, and not to the page again [consent-7]", async () => {
    await fresh()
    const page = await authorize()
    const moved = [RedirectUri.RedirectUri.make("https://coffee.example/other")]
    await world.run(registerRedirectUris(person.account, app.id, moved, "assumed", "unchecked"))
    const sent = await browser.submit(page, action(page), { decision: "allow", scope: [CURRENT] })
    expect([sent.status, action(sent)]).toEqual([409, ""])
    expect(sent.text).toContain("Go back to the app and start again.")
    expect((await browser.get(action(page))).status).toBe(409)
  })

  it("the sign-in mentions no app whose request has a redirect URI that was removed meanwhile [consent-10]", async () => {
    await fresh()
    const path = action(await authorize())
    const asks = async () =>
      (await visitor(world.url).get(`/sign-in?return_to=${encodeURIComponent(path)}`)).text.includes("wants to connect")
    expect(await asks()).toBe(true)
    const moved = [RedirectUri.RedirectUri.make("https://coffee.example/other")]
    await world.run(registerRedirectUris(person.account, app.id, moved, "assumed", "unchecked"))
    expect(await asks()).toBe(false)
  })

  it("a form without a decision is shown again, and its list of problems leads to the buttons", async () => {
    await fresh()
    const page = await authorize()
    const repeated = await browser.submit(page, action(page), { scope: [CURRENT] })
    expect([repeated.status, deadLinks(repeated.text)]).toEqual([400, []])
  })

  it("a new place with empty fields: the page says what is missing, and keeps the ticks [consent-11]", async () => {
    await fresh()
    const page = await authorize()
    const empty = { kind: "home", label: "", lat: "", lon: " ", radius_m: "150" }
    const repeated = await browser.submit(page, action(page), { decision: "add_place", scope: [CURRENT], ...empty })
    expect(repeated.status).toBe(400)
    for (const field of ["label", "centre"]) expect(repeated.text).toContain(`id="${field}-fault"`)
    expect(repeated.text).toMatch(/value="location\.place\.current"[^>]* checked/)
    // The fields for the name and the position of the new place are empty. So Allow must not add a place.
    const allowed = await browser.submit(repeated, action(repeated), { decision: "allow", scope: [CURRENT], ...empty })
    expect(allowed.headers.get("location")).toContain("code=")
  })

  it("two tabs: both get a code, and both codes are of the one connection; the one exchanged last counts", async () => {
    await fresh()
    const [first, second] = [await authorize(), await authorize()]
    const codes = [await answer(first), await answer(second)].map((to) => to.searchParams.get("code"))
    expect(new Set(codes).size).toBe(2)
    const tokens = [await exchange(codes[0] ?? ""), await exchange(codes[1] ?? "")]
    expect((await me(tokens[0]?.access_token ?? "")).status).toBe(401)
    expect((await me(tokens[1]?.access_token ?? "")).status).toBe(200)
    expect((await world.run(listConnections(person.account.id))).length).toBe(1)
  })

  it("account switch: the session ends, and the request waits for the account that signs in next", async () => {
    await fresh()
    const page = await authorize()
    const out = await browser.submit(page, "/sign-out")
    const signIn = `/sign-in?return_to=${encodeURIComponent(action(page))}`
    expect([out.status, out.headers.get("location"), browser.cookies.has("session")]).toEqual([303, signIn, false])
    const entered = await browser.submit(await browser.get(signIn), "/sign-in", {
      email: person.account.email,
      password: PASSWORD
    })
    expect(entered.headers.get("location")).toBe(action(page))
    const repeated = await browser.get(action(page))
    expect((await answer(repeated)).searchParams.has("code")).toBe(true)
    // A form is bound to the session for which its page was made. So the form of the first page is refused after the
    // person has switched to another account.
    const late = await browser.post(action(page), { ...hidden(page, action(page)), decision: "cancel" })
    expect(late.status).toBe(403)
  })

  it("account switch after the session has ended: the request waits as well", async () => {
    await fresh()
    const page = await authorize()
    browser.cookies.delete("session")
    const out = await browser.post("/sign-out", hidden(page, "/sign-out"))
    const signIn = `/sign-in?return_to=${encodeURIComponent(action(page))}`
    expect([out.status, out.headers.get("location")]).toEqual([303, signIn])
    const away = await browser.post("/sign-out", { return_to: "https://evil.example/" })
    expect(away.headers.get("location")).toBe("/")
  })

  it("signing out leads nowhere but here", async () => {
    await fresh()
    const page = await authorize()
    for (const return_to of ["https://evil.example/", "//evil.example"]) {
      const out = await browser.submit(page, "/sign-out", { return_to })
      expect(out.headers.get("location")).toBe("/")
      await browser.submit(await browser.get("/sign-in"), "/sign-in", {
        email: person.account.email,
        password: PASSWORD
      })
      expect((await authorize()).status).toBe(200)
      Object.assign(page, await authorize())
    }
  })
})
