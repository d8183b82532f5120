import { App, createApp, type RedirectUri, registerRedirectUris } from "@place-access/domain/apps"
import { Account, createAccount, signIn } from "@place-access/domain/accounts"
import { addDevice, Device } from "@place-access/domain/devices"
import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as ReturnTo from "@place-access/adapters-http/pages/kit/ReturnTo"
import { routes } from "@place-access/adapters-http/pages/PagesLive"
import { authorizePath, consentAction, signedIn } from "../support/browsing.js"
import { optionsAt } from "../support/options.js"
import { hidden, visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

const pages = routes(optionsAt("http://localhost", { hasMailbox: true }))
const fill = (path: string) => path.replace(/:\w+/g, "some_id")
const posts = pages.filter(({ method }) => method === "POST").map(({ path }) => fill(path))
const gets = pages.filter(({ method }) => method === "GET").map(({ path }) => fill(path))

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("cross-site request forgery", () => {
  it.each(posts)("POST %s: no Origin, a foreign one, null, no token, a wrong token: 403", async (path) => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get("/portal/places")
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ""
    for (const origin of [
      undefined,
      "null",
      "",
      "https://evil.example",
      `${world.url}.evil.example`,
      `${world.url}/`
    ]) {
      expect([origin, (await browser.post(path, { form_token: token }, { origin })).status]).toEqual([origin, 403])
    }
    const other = await signedIn(world, (await world.person()).account.email)
    const foreign = /name="form_token" value="([^"]+)"/.exec((await other.get("/portal/places")).text)?.[1] ?? ""
    for (const fields of [
      {},
      { form_token: "" },
      { form_token: "k1." },
      { form_token: `${token}x` },
      { form_token: foreign }
    ]) {
      const answer = await browser.post(path, fields)
      expect(answer.status).toBe(403)
      expect(answer.headers.get("content-type")).toContain("text/html")
    }
  })

  it("nothing happens: no place is made, nobody is signed out", async () => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    const place = { label: "Trap", kind: "home", lat: "1", lon: "1", radius_m: "150" }
    await browser.post("/portal/places", place)
    await browser.post("/sign-out", {}, { origin: "https://evil.example" })
    expect(await world.run(listPlaces(person.account.id))).toEqual([])
    expect((await browser.get("/portal/connections")).status).toBe(200)
  })

  it("a consent form is bound to its request and its session", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    const first = await browser.get(authorizePath(app))
    const second = await browser.get(authorizePath(app))
    const fields = { scope: "location.rules.place", standard_days: "30", decision: "allow" }
    const hiddenOf = (page: typeof first) => /name="form_token"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? ""
    const swapped = await browser.post(consentAction(first.text), { ...fields, form_token: hiddenOf(second) })
    expect(swapped.status).toBe(403)
    const portal = await browser.get("/portal/places")
    expect((await browser.post(consentAction(first.text), { ...fields, form_token: hiddenOf(portal) })).status).toBe(
      403
    )
    const repeated = await signedIn(world, person.account.email)
    expect((await repeated.post(consentAction(first.text), { ...fields, form_token: hiddenOf(first) })).status).toBe(
      403
    )
    const right = await browser.post(consentAction(first.text), { ...fields, form_token: hiddenOf(first) })
    expect(right.status).toBe(303)
    expect(right.headers.get("location")).toContain("https://coffee.example/callback?code=")
  })

  it("nobody can be made to sign in to somebody else's account", async () => {
    const attacker = await world.person()
    const mine = visitor(world.url)
    const page = await mine.get("/sign-in")
    const victim = visitor(world.url)
    await victim.get("/sign-in")
    const token = /name="form_token"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? ""
    const fields = { form_token: token, email: attacker.account.email, password: PASSWORD }
    const answer = await victim.post("/sign-in", fields)
    expect([answer.status, victim.cookies.has("session")]).toEqual([403, false])
  })
})

describe("the same service by another name", () => {
  it("people who came to 127.0.0.1 while the address says localhost can use it", async () => {
    const named = await startWorld({ baseUrl: "http://localhost:1", authUrl: "http://localhost:1" })
    try {
      const person = await named.person()
      const browser = visitor(named.url)
      const credentials = { email: person.account.email, password: PASSWORD }
      const answer = await browser.submit(await browser.get("/sign-in"), "/sign-in", credentials)
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"])
      const page = await browser.get("/sign-in")
      const other = { ...hidden(page, "/sign-in"), ...credentials }
      expect((await browser.post("/sign-in", other, { origin: "http://localhost:2" })).status).toBe(403)
      expect((await browser.post("/sign-in", other, { origin: named.url.replace("http:", "https:") })).status).toBe(403)
    } finally {
      await named.close()
    }
  })
})

