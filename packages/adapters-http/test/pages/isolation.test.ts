import { recordAccess } from "@place-access/domain/access-log"
import { Account } from "@place-access/domain/accounts"
import { routes } from "@place-access/adapters-http/pages/PagesLive"
import { App, updateApp } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { startConsent } from "@place-access/domain/consent"
import { startImport } from "@place-access/domain/imports"
import { Isolation } from "@place-access/domain/languages"
import { createPlace, Place } from "@place-access/domain/places"
import { createPurpose, Purpose, updatePurpose } from "@place-access/domain/purposes"
import { InvitationId, type Language, MemberId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { optionsAt } from "../support/options.js"
import { north, phone } from "../support/phone.js"
import { stage } from "../support/webhooks.js"
import { jsonBody } from "../support/wire.js"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

const { FIRST_STRONG_ISOLATE: FSI, POP_DIRECTIONAL_ISOLATE: PDI } = Isolation

/** What people and apps chose, in Arabic. Each text ends with a number, which a number after the text must not join. */
const NAMES = {
  ada: "سلمى 11",
  member: "مريم 12",
  app: "قهوة 21",
  appDescription: "تجد القهوة الجيدة قربك 22",
  home: "بيت 31",
  office: "مكتب 32",
  archived: "نادي 33",
  phone: "هاتف 41",
  purpose: "لتكون قهوتك جاهزة عند وصولك 51",
  changed: "ليكون شايك جاهزا عند وصولك 52",
  zone: "منطقة 61",
  endpoint: "مطبخ 71",
  file: "ملف 81",
  user: "مستخدم 91",
  column: "عمود 92",
  answer: "خطأ 93",
  note: "ملاحظة من المراجع 94",
  disclosed: "حديقة 95"
} as const
const ALL: ReadonlySet<string> = new Set(Object.values(NAMES))
const ARABIC = /\p{Script=Arabic}/u

const HOME = { lat: 52.37, lon: 4.89 }
const LATEST = "location.latest.read"
const HTML = { headers: { accept: "text/html" } }

const PAGES = routes(optionsAt("https://service.example", { hasMailbox: true }))
  .filter(({ method, path }) => method === "GET" && !path.startsWith("/docs"))
  .map(({ path }) => path)

/** What the attribute of a page's element, or the text of a page, looks like to a reader. */
const decoded = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

/** The attributes that people see or hear. Programs read all others. */
const READ_ALOUD = new Set(["alt", "aria-label", "data-label", "placeholder", "title"])
/** Elements whose text cannot have elements. */
const PLAIN = new Set(["title", "option", "textarea", "text"])
const VOID = new Set(["br", "hr", "img", "input", "link", "meta", "wbr"])

const isIsolated = (text: string): boolean => {
  const rest = [...ALL].reduce((left, name) => left.replaceAll(FSI + name + PDI, ""), text)
  return !ARABIC.test(rest) && !rest.includes(FSI) && !rest.includes(PDI)
}

/** The texts of a page in which a name is not isolated, and the names that the page has. */
const inspect = (page: string): { readonly faults: ReadonlyArray<string>; readonly seen: ReadonlySet<string> } => {
  const faults: Array<string> = []
  const seen = new Set<string>()
  const open: Array<string> = []
  const look = (text: string): void => {
    for (const name of ALL) if (text.includes(name)) seen.add(name)
  }
  for (const [token] of page.matchAll(/<!doctype[^>]*>|<\/?[a-z][^>]*>|[^<]+/gi)) {
    if (token.startsWith("</")) {
      const name = token.slice(2, -1).trim().toLowerCase()
      if (open.pop() !== name) faults.push(`not closed: ${token}`)
    } else if (token.startsWith("<!")) {
      continue
    } else if (token.startsWith("<")) {
      const name = /^<([a-z][a-z0-9]*)/i.exec(token)?.[1]?.toLowerCase() ?? ""
      for (const [, attribute = "", value = ""] of token.matchAll(/([\w-]+)="([^"]*)"/g)) {
        const text = decoded(value)
        look(text)
        const isRight = READ_ALOUD.has(attribute) ? isIsolated(text) : !text.includes(FSI) && !text.includes(PDI)
        if (!isRight) faults.push(`${attribute}="${text}"`)
      }
      if (!VOID.has(name) && !token.endsWith("/>")) open.push(name)
    } else if (ARABIC.test(token) || token.includes(FSI) || token.includes(PDI)) {
      const text = decoded(token)
      look(text)
      const within = open.at(-1) ?? ""
      const isCode = open.some((name) => name === "code" || name === "pre")
      const isRight =
        within === "textarea"
          ? !text.includes(FSI)
          : PLAIN.has(within)
            ? isIsolated(text)
            : within === "bdi" && (ALL.has(text) || isCode)
      if (!isRight) faults.push(`<${within}>: ${text.trim()}`)
    }
  }
  return { faults, seen }
}

