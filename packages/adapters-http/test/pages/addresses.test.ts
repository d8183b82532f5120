import { routes } from "@place-access/adapters-http/pages/PagesLive"
import { AppId } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { optionsAt } from "../support/options.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
let person: Person
beforeAll(async () => {
  world = await startWorld({ hasMailbox: true })
  person = await world.person({ roles: ["reviewer", "admin"] })
})
afterAll(() => world.close())

const HTML = { headers: { accept: "text/html" } }
const visit = (path: string, by: Person = person) => by.get(path, HTML)

/** Replaces each parameter in the path by a made-up value. */
const filled = (path: string) => path.replace(/:(\w+)/g, "some_$1")

const PATHS = routes(optionsAt("https://service.example", { hasMailbox: true })).map(({ path }) => path)

describe("addresses that people cut, or load again after a form", () => {
  it("every beginning of a page's and of a form's address is a page, or leads to the page above it", async () => {
    const beginnings = new Set(
      PATHS.flatMap((path) => path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/") || "/"))
    )
    const lost: Array<string> = []
    for (const path of [...beginnings].map(filled)) {
      for (const address of path === "/" ? [path] : [path, `${path}/`]) {
        const { headers, status, text } = await visit(address)
        const to = (headers.get("location") ?? "").split("#")[0] ?? ""
        // A 404 whose text names a thing, such as an app, means that there is a page at the tested address, and that
        // only the id is unknown.
        const isThere = status === 200 || (status === 404 && !/No such (?:page|route)/.test(text))
        const isLed = status === 303 && path.startsWith(to) && (await visit(to)).status !== 405
        const isConsent = path === "/authorize" && status === 400
        // The address that apps give to users (decision M12) redirects to the access log.
        const isLog = path === "/portal" && to === "/portal/access-log"
        if (!isThere && !isLed && !isConsent && !isLog) lost.push(`${address}: ${status} ${to}`)
      }
    }
    expect(lost).toEqual([])
  })

  it.each([
    ["/developer/apps", "/developer#apps"],
    ["/developer/apps/app_1/purposes", "/developer/apps/app_1#purposes"],
    ["/developer/apps/app_1/purposes/pps_1/submit", "/developer/apps/app_1/purposes/pps_1#submit"],
    ["/developer/apps/app_1/withdraw", "/developer/apps/app_1#withdraw"],
    ["/portal/connections/con_1/rules", "/portal/connections/con_1#rules"],
    ["/portal/devices/dev_1/remove", "/portal/devices/dev_1#remove"],
    ["/sign-out", "/#sign-out"],
    // The query of the following address says that a form had no effect, because a sign-in interrupted it. The redirect
    // must keep the query.
    [
      "/developer/apps/app_1/team/invitations?done=choose-again",
      "/developer/apps/app_1/team?done=choose-again#invitations"
    ]
  ])("%s leads to %s", async (address, to) => {
    const { headers, status } = await visit(address)
    expect([status, headers.get("location")]).toEqual([303, to])
  })

  it("what was cut to cannot lead to another host", async () => {
    for (const part of ["..", "%2e%2e", "%2F%2Fevil.example", "%5Cevil.example"]) {
      const to = (await visit(`/developer/apps/${part}/purposes`)).headers.get("location")
      expect(to === null || new URL(to, world.url).origin === world.url).toBe(true)
    }
  })
})

/** Each kind of error page: its status, and a function that sends a request which gets the page. */
const REFUSALS: ReadonlyArray<readonly [number, () => ReturnType<Person["get"]>]> = [
  [404, () => visit("/no/such/page")],
  [404, () => visit("/developer/apps/app_unknown")],
  [403, () => person.send("POST", "/portal/connections/pause", undefined, { ...HTML, ...FORM })],
  [405, () => person.send("DELETE", "/portal/places", undefined, HTML)],
  [400, () => visit("/developer/apps/%00")],
  [
    500,
    async () => {
      const tables = await world.run(MemoryDatabase)
      const broken = AppId.make("app_broken")
      // Puts a row into the table that no program could have written. Reading this row fails, so the answer is 500.
      tables.apps.set(broken, {} as NonNullable<ReturnType<typeof tables.apps.get>>)
      const answer = await visit("/developer")
      tables.apps.delete(broken)
      return answer
    }
  ]
]
const FORM = { body: "name=x", headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" } }

describe("pages of refusals", () => {
  it("keep the navigation of who is signed in", async () => {
    for (const [status, refused] of REFUSALS) {
      const answer = await refused()
      expect(answer.status).toBe(status)
      expect(answer.text).toContain('<nav aria-label="Main">')
      expect(answer.text).toContain(person.account.email)
      expect(answer.text).toContain('href="/developer"')
    }
    // The form for signing out must also work on an error page, so it must have a token.
    expect((await visit("/no/such/page")).text).toMatch(/name="form_token" value="[^"]+"/)
  })

  it("have none for strangers, and are never of somebody else", async () => {
    const answer = await world.call("/no/such/page", HTML)
    expect([answer.status, answer.text.includes("<nav")]).toEqual([404, false])
    const forged = await world.call("/no/such/page", { headers: { ...HTML.headers, cookie: "session=forged" } })
    expect([forged.status, forged.text.includes("<nav")]).toEqual([404, false])
    const other = await world.person()
    expect((await visit("/no/such/page", other)).text).not.toContain(person.account.email)
  })

  it("are there when it cannot be found out who asks", async () => {
    const tables = await world.run(MemoryDatabase)
    const sessions = [...tables.sessions]
    tables.sessions.clear()
    const answer = await visit("/no/such/page")
    for (const [key, session] of sessions) tables.sessions.set(key, session)
    expect([answer.status, answer.text.includes("<nav")]).toEqual([404, false])
  })

  it("name a page to a person, and no route", async () => {
    const { text } = await visit("/no/such/page")
    expect([text.includes("No such page."), text.includes("route")]).toEqual([true, false])
  })

  it("a page of a refusal says nothing twice", async () => {
    for (const [, refused] of REFUSALS) {
      const main = /<main[\s\S]*<\/main>/.exec((await refused()).text)?.[0] ?? ""
      const sentences = main
        .replace(/<[^>]+>/g, "\n")
        .split(/[\n.]+/)
        .map((sentence) => sentence.trim().toLowerCase())
        .filter((sentence) => sentence !== "")
      expect(
        sentences.filter((one, index) => sentences.some((other, at) => at !== index && other.includes(one)))
      ).toEqual([])
    }
  })

  it("are the same JSON as before for programs", async () => {
    expect((await person.get("/no/such/page")).json).toEqual({
      statusCode: 404,
      error: "not_found",
      message: "No such route"
    })
  })
})