describe("clickjacking and what a page may load", () => {
  it.each(gets)("GET %s: no frames, no script, own style only", async (path) => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    const { headers } = await browser.get(path)
    expect(headers.get("x-frame-options")).toBe("DENY")
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain("unsafe")
    // The documentation is the same for everybody, so caches may store it. The answer to a search depends on the query,
    // so caches may not store this answer.
    expect(headers.get("cache-control")).toBe(
      (path.startsWith("/docs") && path !== "/docs/search") || path === "/llms.txt"
        ? "public, no-cache"
        : path.endsWith(".webmanifest")
          ? "public, max-age=3600"
          : "no-store"
    )
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    const isHtml = (headers.get("content-type") ?? "").startsWith("text/html")
    const isDocs = path.startsWith("/docs") && isHtml
    // Of the pages in this test, only the listed pages and the documentation have scripts. The pages of sign-in have a
    // script that sends the browser's time zone. The pages of the documentation are the same for everybody, so their
    // scripts cannot have a nonce (decision wire-5).
    expect(policy.includes("script-src")).toBe(
      isDocs ||
        ["/portal/devices/share", "/portal/imports/new", "/portal/places", "/sign-in", "/sign-up"].includes(path)
    )
    expect(policy.includes("script-src 'self'")).toBe(isDocs)
    if (!isHtml) return
    // Only the consent page has no `form-action`, because its form leads to an app (decision consent-13).
    expect(policy).toContain("form-action 'self'")
    // With the header `cross-origin-opener-policy`, a page of another origin that has opened this page cannot navigate
    // it. Of these pages, the header `permissions-policy` lets only the two that locate the user ask for the position.
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
    const geolocation = ["/portal/devices/share", "/portal/places"].includes(path)
      ? "geolocation=(self)"
      : "geolocation=()"
    expect(headers.get("permissions-policy")).toBe(`camera=(), microphone=(), payment=(), usb=(), ${geolocation}`)
  })

  it("a page with a map: its own two scripts by a nonce of this answer alone, pictures from the tiles' origin and ours", async () => {
    const mapped = await startWorld({ tileUrl: "https://tiles.example:8443/{z}/{x}/{y}.png?key=1" })
    try {
      const person = await mapped.person()
      const pages = [await person.get("/portal/places"), await person.get("/portal/places")]
      const policies = pages.map(({ headers }) => headers.get("content-security-policy") ?? "")
      expect(policies[0]).toMatch(/; script-src 'nonce-[0-9a-z]{40,}'; img-src 'self' https:\/\/tiles\.example:8443;/)
      expect(policies[0]).not.toBe(policies[1])
      const nonce = /'nonce-([^']+)'/.exec(policies[0] ?? "")?.[1]
      const scripts = pages[0]?.text.match(/<script\b[^>]*>/g) ?? []
      expect(scripts.length).toBe(2)
      for (const tag of scripts) {
        expect(tag).toContain(`nonce="${nonce}"`)
        const asset = await mapped.call(/src="([^"]+)"/.exec(tag)?.[1] ?? "")
        expect([asset.status, asset.headers.get("content-type"), asset.headers.get("cache-control")]).toEqual([
          200,
          "text/javascript; charset=utf-8",
          "public, max-age=31536000, immutable"
        ])
      }
      const other = await person.get("/portal/connections")
      expect(other.headers.get("content-security-policy")).toContain("img-src 'self';")
    } finally {
      await mapped.close()
    }
  })
})

describe("open redirects", () => {
  const away = [
    "https://evil.example/",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    " /portal",
    "javascript:alert(1)",
    "portal",
    "/é",
    `/${"x".repeat(3_000)}`,
    ""
  ]
  it.each(away)("return_to %j leads to the front page", async (returnTo) => {
    expect(ReturnTo.safe(returnTo)).toBe("/")
    const person = await world.person()
    const browser = visitor(world.url)
    const page = await browser.get(`/sign-in?return_to=${encodeURIComponent(returnTo)}`)
    const requested = await browser.submit(page, "/sign-in", { email: person.account.email, password: PASSWORD })
    expect(requested.headers.get("location")).toBe("/")
    const forged = await browser.submit(await browser.get("/sign-in"), "/sign-in", {
      email: person.account.email,
      password: PASSWORD,
      return_to: returnTo
    })
    expect(forged.headers.get("location")).toBe("/")
  })

  it("a path of ours is followed, with its query", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    const sent = await browser.get("/portal/access-log?app=x&from=2026-01-01")
    expect(sent.status).toBe(303)
    const page = await browser.get(sent.headers.get("location") ?? "")
    const answer = await browser.submit(page, "/sign-in", { email: person.account.email, password: PASSWORD })
    expect(answer.headers.get("location")).toBe("/portal/access-log?app=x&from=2026-01-01")
  })

  it("whatever is wrong with client, redirect or state, nobody is sent anywhere and nothing is echoed", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    for (const more of [
      { client_id: "app_<script>" },
      { redirect_uri: "https://evil.example/callback" },
      { redirect_uri: "https://coffee.example/callback/" },
      { redirect_uri: "javascript:alert(1)" },
      { state: "short" },
      { state: "null byte \0" },
      { state: "" }
    ]) {
      const answer = await browser.get(authorizePath(app, more))
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null])
      expect(Object.values(more).filter((value) => value !== "" && answer.text.includes(value))).toEqual([])
    }
  })
})

