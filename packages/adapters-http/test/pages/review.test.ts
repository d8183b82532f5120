import type { App } from "@place-access/domain/apps"
import { AppStore, submitApp } from "@place-access/domain/apps"
import { createPurpose, Purpose, PurposeStore, submitPurpose } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { acceptInvitation, inviteMember } from "@place-access/domain/teams"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { deadLinks, signedIn } from "../support/browsing.js"
import { hidden, visitor, type Visitor } from "../support/visitor.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const enter = async (roles: ReadonlyArray<"developer" | "reviewer" | "admin"> = []): Promise<Visitor> =>
  signedIn(world, (await world.person({ roles })).account.email)

const tokenOf = async (browser: Visitor): Promise<string> =>
  hidden(await browser.get("/portal/places"), "/portal/places")["form_token"] ?? ""

/** An app in review with a purpose in review. */
const waiting = async (
  overrides: Partial<App.App> = {},
  description = "To have your coffee ready.",
  roles: ReadonlyArray<"reviewer" | "admin"> = []
) => {
  const owner: Person = await world.person({ roles })
  const { app } = await world.app(owner, overrides)
  const purpose = await world.run(
    createPurpose(owner.account, app.id, {
      key: Purpose.PurposeKey.make("order_ahead"),
      terms: { description, scopes: ["location.latest.read"], expectedDailyVolume: 20 }
    })
  )
  await world.run(submitPurpose(owner.account, app.id, purpose.id, "assumed", "unchecked"))
  await world.run(submitApp(owner.account, app.id, "assumed", "unchecked"))
  const review = `/review/apps/${app.id}`
  return {
    owner,
    app,
    review,
    purposePage: `${review}/purposes/${purpose.id}`,
    admin: `/admin/apps/${app.id}`,
    /** The values that the forms of reviewers and admins can change. */
    state: () =>
      world.run(
        Effect.gen(function* () {
          const now = Option.getOrThrow(yield* (yield* AppStore).find(app.id))
          const { status } = Option.getOrThrow(yield* (yield* PurposeStore).find(purpose.id))
          return { app: now.status, left: now.allowedScopes, revoked: now.revokedAt !== null, purpose: status }
        })
      )
  }
}

const UNTOUCHED = { app: "in_review", left: null, revoked: false, purpose: "in_review" }

/** Every form of reviewers and admins, filled in correctly. */
const forms = (at: Awaited<ReturnType<typeof waiting>>) => [
  { path: `${at.purposePage}/decision`, fields: { decision: "approve", note: "", revision: "1" }, needs: "reviewer" },
  { path: `${at.review}/decision`, fields: { decision: "approve", note: "", revision: "1" }, needs: "reviewer" },
  {
    path: `${at.admin}/scopes`,
    fields: { allowed_scopes: ["location.place.current"], was_allowed: "none" },
    needs: "admin"
  },
  { path: `${at.admin}/revoke`, fields: { reason: "It sold what it learned." }, needs: "admin" }
]