describe("names in Arabic, on every page [languages-5]", () => {
  let world: World
  let ada: Person
  let tokens: string
  let values: Readonly<Record<string, string>>
  afterAll(() => world.close())

  beforeAll(async () => {
    world = await startWorld({ hasMailbox: true })
    ada = await world.person({ roles: ["reviewer", "admin"] })
    const other = await world.person()
    await rename(ada, NAMES.ada)
    await rename(other, NAMES.member)
    const on = await stage(world, {
      developer: ada,
      overrides: {
        name: App.AppName.make(NAMES.app),
        description: App.AppDescription.make(NAMES.appDescription),
        status: "production"
      }
    })
    const path = `/v1/developer/apps/${on.app.id}`
    const place = (label: string, metres: number) =>
      world.run(
        createPlace(ada.account.id, {
          label: Place.Label.make(label),
          kind: "home",
          circle: { ...north(HOME, metres), radiusM: 150 }
        })
      )
    const [home, office, archived] = [
      await place(NAMES.home, 0),
      await place(NAMES.office, 3_000),
      await place(NAMES.archived, 6_000)
    ]
    const described = { url: "https://hooks.example.com/described", description: NAMES.endpoint, events: [] }
    const endpoint = await ada.send("POST", `${path}/webhooks`, described)
    expect(endpoint.status).toBe(201)
    const purpose = await world.run(
      createPurpose(ada.account, on.app.id, {
        key: Purpose.PurposeKey.make("order_ahead"),
        terms: { description: NAMES.purpose, scopes: [LATEST], expectedDailyVolume: 20 }
      })
    )
    const decided = { decision: "approve", note: NAMES.note }
    expect((await ada.send("POST", `${path}/purposes/${purpose.id}/submit`)).status).toBe(200)
    expect((await ada.send("POST", `/v1/admin/purposes/${purpose.id}/decision`, decided)).status).toBe(200)

    const scopes = ["location.place.current", "location.rules.place", "location.rules.zone", LATEST]
    const { accessToken } = await world.connect(ada, on.app, {
      scopes,
      places: [home.id, office.id, archived.id],
      sensitiveDays: "7",
      request: { external_user_id: NAMES.user }
    })
    tokens = accessToken
    const post = (to: string, body: object) => {
      const json = jsonBody(body)
      const headers = { ...json.headers, ...bearer(accessToken).headers }
      return world.call(to, { ...json, method: "POST", headers })
    }
    const rule = await post("/v1/rules/place", { type: "enter", place_id: home.id })
    const zone = await post("/v1/rules/zone", {
      type: "enter",
      label: NAMES.zone,
      lat: 52.37,
      lon: 4.89,
      radius_m: 300
    })
    expect([rule.status, zone.status]).toEqual([201, 201])
    const device = await phone(world, ada)
    for (const metres of [1_000, 0, 1_000, 0]) {
      for (const _ of [1, 2, 3]) {
        world.clock.advance(2 * Timestamp.MINUTE)
        await device.at(north(HOME, metres), [0])
      }
    }
    await device.at(HOME, [-3 * Timestamp.DAY])
    const added = await ada.send("POST", "/v1/user/devices", { name: NAMES.phone, format: "json" })
    expect(added.status).toBe(201)
    const { id: tablet } = added.json as { readonly id: string }
    expect((await ada.send("DELETE", `/v1/user/places/${archived.id}`)).status).toBe(204)
    for (const asked of [
      `/v1/locations/latest?purpose=${purpose.key}`,
      `/v1/answers/presence?place_id=${home.id}`,
      "/v1/answers/current-place"
    ]) {
      await world.call(asked, bearer(accessToken))
    }
    const [connection] = await world.run(listConnections(ada.account.id))
    if (connection === undefined) throw new Error("no connection")
    const createdAt = Timestamp.make(world.clock.now())
    const owner = { userId: ada.account.id, appId: on.app.id, connectionId: connection.id }
    const entry = { owner, purpose: null, status: 200, error: null }
    await world.run(
      Effect.all([
        recordAccess({
          ...entry,
          endpoint: "GET /v1/answers/current-place",
          disclosed: `You were at ${NAMES.disclosed}`
        }),
        Effect.map(MemoryDatabase, (tables) => {
          tables.flagged.set(connection.id, createdAt)
          tables.appInvitations.set(InvitationId.make("inv_1"), {
            id: InvitationId.make("inv_1"),
            appId: on.app.id,
            email: ada.account.email,
            role: "viewer",
            invitedBy: other.account.id,
            createdAt
          })
          tables.appMembers.set(MemberId.make("mem_1"), {
            id: MemberId.make("mem_1"),
            appId: on.app.id,
            userId: other.account.id,
            role: "developer",
            since: createdAt
          } as never)
        })
      ])
    )
    await on.script(MemoryWebhookSender.answers(500, NAMES.answer))
    await on.fire("place.enter")
    await on.work()
    const log = (await ada.send("GET", on.log)).json as {
      readonly deliveries: ReadonlyArray<{ readonly id: string; readonly status: number | null }>
    }
    await world.run(
      Effect.all([
        updateApp(ada.account, on.app.id, { name: App.AppName.make(`${NAMES.app}`) }, "assumed", "unchecked"),
        updatePurpose(ada.account, on.app.id, purpose.id, { description: NAMES.changed }, "assumed", "unchecked")
      ])
    )
    const consent = (scope: string) =>
      world.run(
        startConsent(
          {
            client_id: on.app.id,
            redirect_uri: on.app.redirectUris[0] ?? "",
            scope,
            code_challenge: "x".repeat(43),
            code_challenge_method: "S256",
            state: "state-of-the-app",
            external_user_id: NAMES.user
          },
          world.url
        )
      )
    const request = await consent("location.place.current location.visits.read")
    const renewal = await consent(scopes.join(" "))
    const table = Buffer.from(`time,lat,lon,${NAMES.column}\n`)
    const asking = await world.run(startImport(ada.account.id, NAMES.file, Stream.make(table), { isAsking: true }))
    values = {
      account: ada.account.id,
      app: on.app.id,
      connection: connection.id,
      delivery: log.deliveries.find(({ status }) => status === 500)?.id ?? "",
      device: tablet,
      endpoint: (endpoint.json as { readonly id: string }).id,
      entry: "",
      file: "",
      grant: connection.id,
      id: "",
      import: asking.id,
      invitation: "inv_1",
      place: home.id,
      purpose: purpose.id,
      renewal: renewal.id,
      request: request.id,
      rule: (rule.json as { readonly id: string }).id,
      zone: (zone.json as { readonly id: string }).id
    }
  })

  const change = (person: Person, fields: Partial<Account.Account>): Promise<void> =>
    world.run(
      Effect.map(MemoryDatabase, ({ accounts }) => {
        const row = accounts.get(person.account.id)
        if (row === undefined) throw new Error("no such account")
        accounts.set(person.account.id, { ...row, account: { ...row.account, ...fields } })
      })
    )
  const rename = (person: Person, name: string) => change(person, { displayName: Account.DisplayName.make(name) })

  const addresses = (): ReadonlyArray<string> => [
    ...PAGES.map((path) => path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? "")),
    `/portal/connections/${values["connection"] ?? ""}/rules/${values["zone"] ?? ""}`,
    `/portal/access-log?app=${values["app"] ?? ""}&details=1`,
    `/authorize/${values["renewal"] ?? ""}`,
    "/portal/timeline?day=2026-03-01",
    "/portal/timeline/erase?day=2026-02-28&from=09:00&until=24:00"
  ]

  it.each<Language.Language>(["en", "de"])("each name is isolated, and nothing else, in %s", async (language) => {
    await change(ada, { language })
    const faults: Array<string> = []
    const seen = new Set<string>()
    let pages = 0
    for (const address of new Set(addresses())) {
      const { headers, status, text } = await ada.get(address, HTML)
      if (!(headers.get("content-type") ?? "").startsWith("text/html")) {
        if (text.includes(FSI) || text.includes("<bdi>")) faults.push(`${address}: isolates in a file`)
        continue
      }
      if (status === 200) pages += 1
      if (address.endsWith(values["renewal"] ?? "-")) expect(text).toContain('value="renew_sensitive"')
      const found = inspect(text)
      for (const name of found.seen) seen.add(name)
      faults.push(...found.faults.map((fault) => `${address}: ${fault}`))
    }
    expect(faults).toEqual([])
    expect(pages).toBeGreaterThan(50)
    expect(Object.values(NAMES).filter((name) => !seen.has(name))).toEqual([])
  })

  it("answers for programs have the names as they are", async () => {
    const places = await world.call("/v1/answers/places", bearer(tokens))
    expect(places.text).toContain(NAMES.home)
    for (const path of ["/v1/user/places", "/v1/user/access-log", "/v1/user/connections", "/portal/access-log.csv"]) {
      const { text } = await ada.get(path)
      expect([path, ARABIC.test(text), text.includes(FSI), text.includes(PDI)]).toEqual([path, true, false, false])
    }
  })

  it("a field sends a name back as it is", async () => {
    const { text } = await ada.get(`/portal/places/${values["place"] ?? ""}`, HTML)
    expect(text).toContain(`value="${NAMES.home}"`)
  })
})
