import type { App } from "@place-access/domain/apps"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { samplePng } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
let reviewer: Person
beforeAll(async () => {
  world = await startWorld()
  reviewer = await world.person({ roles: ["reviewer"] })
})
afterAll(() => world.close())

const [CUP, POT] = [samplePng("cup"), samplePng("pot")]

interface Body {
  readonly logo: string | null
  readonly pending: { readonly logo: { readonly approved: string | null; readonly proposed: string } | null } | null
}

const owned = async (overrides: Partial<App.App> = {}) => {
  const owner = await world.person()
  const { app } = await world.app(owner, overrides)
  const path = `/v1/developer/apps/${app.id}`
  return {
    owner,
    app,
    path,
    put: async (logo_png: unknown) => {
      const { json, status } = await owner.send("PATCH", path, { logo_png })
      return { status, json, body: json as Body }
    },
    at: (digest: string | null | undefined) => `/app-logos/${app.id}/${digest}.png`,
    decide: (decision: string) => reviewer.send("POST", `/v1/admin/apps/${app.id}/decision`, { decision, note: "So" })
  }
}

/** The answer that a stranger's browser gets, without a session. */
const stranger = async (path: string) => {
  const { headers, status } = await world.call(path)
  return [status, headers.get("content-type"), headers.get("cache-control")]
}
const PICTURE = [200, "image/png", "public, max-age=86400"]
const HIDDEN = 404

describe("the logo of an app [apps-9]", () => {
  it("in the sandbox it is in force at once; its developer and reviewers see it, nobody else", async () => {
    const { app, at, owner, put } = await owned()
    const { body, status } = await put(CUP)
    expect([status, body.logo, body.pending]).toEqual([200, expect.stringMatching(/^[0-9a-f]{64}$/), null])
    expect((await stranger(at(body.logo)))[0]).toBe(HIDDEN)
    const mine = await fetch(world.url + at(body.logo), { headers: { cookie: owner.cookie } })
    expect(Buffer.from(await mine.arrayBuffer()).toString("base64")).toBe(CUP)
    expect([mine.headers.get("cache-control"), mine.headers.get("x-content-type-options")]).toEqual([
      "private, no-store",
      "nosniff"
    ])
    expect((await reviewer.get(at(body.logo))).status).toBe(200)
    expect((await (await world.person()).get(at(body.logo))).status).toBe(HIDDEN)
    const browser = await signedIn(world, owner.account.email)
    expect((await browser.get(authorizePath(app))).text).toContain(at(body.logo))
    expect((await put(null)).body.logo).toBe(null)
    expect((await reviewer.get(at(body.logo))).status).toBe(HIDDEN)
  })

  it("attack: in production another logo waits; the consent page keeps the approved one, and the waiting one is shown to no stranger", async () => {
    const { app, at, decide, owner, put } = await owned()
    const { logo: approved } = (await put(CUP)).body
    await owner.send("POST", `/v1/developer/apps/${app.id}/submit`)
    await decide("approve")
    expect(await stranger(at(approved))).toEqual(PICTURE)

    const { body } = await put(POT)
    const proposed = body.pending?.logo?.proposed
    expect([body.logo, body.pending?.logo?.approved]).toEqual([approved, approved])
    expect((await stranger(at(proposed)))[0]).toBe(HIDDEN)
    expect((await reviewer.get(at(proposed))).status).toBe(200)
    const user = await signedIn(world, (await world.person()).account.email)
    const shown = (await user.get(authorizePath(app))).text
    expect([shown.includes(`${approved}`), shown.includes(`${proposed}`)]).toEqual([true, false])

    await decide("reject")
    expect((await owner.get(at(proposed))).status).toBe(HIDDEN)
    await put(POT)
    await decide("approve")
    expect(await stranger(at(proposed))).toEqual(PICTURE)
    expect((await stranger(at(approved)))[0]).toBe(HIDDEN)
    expect((await user.get(authorizePath(app))).text).toContain(`${proposed}`)
    expect((await put(null)).body).toMatchObject({ logo: null, pending: null })
  })

  it("the same file for another app is another logo; unknown names and a revoked app show nothing", async () => {
    const one = await owned({ status: "production" })
    const other = await owned({ status: "production" })
    await one.put(CUP)
    await one.decide("approve")
    const { logo } = (await one.owner.get(one.path)).json as Body
    expect(await stranger(one.at(logo))).toEqual(PICTURE)
    for (const path of [other.at(logo), one.at("x"), `/app-logos/${one.app.id}/${logo}`, "/app-logos/app_x/y.png"]) {
      expect([path, (await stranger(path))[0]]).toEqual([path, HIDDEN])
    }
    const admin = await world.person({ roles: ["admin"] })
    expect((await admin.send("POST", `/v1/admin/apps/${one.app.id}/revoke`, { reason: "No." })).status).toBe(200)
    expect((await stranger(one.at(logo)))[0]).toBe(HIDDEN)
  })

  it.each([
    ["an animation", samplePng("a", { more: ["acTL"] }), "must not be animated"],
    ["an SVG", Buffer.from("<svg onload=alert(1) />").toString("base64"), "must be a PNG file in base64"],
    ["a tall one", samplePng("a", { height: 65 }), "must be square, from 64 to 512 pixels wide"]
  ])("%s is 400, which names the field and does not repeat it", async (_, png, why) => {
    const { put } = await owned()
    const { json, status } = await put(png)
    expect([status, json]).toEqual([400, { statusCode: 400, error: "validation_failed", message: `logo_png ${why}` }])
  })

  it("the page takes a file, shows what is wrong with it, and changes nothing for a forged form", async () => {
    const { app, owner } = await owned()
    const browser = await signedIn(world, owner.account.email)
    const page = (await browser.get(`/developer/apps/${app.id}/logo`)).text
    const token = /name="form_token" value="([^"]+)"/.exec(page.slice(page.indexOf("multipart")))?.[1] ?? ""
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const upload = async (png: string, formToken = token, origin = world.url) => {
      const body = new FormData()
      body.set("form_token", formToken)
      body.set("revision", String(app.revision))
      body.set("logo", new Blob([Buffer.from(png, "base64")], { type: "image/png" }), "Łogo – neu.png")
      const headers = { cookie, origin }
      const answer = await fetch(`${world.url}/developer/apps/${app.id}/logo`, {
        method: "POST",
        body,
        headers,
        redirect: "manual"
      })
      return [answer.status, await answer.text()] as const
    }
    const logo = async () => ((await owner.get(`/v1/developer/apps/${app.id}`)).json as Body).logo
    expect((await upload(CUP, "forged"))[0]).toBe(403)
    expect((await upload(CUP, token, "https://evil.example"))[0]).toBe(403)
    const [status, text] = await upload(samplePng("a", { width: 32 }))
    expect([status, text.includes("must be square, from 64 to 512 pixels wide")]).toEqual([400, true])
    const [tooLarge, words] = await upload(samplePng("x".repeat(70_000)))
    expect([tooLarge, words.includes("must be at most 64 KiB")]).toEqual([400, true])
    expect(await logo()).toBe(null)
    expect((await upload(CUP))[0]).toBe(303)
    expect(await logo()).toMatch(/^[0-9a-f]{64}$/)
    const repeated = await browser.get(`/developer/apps/${app.id}/logo`)
    expect((await browser.submit(repeated, `/developer/apps/${app.id}/logo/remove`)).status).toBe(303)
    expect(await logo()).toBe(null)
  })
})