describe("the forms of reviewers and admins", () => {
  it("without a token, with somebody else's, or from another origin: 403, and nothing happens", async () => {
    const at = await waiting()
    const admin = await enter(["admin"])
    const token = await tokenOf(admin)
    const foreign = await tokenOf(await enter(["admin"]))
    for (const { fields, path } of forms(at)) {
      for (const form_token of ["", `${token}x`, foreign]) {
        expect([path, (await admin.post(path, { ...fields, form_token })).status]).toEqual([path, 403])
      }
      for (const origin of [undefined, "null", "https://evil.example"]) {
        const answer = await admin.post(path, { ...fields, form_token: token }, { origin })
        expect([path, origin, answer.status]).toEqual([path, origin, 403])
      }
    }
    expect(await at.state()).toEqual(UNTOUCHED)
  })

  it.each([{ roles: [] }, { roles: ["developer"] }, { roles: ["reviewer"] }] as const)(
    "roles $roles: what they may not do is 403 with a good token too, and nothing happens",
    async ({ roles }) => {
      const at = await waiting()
      const browser = await enter(roles)
      const form_token = await tokenOf(browser)
      const refused = forms(at).filter(({ needs }) => !(roles as ReadonlyArray<string>).includes(needs))
      for (const { fields, path } of refused) {
        const answer = await browser.post(path, { ...fields, form_token })
        expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
          path,
          403,
          "text/html; charset=utf-8"
        ])
      }
      expect(await at.state()).toEqual(UNTOUCHED)
    }
  )

  it("signed out: to the sign-in page, and nothing happens", async () => {
    const at = await waiting()
    const stranger = visitor(world.url)
    for (const { fields, path } of forms(at)) {
      const answer = await stranger.post(path, fields)
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in"])
    }
    for (const path of ["/review", "/admin", at.purposePage]) {
      expect((await stranger.get(path)).headers.get("location")).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`)
    }
    expect(await at.state()).toEqual(UNTOUCHED)
  })

  it("an admin's do what they say, each answering 303", async () => {
    const at = await waiting()
    const admin = await enter(["admin"])
    const form_token = await tokenOf(admin)
    for (const { fields, path } of forms(at)) {
      expect([path, (await admin.post(path, { ...fields, form_token })).status]).toEqual([path, 303])
    }
    expect(await at.state()).toEqual({
      app: "production",
      left: ["location.place.current"],
      revoked: true,
      purpose: "approved"
    })
  })

  it("what no form of ours would send is 400 and changes nothing; a repeated decision is 409", async () => {
    const at = await waiting()
    const admin = await enter(["admin"])
    const form_token = await tokenOf(admin)
    const decision = `${at.purposePage}/decision`
    for (const [path, fields] of [
      [decision, { decision: "perhaps", revision: "1" }],
      [decision, { revision: "1" }],
      [decision, { decision: "approve" }],
      [decision, { decision: "approve", revision: "1.5" }],
      [decision, { decision: "approve", revision: "1", note: "x".repeat(1_001) }],
      [decision, { decision: "reject", revision: "1", note: " \r\n " }],
      [`${at.admin}/scopes`, { allowed_scopes: ["location.everything"] }],
      [`${at.admin}/revoke`, {}]
    ] as const) {
      const answer = await admin.post(path, { ...fields, form_token })
      expect([path, fields, answer.status]).toEqual([path, fields, 400])
      expect(answer.text).toContain("There is a problem")
      expect([path, fields, deadLinks(answer.text)]).toEqual([path, fields, []])
    }
    expect((await admin.post(decision, { decision: "approve", revision: "2", form_token })).status).toBe(409)
    expect(await at.state()).toEqual(UNTOUCHED)
    expect((await admin.post(decision, { decision: "approve", revision: "1", form_token })).status).toBe(303)
    const repeated = await admin.post(decision, { decision: "reject", note: "No.", revision: "1", form_token })
    expect([repeated.status, repeated.text.includes("Meanwhile the purpose is not in review.")]).toEqual([409, true])
  })

  it("a decision that is pressed twice has the same answer twice; a later or another reviewer's press is 409 [reviews-1]", async () => {
    const at = await waiting()
    const [reviewer, other] = [await enter(["reviewer"]), await enter(["reviewer"])]
    const verdicts = [
      [at.purposePage, { decision: "approve", note: "" }],
      [at.review, { decision: "reject", note: "Say why you need it." }]
    ] as const
    for (const [path, verdict] of verdicts) {
      const action = `${path}/decision`
      const [page, others] = [await reviewer.get(path), await other.get(path)]
      const press = async () => {
        const { headers, status } = await reviewer.submit(page, action, verdict)
        return [status, headers.get("location")]
      }
      const done = [303, `/review?done=review-${verdict.decision}`]
      expect([await press(), await press()]).toEqual([done, done])
      expect((await other.submit(others, action, verdict)).status).toBe(409)
      world.clock.advance(60_000)
      expect(await press()).toEqual([409, null])
    }
    expect(await at.state()).toMatchObject({ app: "sandbox", purpose: "approved" })
  })

  it("no scope ticked leaves the app none; every one ticked keeps nothing back", async () => {
    const at = await waiting()
    const admin = await enter(["admin"])
    const path = `${at.admin}/scopes`
    await admin.submit(await admin.get(at.admin), path)
    expect((await at.state()).left).toEqual([])
    await admin.submit(await admin.get(at.admin), path, { allowed_scopes: Scope.all })
    expect((await at.state()).left).toBeNull()
  })
})

describe("a reviewer and admin who is in the team of an app [reviews-1]", () => {
  it("reads that another decides, and gets no form that would be refused", async () => {
    const at = await waiting({}, undefined, ["reviewer", "admin"])
    const decisions = [
      [at.review, `${at.review}/decision`, "so another reviewer decides"],
      [at.purposePage, `${at.purposePage}/decision`, "so another reviewer decides"],
      [at.admin, `${at.admin}/scopes`, "so another admin limits its scopes"]
    ] as const
    const own = await signedIn(world, at.owner.account.email)
    const other = await enter(["reviewer", "admin"])
    for (const [page, action, sentence] of decisions) {
      for (const [browser, isOwn] of [
        [own, true],
        [other, false]
      ] as const) {
        const { text } = await browser.get(page)
        expect([action, text.includes(`action="${action}"`), text.includes(sentence)]).toEqual([action, !isOwn, isOwn])
      }
    }
    // Admins may not decide about their own app, but they must be able to revoke it.
    expect((await own.get(at.admin)).text).toContain(`action="${at.admin}/revoke"`)
  })

  it("decides when there is nobody else", async () => {
    const alone = await startWorld()
    try {
      const owner = await alone.person({ roles: ["reviewer", "admin"] })
      const { app } = await alone.app(owner)
      await alone.run(submitApp(owner.account, app.id, "assumed", "unchecked"))
      for (const action of [`/review/apps/${app.id}/decision`, `/admin/apps/${app.id}/scopes`]) {
        expect((await owner.get(action.replace(/\/\w+$/, ""))).text).toContain(`action="${action}"`)
      }
    } finally {
      await alone.close()
    }
  })
})

describe("a reviewer's note that was typed while the decision became impossible [reviews-1]", () => {
  const NOTE = "The description does not say why you need it."
  const decided = { decision: "reject", note: NOTE }

  it("is in the form again after the reviewer signed in anew, and then the decision is recorded", async () => {
    const at = await waiting()
    const { account } = await world.person({ roles: ["reviewer"] })
    const browser = await signedIn(world, account.email)
    for (const page of [at.purposePage, at.review]) {
      const action = `${page}/decision`
      const opened = await browser.get(page)
      await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: account.email, password: PASSWORD })
      const refused = await browser.submit(opened, action, decided)
      expect([refused.status, refused.text.includes("This form had expired")]).toEqual([403, true])
      expect(refused.text).toMatch(new RegExp(`<textarea[^>]*>\\s*${NOTE}</textarea>`))
      const token = hidden(refused, action)["form_token"] ?? ""
      const fields = { ...hidden(refused, action), ...decided, form_token: token }
      expect((await browser.post(action, fields)).status).toBe(303)
    }
    expect(await at.state()).toMatchObject({ app: "sandbox", purpose: "rejected" })
  })

  it("is not shown to another reviewer, who signed in meanwhile in the same browser [accounts-17]", async () => {
    const at = await waiting()
    const [{ account }, other] = [
      await world.person({ roles: ["reviewer"] }),
      await world.person({ roles: ["reviewer"] })
    ]
    const browser = await signedIn(world, account.email)
    for (const page of [at.purposePage, at.review]) {
      const opened = await browser.get(page)
      const { email } = other.account
      await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
      const refused = await browser.submit(opened, `${page}/decision`, decided)
      expect([refused.status, refused.text.includes(NOTE)]).toEqual([403, false])
      expect(refused.text).toContain("<h1>This form has expired</h1>")
      await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: account.email, password: PASSWORD })
    }
    expect(await at.state()).toEqual(UNTOUCHED)
  })

  it("is shown to copy after the reviewer joined the app's team", async () => {
    await world.person({ roles: ["reviewer"] })
    const at = await waiting()
    const { account } = await world.person({ roles: ["reviewer"] })
    const browser = await signedIn(world, account.email)
    const action = `${at.purposePage}/decision`
    const opened = await browser.get(at.purposePage)
    await world.run(
      Effect.flatMap(inviteMember(at.owner.account, at.app.id, { email: account.email, role: "viewer" }), ({ id }) =>
        acceptInvitation(account, "confirmed", { appId: at.app.id, id })
      )
    )
    const refused = await browser.submit(opened, action, decided)
    expect([refused.status, refused.text.includes("so another reviewer decides")]).toEqual([403, true])
    expect(refused.text).toContain(`<p>${NOTE}</p>`)
    expect(refused.text).not.toContain(`action="${action}"`)
    expect(await at.state()).toEqual(UNTOUCHED)
  })

  it("is shown to copy after another reviewer decided [reviews-1]", async () => {
    const at = await waiting()
    const [first, second] = [await enter(["reviewer"]), await enter(["reviewer"])]
    for (const page of [at.purposePage, at.review]) {
      const action = `${page}/decision`
      const opened = await second.get(page)
      await first.submit(await first.get(page), action, { decision: "approve", note: "" })
      const refused = await second.submit(opened, action, decided)
      expect([refused.status, refused.text.includes("Your decision was not recorded")]).toEqual([409, true])
      expect(refused.text).toContain(`<p>${NOTE}</p>`)
    }
  })

  it("is not shown to a page of another origin", async () => {
    const at = await waiting()
    const browser = await enter(["reviewer"])
    const action = `${at.purposePage}/decision`
    const fields = { ...hidden(await browser.get(at.purposePage), action), ...decided }
    const refused = await browser.post(action, fields, { origin: "https://evil.example" })
    expect([refused.status, refused.text.includes(NOTE)]).toEqual([403, false])
  })
})

describe("the forms of a developer", () => {
  it("submitted twice, the purpose and the app are in review once, and the page says so", async () => {
    const developer = await enter()
    const made = await developer.submit(await developer.get("/developer/apps/new"), "/developer/apps", {
      name: "Coffee Ahead",
      description: "Finds good coffee near where you are.",
      scopes: ["location.place.current", "location.latest.read"]
    })
    const own = made.headers.get("location")?.replace(/\?.*/, "") ?? ""
    const page = await developer.get(own)
    const fields = hidden(page, `${own}/submit`)
    const locations = []
    for (const _ of [1, 2]) locations.push((await developer.post(`${own}/submit`, fields)).headers.get("location"))
    expect(locations).toEqual([`${own}?done=app-submitted`, own])
    expect((await developer.get(own)).text).toContain("It waits since")

    await developer.submit(page, `${own}/purposes`, {
      key: "order_ahead",
      purpose_description: "To have your coffee ready.",
      purpose_scopes: "location.latest.read",
      expected_daily_volume: "20"
    })
    const action = /action="([^"]+\/purposes\/[^"]+\/submit)"/.exec((await developer.get(own)).text)?.[1] ?? ""
    const purpose = action.replace(/\/submit$/, "")
    const answers = []
    for (const _ of [1, 2]) answers.push((await developer.post(action, fields)).headers.get("location"))
    expect(answers).toEqual([`${purpose}?done=purpose-submitted`, purpose])
    const { text } = await developer.get(purpose)
    expect(text).toContain("A reviewer reads it.")
    expect(text).not.toContain(`action="${action}"`)
  })

  it("somebody else's purpose does not exist for them", async () => {
    const at = await waiting()
    const browser = await enter(["developer", "admin"])
    const form_token = await tokenOf(browser)
    const purpose = at.purposePage.replace("/review/", "/developer/")
    for (const path of [purpose, `${purpose}/submit`, `${purpose}/archive`]) {
      const fields = { purpose_description: "Ten or more characters", form_token }
      expect([path, (await browser.post(path, fields)).status]).toEqual([path, 404])
    }
    expect((await browser.get(purpose)).status).toBe(404)
    expect(await at.state()).toEqual(UNTOUCHED)
  })
})

describe("what developers wrote", () => {
  it("is text to reviewers and admins, never markup", async () => {
    const evil = `<img src=x onerror="alert(1)">`
    const at = await waiting(
      { name: `${evil} Tea` as App.AppName, homepageUrl: `https://tea.example/"><script>` as App.HomepageUrl },
      `To show ${evil} ready.`
    )
    const admin = await enter(["admin"])
    await admin.submit(await admin.get(at.purposePage), `${at.purposePage}/decision`, {
      decision: "reject",
      note: evil
    })
    for (const path of ["/review", "/review/apps", at.review, at.purposePage, "/admin", at.admin]) {
      const { text } = await admin.get(path)
      expect([path, text.includes("<img"), text.includes("<script")]).toEqual([path, false, false])
      expect(text).toContain("&lt;img")
    }
  })
})
