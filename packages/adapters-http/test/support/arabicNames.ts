import { recordAccess } from "@place-access/domain/access-log"
import { Account } from "@place-access/domain/accounts"
import { routes } from "@place-access/adapters-http/pages/PagesLive"
import { App, updateApp } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { startConsent } from "@place-access/domain/consent"
import { startImport } from "@place-access/domain/imports"
import { createPlace, Place } from "@place-access/domain/places"
import { createPurpose, Purpose, updatePurpose } from "@place-access/domain/purposes"
import { InvitationId, MemberId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import { optionsAt } from "./options.js"
import { north, phone } from "./phone.js"
import { stage } from "./webhooks.js"
import { jsonBody } from "./wire.js"
import { bearer, type Person, type World } from "./World.js"

/**
 * What people and apps chose, in Arabic. Each text ends with a number: when another number follows the text, the page
 * must keep the two numbers apart.
 */
export const NAMES = {
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
const HOME = { lat: 52.37, lon: 4.89 }
const LATEST = "location.latest.read"

const PAGES = routes(optionsAt("https://service.example", { hasMailbox: true }))
  .filter(({ method, path }) => method === "GET" && !path.startsWith("/docs"))
  .map(({ path }) => path)

/** Changes fields of the account directly in the store, without a form. */
export const change = (world: World, { account: { id } }: Person, fields: Partial<Account.Account>): Promise<void> =>
  world.run(
    Effect.map(MemoryDatabase, ({ accounts }) => {
      const row = accounts.get(id)
      if (row === undefined) throw new Error("no such account")
      accounts.set(id, { ...row, account: { ...row.account, ...fields } })
    })
  )

/**
 * A person who has everything that a page can show, with names in Arabic: places, phones, an app, purposes, a team and
 * rules. `addresses`: the pages, except the documentation.
 */
export const arabicNames = async (
  world: World
): Promise<{
  readonly ada: Person
  /** An access token of the app. */
  readonly accessToken: string
  readonly addresses: ReadonlyArray<string>
  /** The value for each parameter in the paths of pages, such as `app` for `:app`. */
  readonly values: Readonly<Record<string, string>>
}> => {
  const ada = await world.person({ roles: ["reviewer", "admin"] })
  const other = await world.person()
  await change(world, ada, { displayName: Account.DisplayName.make(NAMES.ada) })
  await change(world, other, { displayName: Account.DisplayName.make(NAMES.member) })
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
          code_challenge: "A".repeat(43),
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
  const values: Readonly<Record<string, string>> = {
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
  const addresses = [
    ...new Set(PAGES.map((path) => path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? ""))),
    `/portal/connections/${values["connection"] ?? ""}/rules/${values["zone"] ?? ""}`,
    `/portal/access-log?app=${values["app"] ?? ""}&details=1`,
    `/authorize/${values["renewal"] ?? ""}`,
    "/portal/timeline?day=2026-03-01",
    "/portal/timeline/erase?day=2026-02-28&from=09:00&until=24:00"
  ]
  return { ada, accessToken, addresses, values }
}