describe("a parameter that is repeated", () => {
  it("thousands of times in one address makes no more work than its length [limits-11]", async () => {
    const times = 7_000
    const seen = vi.spyOn(URLSearchParams.prototype, "getAll")
    const answer = await visitor(world.url).get(`/authorize?${"a&".repeat(times)}client_id=app_of_nobody`)
    const copied = seen.mock.results.reduce((all, { value }) => all + (value as ReadonlyArray<string>).length, 0)
    seen.mockRestore()
    expect(answer.status).toBe(400)
    expect(copied).toBeLessThanOrEqual(times + 1)
  })
})

describe("header injection", () => {
  it("state comes back exactly, whatever it looks like", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    for (const state of [
      "%0d%0aSet-Cookie: a=b&code=forged#\"'<>",
      "line\r\nSet-Cookie: a=b\r\n\r\n<script>",
      'Ünïcödé "🏠🏠'
    ]) {
      const page = await browser.get(authorizePath(app, { state }))
      expect(page.text).not.toContain(state)
      const answer = await browser.submit(page, consentAction(page.text), { decision: "cancel" })
      const back = new URL(answer.headers.get("location") ?? "")
      expect(back.searchParams.get("state")).toBe(state)
      expect(back.searchParams.get("code")).toBeNull()
      expect(back.hash).toBe("")
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })
})

/** The HTML of a page, without the elements of the service's own scripts (each is a file, and has a nonce). */
const withoutOwnScripts = (text: string): string =>
  text.replace(
    /<script nonce="[0-9a-z]+" src="\/assets\/[a-z]+\.[\w-]+\.js"(?: +data-texts="[^"<>]*")? +defer><\/script>/g,
    ""
  )

describe("cross-site scripting", () => {
  it("every text that somebody may choose is shown as text", async () => {
    const EVIL = `"><img src=x onerror=alert(1)><script>'&`
    const email = "evil@example.com"
    const account = await world.run(
      createAccount({
        email: Account.Email.make(email),
        password: Account.Password.make(PASSWORD),
        displayName: Account.DisplayName.make(EVIL),
        roles: []
      })
    )
    const app = await world.run(
      createApp(account, {
        name: App.AppName.make(EVIL),
        description: App.AppDescription.make(EVIL),
        homepageUrl: null,
        scopes: ["location.rules.place", "location.latest.read"]
      })
    )
    const { app: registered } = await world.run(
      registerRedirectUris(
        account,
        app.id,
        ["https://coffee.example/callback" as RedirectUri.RedirectUri],
        "assumed",
        "unchecked"
      )
    )
    await world.run(
      createPlace(account.id, {
        label: Place.Label.make(EVIL),
        kind: "home",
        circle: { lat: 1, lon: 1, radiusM: 150 }
      })
    )
    await world.run(addDevice(account.id, { name: Device.DeviceName.make(EVIL), format: "json" }))
    await world.run(
      createPurpose(account, app.id, {
        key: Purpose.PurposeKey.make("evil"),
        terms: { description: EVIL, scopes: ["location.latest.read"], expectedDailyVolume: 1 }
      })
    )
    const person = {
      ...(await world.person()),
      account,
      cookie: `session=${(await world.run(signIn({ email: account.email, password: PASSWORD, address: "192.0.2.7" }))).cookie}`
    }
    await world.connect(person, registered, { scopes: ["location.rules.place"] })
    const browser = await signedIn(world, email)
    const consent = authorizePath(registered, {
      scope: "location.rules.place location.latest.read",
      state: EVIL,
      external_user_id: EVIL
    })
    const connections = await browser.get("/portal/connections")
    const connection = /\/portal\/connections\/\w+/.exec(connections.text)?.[0] ?? ""
    const pages = [
      "/",
      "/portal/connections",
      connection,
      "/portal/places",
      "/portal/devices",
      "/portal/access-log",
      "/developer",
      `/developer/apps/${app.id}`,
      `/developer/apps/${app.id}/users`,
      `/developer/apps/${app.id}/webhooks`,
      `/developer/apps/${app.id}/deliveries`,
      `/developer/apps/${app.id}/team`,
      consent,
      `/sign-in?return_to=${encodeURIComponent(`/x"><script>`)}`,
      `/portal/access-log?app=${encodeURIComponent(EVIL)}&from=${encodeURIComponent(EVIL)}`,
      `/portal/places?done=${encodeURIComponent(EVIL)}`,
      `/${encodeURIComponent(EVIL)}`
    ]
    for (const path of pages) {
      const { text } = await browser.get(path)
      expect([path, /<img src=x|<script|onerror=alert\(1\)>/.exec(withoutOwnScripts(text))?.[0]]).toEqual([
        path,
        undefined
      ])
    }
    const shown = await browser.get(consent)
    expect(shown.text).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;&#39;&amp;")
    // When the service refuses a form, the page shows the typed texts again. These texts must be escaped too.
    const refused = await browser.submit(await browser.get("/portal/places"), "/portal/places", {
      label: EVIL,
      kind: EVIL,
      lat: EVIL,
      lon: EVIL,
      radius_m: EVIL
    })
    expect(refused.status).toBe(400)
    expect(/<img src=x|<script/.exec(withoutOwnScripts(refused.text))).toBeNull()
  })
})
