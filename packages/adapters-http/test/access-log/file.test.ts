import { recordAccess } from "@place-access/domain/access-log"
import { App } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as AccessLogFile from "@place-access/adapters-http/pages/portal/accessLogFile"
import { type Person, startWorld, type World } from "../support/World.js"

const FORMULA = '=HYPERLINK("https://evil.example","Click")'

let world: World
let user: Person
let app: string
const entryOf = (count: number, disclosed: string | null, error: string | null = null) =>
  world.run(
    Effect.gen(function* () {
      const [connection] = yield* listConnections(user.account.id)
      if (connection === undefined) throw new Error("the person has a connection")
      const owner = { userId: user.account.id, appId: connection.app.id, connectionId: connection.id }
      const access = { owner, endpoint: "GET /v1/visits", purpose: null, status: 200, error, disclosed }
      yield* Effect.all(
        Array.from({ length: count }, () => recordAccess(access)),
        { discard: true }
      )
    })
  )

beforeAll(async () => {
  world = await startWorld()
  user = await world.person()
  const made = await world.app(user, { name: App.AppName.make(FORMULA) })
  app = made.app.id
  await world.connect(user, made.app, { scopes: ["location.visits.read"] })
  await entryOf(1, "2 visits, to “Mum’s, Dad’s”")
  world.clock.advance(86_400_000)
  await entryOf(1, " +1 visit")
  world.clock.advance(1)
  await entryOf(1, null, "rate_limited")
})
afterAll(() => world.close())

const file = (query = "") => user.get(`/portal/access-log.csv${query}`)
/** The lines of the CSV file, without its first line, which has the headings. */
const rows = (text: string) => text.trim().split("\r\n").slice(1)

describe("GET {portal}/access-log.csv", () => {
  it("a table with a name, in UTF-8 that spreadsheets know, the newest first [access-log-5]", async () => {
    const answer = await file()
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"])
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="access-log.csv"')
    expect(rows(answer.text)).toEqual([
      `"2026-03-02T12:00:00.001Z","'=HYPERLINK(""https://evil.example"",""Click"")","GET /v1/visits","Asked for your visits to your places","","Refused: it sent too many requests","rate_limited","","1"`,
      `"2026-03-02T12:00:00.000Z","'=HYPERLINK(""https://evil.example"",""Click"")","GET /v1/visits","Asked for your visits to your places","","Answered","ok","' +1 visit","1"`,
      `"2026-03-01T12:00:00.000Z","'=HYPERLINK(""https://evil.example"",""Click"")","GET /v1/visits","Asked for your visits to your places","","Answered","ok","2 visits, to “Mum’s, Dad’s”","1"`
    ])
  })

  it.each(["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66", "\ufe62", "\ufe63", "\ufe6b"])(
    "a text that begins with %s, which starts a formula in some spreadsheet, gets an apostrophe in front [access-log-5]",
    (first) => {
      for (const blanks of ["", " ", "\u3000"]) {
        expect(AccessLogFile.cell(`${blanks}${first}HYPERLINK(A1)`)).toBe(`"'${blanks}${first}HYPERLINK(A1)"`)
      }
      expect(AccessLogFile.cell(`A${first}B`)).toBe(`"A${first}B"`)
    }
  )

  it("begins with a byte order mark", async () => {
    const response = await fetch(`${world.url}/portal/access-log.csv`, { headers: { cookie: user.cookie } })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  })

  it("the entries that the page was asked for, and no others", async () => {
    expect(rows((await file("?to=2026-03-01")).text).length).toBe(1)
    expect(rows((await file(`?app=${app}&from=2026-03-02`)).text).length).toBe(2)
    expect(rows((await file(`?app=${app}&purpose=pps_other`)).text)).toEqual([])
    expect((await file("?from=yesterday")).status).toBe(400)
  })

  it("nobody else's, and nothing without a session", async () => {
    const stranger = await world.person()
    expect(rows((await stranger.get("/portal/access-log.csv")).text)).toEqual([])
    const answer = await world.call("/portal/access-log.csv")
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/sign-in?return_to=%2Fportal%2Faccess-log.csv"
    ])
  })

  it("more than fits on one page of the log [access-log-5]", async () => {
    await entryOf(1_100, "no visits")
    expect(rows((await file()).text).length).toBe(1_103)
  })
})