describe("the consent page before users see it [reviews-7]", () => {
  const [CURRENT, VISITS, LATEST] = ["location.place.current", "location.visits.read", "location.latest.read"] as const

  it("in force and as proposed: names, scopes, where it leads; a scope without an approved purpose is named beside it", async () => {
    const { app, owner, path } = await owned({ status: "production", declaredScopes: [CURRENT] })
    const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
    await owner.send("PATCH", path, { name: "Your Bank", scopes: [CURRENT, VISITS, LATEST] })
    await world.run(createPurpose(owner.account, app.id, { key: Purpose.PurposeKey.make("order"), terms }))
    const redirectUris = ["https://bank.example/cb", "https://coffee.example/callback"]
    await owner.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris })

    const page = `/review/apps/${app.id}`
    const review = (await reviewer.get(page)).text
    expect(review).toContain(`${page}/consent?version=proposed`)
    expect(review).toContain(`${page}/consent?version=in_force`)
    const now = (await reviewer.get(`${page}/consent?version=in_force`)).text
    const then = (await reviewer.get(`${page}/consent?version=proposed`)).text
    const framed = (text: string) => text.slice(text.indexOf('<fieldset class="preview" disabled>'))
    expect(framed(now)).toContain(`Connect ${app.name}?`)
    expect(framed(then)).toContain("Connect Your Bank?")
    expect([now, then].map((text) => framed(text).includes(`value="${VISITS}"`))).toEqual([false, true])
    expect(framed(now)).toContain("<code>https://coffee.example</code>")
    expect(framed(then)).toContain("<code>https://bank.example</code>")
    expect(framed(then)).not.toContain(`value="${LATEST}"`)
    expect(then.slice(0, then.indexOf("fieldset"))).toContain(LATEST)
    // Without a `version` in its address, the page shows the version that waits for the reviewer.
    expect(framed((await reviewer.get(`${page}/consent`)).text)).toContain("Connect Your Bank?")
    expect((await owner.get(`${page}/consent`)).status).toBe(403)
  })

  it("an app in review has one version, and one without an address has none", async () => {
    const { app } = await owned({ status: "in_review" })
    const text = (await reviewer.get(`/review/apps/${app.id}/consent?version=in_force`)).text
    expect([text.includes(`Connect ${app.name}?`), text.includes("version=in_force")]).toEqual([true, false])
    // The preview shows what users will see after the review. So it must not say that only the holder can connect the
    // app.
    expect(text).not.toContain("only its holder can connect it")
    const made = await (
      await world.person()
    ).send("POST", "/v1/developer/apps", {
      name: "Tea Finder",
      description: "Finds good tea.",
      scopes: [CURRENT]
    })
    const { id } = made.json as { readonly id: string }
    expect((await reviewer.get(`/review/apps/${id}/consent`)).text).toContain("cannot ask users yet")
  })
})
