import { recordAccess } from "@place-access/domain/access-log"
import { App, AppLogo, RedirectUri, updateApp } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { startConsent } from "@place-access/domain/consent"
import { startImport } from "@place-access/domain/imports"
import { createPlace, Place } from "@place-access/domain/places"
import { createPurpose, Purpose, updatePurpose } from "@place-access/domain/purposes"
import { InvitationId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { routes } from "@place-access/adapters-http/pages/PagesLive"
import { Effect, Stream } from "effect"
import { beforeAll, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { fitsLargeText, inspectClosely, showsDates } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { optionsAt } from "../support/options.js"
import { mailedLink } from "../support/mailbox.js"
import { north, phone } from "../support/phone.js"
import { stage } from "../support/webhooks.js"
import { bearer, type Person } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

/** Paths whose answer is a file and not a page. */
const FILES: ReadonlySet<string> = new Set([
  "/portal/access-log.csv",
  "/portal/timeline.gpx",
  "/app-logos/:app/:file",
  "/portal/settings/export/:id/archive",
  "/set-up/place-access.properties",
  "/portal/devices/share.webmanifest",
  "/portal/connections/:connection/history/:entry"
])

/**
 * Pages whose address needs values from an app, a mailed link or a QR code, each with the status of the answer when the
 * values are missing. `addresses.browser.test.ts` tests the pages of mailed links. `/authorize` with the values of an
 * app would redirect.
 */
const REFUSING: Readonly<Record<string, number>> = {
  "/authorize": 400,
  "/confirm-sign-up": 404,
  "/confirm-address": 404,
  "/undo-address": 404,
  "/unlock": 404,
  "/set-up/gpslogger": 404
}

/**
 * Whether the answer is a text for programs: a page's copy in Markdown, the list of these copies, the search index, or
 * the feed of changes.
 */
const isText = (path: string): boolean => /^\/(?:docs.*\.(?:md|atom|json)|llms\.txt)$/.test(path)

/** Whether to skip the page of an error code: one function makes all these pages, so one page stands for all. */
const isAnotherError = (path: string): boolean =>
  path.startsWith("/docs/errors/") && path !== "/docs/errors/validation_failed"

const PAGES = routes(optionsAt("https://service.example", { hasMailbox: true }))
  .filter(({ method, path }) => method === "GET" && !FILES.has(path) && !isText(path) && !isAnotherError(path))
  .map(({ path }) => path)

const HOME = { lat: 52.37, lon: 4.89 }
const LATEST = "location.latest.read"
/** A name of an app with the greatest allowed length. It has no blank at which a browser could wrap it. */
const LONG_NAME = "W".repeat(60)
/** A PNG of a black square, in base64. */
const BLACK = "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC"
const LONG_URL = `https://hooks.example.com/${"a".repeat(300)}`

describeBrowser("every page, with something on it", () => {
  const at = desk({ options: { hasMailbox: true } })
  let ada: Person
  /** The value for each parameter in the paths of pages, such as `app` for `:app`. */
  let values: Readonly<Record<string, string>>
  /** The queries of pages that show nothing without a query. */
  let queries: Readonly<Record<string, string>>

  beforeAll(async () => {
    const { world } = at
    ada = await world.person({ roles: ["reviewer", "admin"], email: `${"ada".repeat(20)}@example.com` })
    const on = await stage(world, {
      developer: ada,
      overrides: {
        name: App.AppName.make(LONG_NAME),
        status: "production",
        homepageUrl: App.HomepageUrl.make(`https://example.com/${"b".repeat(100)}`),
        redirectUris: [RedirectUri.RedirectUri.make(at.callback)]
      }
    })
    const path = `/v1/developer/apps/${on.app.id}`
    expect((await ada.send("POST", `${path}/webhooks`, { url: LONG_URL, events: [] })).status).toBe(201)
    const home = await world.run(
      createPlace(ada.account.id, {
        label: Place.Label.make("Home".repeat(20)),
        kind: "home",
        circle: { ...HOME, radiusM: 150 }
      })
    )
    const terms: Purpose.PurposeTerms = {
      description: "To have your coffee ready when you come through the door.",
      scopes: [LATEST],
      expectedDailyVolume: 20
    }
    const purpose = await world.run(
      createPurpose(ada.account, on.app.id, { key: Purpose.PurposeKey.make("order_ahead".padEnd(40, "_")), terms })
    )
    const base = `/v1/admin/purposes/${purpose.id}`
    expect((await ada.send("POST", `${path}/purposes/${purpose.id}/submit`)).status).toBe(200)
    expect((await ada.send("POST", `${base}/decision`, { decision: "approve" })).status).toBe(200)

    const scopes = ["location.place.current", "location.rules.place", LATEST]
    const { accessToken } = await world.connect(ada, on.app, {
      scopes,
      places: [home.id],
      sensitiveDays: "7",
      request: { external_user_id: "user".repeat(32) }
    })
    const json = jsonBody({ type: "enter", place_id: home.id })
    const rule = await world.call("/v1/rules/place", {
      ...json,
      method: "POST",
      headers: { ...json.headers, ...bearer(accessToken).headers }
    })
    const device = await phone(world, ada)
    for (const metres of [1_000, 0, 1_000, 0]) {
      world.clock.advance(Timestamp.MINUTE)
      await device.at(north(HOME, metres), [0])
    }
    // The time of this reading is three days in the future, as from a phone whose clock is wrong. So the service puts
    // the reading aside.
    await device.at(HOME, [-3 * Timestamp.DAY])
    const added = await ada.send("POST", "/v1/user/devices", { name: "P".repeat(60), format: "json" })
    expect(added.status).toBe(201)
    const { id: tablet } = added.json as { readonly id: string }
    expect((await ada.send("PATCH", `/v1/user/devices/${tablet}`, { stays_at_home: true })).status).toBe(200)
    await world.call(`/v1/locations/latest?purpose=${purpose.key}`, bearer(accessToken))
    await world.call("/v1/rules/zone/rul_x/evaluations", bearer(accessToken))
    const [connection] = await world.run(listConnections(ada.account.id))
    if (connection === undefined) throw new Error("no connection")
    await world.run(
      Effect.map(MemoryDatabase, ({ flagged }) => flagged.set(connection.id, Timestamp.make(world.clock.now())))
    )
    const invitation = InvitationId.make("inv_1")
    const { email } = ada.account
    const createdAt = Timestamp.make(world.clock.now())
    const invited = {
      id: invitation,
      appId: on.app.id,
      email,
      role: "viewer",
      invitedBy: ada.account.id,
      createdAt
    } as const
    await world.run(Effect.map(MemoryDatabase, ({ appInvitations }) => appInvitations.set(invitation, invited)))
    const owner = { userId: ada.account.id, appId: on.app.id, connectionId: connection.id }
    const endpoint = `GET /v1/${"x".repeat(100)}`
    await world.run(
      recordAccess({ owner, endpoint, purpose: null, status: 200, error: null, disclosed: "z".repeat(80) })
    )

    await on.script(MemoryWebhookSender.answers(500, "out of coffee ".repeat(20)))
    await on.fire()
    await on.work()
    const log = (await ada.send("GET", on.log)).json as {
      readonly deliveries: ReadonlyArray<{ readonly id: string; readonly status: number | null }>
    }
    const answered = log.deliveries.find(({ status }) => status === 500)
    // Changes an approved app and its approved purpose. Both changes wait for a reviewer.
    await world.run(
      Effect.all([
        updateApp(
          ada.account,
          on.app.id,
          {
            name: App.AppName.make("Coffee Ahead"),
            homepageUrl: App.HomepageUrl.make(`https://example.com/${"c".repeat(200)}`),
            logo: AppLogo.LogoPng.make(BLACK)
          },
          "assumed",
          "unchecked"
        ),
        updatePurpose(
          ada.account,
          on.app.id,
          purpose.id,
          {
            description: "To have your tea ready, too."
          },
          "assumed",
          "unchecked"
        )
      ])
    )
    const request = await world.run(
      startConsent(
        {
          client_id: on.app.id,
          redirect_uri: at.callback,
          scope: "location.place.current location.visits.read",
          code_challenge: "A".repeat(43),
          code_challenge_method: "S256",
          state: "state-of-the-app"
        },
        world.url
      )
    )
    await world.call("/v1/password-resets", { ...jsonBody({ email: ada.account.email }), method: "POST" })
    queries = {
      "/portal/timeline/erase": "?day=2026-02-28&from=09:00&until=24:00",
      "/reset-password": new URL(await mailedLink(world, ada.account.email, "Set a new password")).search
    }
    const header = Buffer.from(`time,lat,lon,${"c".repeat(150)}\n`)
    const table = await world.run(startImport(ada.account.id, "w".repeat(60), Stream.make(header), { isAsking: true }))
    values = {
      account: ada.account.id,
      app: on.app.id,
      connection: connection.id,
      delivery: answered?.id ?? "",
      device: tablet,
      endpoint: on.endpoints[0],
      grant: connection.id,
      invitation,
      import: table.id,
      place: home.id,
      purpose: purpose.id,
      request: request.id,
      rule: (rule.json as { readonly id: string }).id
    }
  })

  it.each(PAGES)("%s is accessible in both colours, and fits a desk and a phone with large text", async (path) => {
    const { page, world } = at
    await at.as(ada)
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined || value === "") throw new Error(`${path}: no page with :${name} is known to this test`)
      return value
    })
    const answer = await page.goto(world.url + filled + (queries[path] ?? ""))
    expect(answer?.status()).toBe(REFUSING[path] ?? 200)
    expect(answer?.headers()["content-type"]).toContain("text/html")
    // The colours of a page are the same at every width. So the test inspects the light scheme at one width and the
    // dark scheme at the other width.
    await inspectClosely(page, `every${path.replaceAll(/[/:]+/g, "-")}`, { 1280: ["light"], 390: ["dark"] })
    await showsDates(page)
    await fitsLargeText(page)
  })

  it("in the browser's own colours the present entry of the navigation is marked, and fields and badges have edges", async () => {
    const { page, world } = at
    await at.as(ada)
    await page.emulateMedia({ forcedColors: "active" })
    await page.goto(`${world.url}/developer/apps/${values["app"] ?? ""}/deliveries`)
    const marked = await page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll(".top nav a, .tabs a")]
        .filter((one) => getComputedStyle(one).borderBottomColor !== getComputedStyle(document.body).backgroundColor)
        .map((one) => one.innerText)`
    )
    expect(marked).toEqual(["Developers", "Delivery log"])
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector("main ${selector}"))["${property}"]`)
    expect(await styleOf("select", "appearance")).toBe("auto")
    expect(await styleOf(".badge", "borderTopStyle")).toBe("solid")
  })

  it("pages of refusals, too", async () => {
    const { page, world } = at
    await at.as(ada)
    expect((await page.goto(`${world.url}/no/such/page`))?.status()).toBe(404)
    await inspectClosely(page, "every-404")
  })
})
