import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { type Visitor, visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"

interface Listed {
  readonly sessions: ReadonlyArray<{
    readonly id: string
    readonly current: boolean
    readonly browser: string | null
    readonly address: string | null
    readonly signed_in_at: string
    readonly last_used_at: string
    readonly expires_at: string
  }>
}

const signIn = async (email: string, userAgent: string) => {
  const answer = await fetch(`${world.url}/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": userAgent },
    body: JSON.stringify({ email, password: PASSWORD })
  })
  expect(answer.status).toBe(201)
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  const send = async (method: string, path: string) => {
    const sent = await fetch(world.url + path, { method, headers: { cookie, origin: world.url } })
    return { status: sent.status, body: sent.status === 204 ? undefined : await sent.json() }
  }
  return { cookie, send, list: async () => (await send("GET", "/v1/user/sessions")).body as Listed }
}

describe("/v1/user/sessions", () => {
  it("lists browser, address, times and which one asks; the one that was used last first [accounts-6]", async () => {
    const person = await world.person()
    const one = await signIn(person.account.email, FIREFOX)
    const begun = world.clock.now()
    world.clock.advance(3_600_000)
    const other = await signIn(person.account.email, SAFARI)
    const { sessions } = await one.list()
    // `world.person` made the session without a browser.
    expect(sessions.map(({ browser, current }) => [browser, current])).toEqual(
      [
        ["Firefox on Linux", true],
        ["Safari on iOS", false],
        [null, false]
      ].sort((a, b) => Number(a[0] === null) - Number(b[0] === null))
    )
    expect(sessions.find(({ current }) => current)).toMatchObject({
      address: "127.0.0.1",
      signed_in_at: new Date(begun).toISOString(),
      last_used_at: new Date(begun + 3_600_000).toISOString(),
      expires_at: new Date(begun + 3_600_000 + 14 * 86_400_000).toISOString()
    })
    expect((await other.list()).sessions.filter(({ current }) => current).map(({ browser }) => browser)).toEqual([
      "Safari on iOS"
    ])
    expect(JSON.stringify(sessions)).not.toContain(one.cookie.split("=")[1])
  })

  it("DELETE …/{id} ends that session alone; again, or somebody else's: 404 [accounts-6]", async () => {
    const person = await world.person()
    const stranger = await world.person()
    const [one, other] = [await signIn(person.account.email, FIREFOX), await signIn(person.account.email, SAFARI)]
    const theirs = await signIn(stranger.account.email, FIREFOX)
    const idOf = async (session: typeof one) => (await session.list()).sessions.find(({ current }) => current)?.id ?? ""
    const [otherId, theirId] = [await idOf(other), await idOf(theirs)]
    expect((await one.send("DELETE", `/v1/user/sessions/${theirId}`)).status).toBe(404)
    expect((await theirs.send("GET", "/v1/session")).status).toBe(200)
    expect((await one.send("DELETE", `/v1/user/sessions/${otherId}`)).status).toBe(204)
    expect((await one.send("DELETE", `/v1/user/sessions/${otherId}`)).status).toBe(404)
    expect((await one.send("DELETE", "/v1/user/sessions/ses_unknown")).status).toBe(404)
    expect([(await other.send("GET", "/v1/session")).status, (await one.send("GET", "/v1/session")).status]).toEqual([
      401, 200
    ])
  })

  it("DELETE ends every other session, and none of another account [accounts-6]", async () => {
    const person = await world.person()
    const theirs = await signIn((await world.person()).account.email, FIREFOX)
    const [one, other] = [await signIn(person.account.email, FIREFOX), await signIn(person.account.email, SAFARI)]
    // The answer counts two ended sessions: the session of the other browser, and the session that `world.person` made.
    expect((await one.send("DELETE", "/v1/user/sessions")).body).toEqual({ ended: 2 })
    expect((await one.list()).sessions).toHaveLength(1)
    expect([(await other.send("GET", "/v1/session")).status, (await theirs.send("GET", "/v1/session")).status]).toEqual(
      [401, 200]
    )
  })
})

describe("the page “Where you are signed in”", () => {
  const PATH = "/portal/settings/sessions"

  const idOf = async (browser: Visitor) => {
    const cookie = `session=${browser.cookies.get("session")}`
    const answer = await fetch(`${world.url}/v1/user/sessions`, { headers: { cookie } })
    return ((await answer.json()) as Listed).sessions.find(({ current }) => current)?.id
  }

  it("one button signs another browser out, one all others, and that of the present browser leads to the front page", async () => {
    const { account } = await world.person()
    const [here, there, elsewhere] = [
      await signedIn(world, account.email),
      await signedIn(world, account.email),
      await signedIn(world, account.email)
    ]
    const page = await here.get(PATH)
    expect(page.text.match(/This browser/g)).toHaveLength(1)
    const ended = await here.submit(page, `${PATH}/${await idOf(there)}/end`)
    expect(ended.headers.get("location")).toBe(`${PATH}?done=session-ended`)
    expect((await there.get(PATH)).status).toBe(303)
    expect((await elsewhere.get(PATH)).status).toBe(200)

    await here.submit(await here.get(PATH), `${PATH}/end-others`)
    expect((await elsewhere.get(PATH)).status).toBe(303)
    const alone = await here.get(PATH)
    expect(alone.text).toContain("You are signed in nowhere else.")
    const out = await here.submit(alone, `${PATH}/${await idOf(here)}/end`)
    expect([out.headers.get("location"), here.cookies.has("session")]).toEqual(["/", false])
  })

  it("a browser that confirmed meanwhile stays signed in, and the page does not say otherwise [accounts-6, accounts-17]", async () => {
    const { account } = await world.person()
    const [here, there] = [await signedIn(world, account.email), await signedIn(world, account.email)]
    const [page, before] = [await here.get(PATH), await idOf(there)]
    await there.submit(await there.get("/confirm"), "/confirm", { password: PASSWORD })
    const answer = await here.submit(page, `${PATH}/${before}/end`)
    expect(answer.headers.get("location")).toBe(`${PATH}?done=session-not-listed`)
    expect((await there.get(PATH)).status).toBe(200)
    const told = await here.get(`${PATH}?done=session-not-listed`)
    expect(told.text).toContain("No browser was signed out: the entry has ended or changed. Look at the list again.")
    expect(told.text).not.toContain("The browser was signed out")
  })

  it("needs its form token: a page elsewhere signs nobody out", async () => {
    const { account } = await world.person()
    const browser = await signedIn(world, account.email)
    expect((await browser.post(`${PATH}/end-others`, {})).status).toBe(403)
    expect((await visitor(world.url).get(PATH)).headers.get("location")).toContain("/sign-in?return_to=")
  })
})
