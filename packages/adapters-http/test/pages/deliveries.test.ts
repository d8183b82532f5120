import { AppStore } from "@place-access/domain/apps"
import { type AppId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"
import { stage } from "../support/webhooks.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

it("a filter that cannot be meant: 400, and which field it is", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const path = `/developer/apps/${on.app.id}/deliveries`
  const read = (query: string) => on.developer.get(path + query, { headers: { accept: "text/html" } })
  for (const [query, problem] of [
    ["from=yesterday", "From must be a date"],
    ["to=2026-02-30", "To must be a date"],
    ["state=lost", "Outcome must be one of the list"],
    ["type=place.left", "Event must be one of the list"],
    ["endpoint=no%20id", "Endpoint must be one of the list"],
    ["event=no%20id", "Event id must be the id of an event"],
    ["from=2026-03-02&to=2026-03-01", "To must not be before the first day"]
  ] as const) {
    const answer = await read(`?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(problem)
  }
  const whole = await read("?from=2020-01-01&to=2099-12-31&state=delivered&type=place.enter")
  expect([whole.status, whole.text.includes("There is a problem")]).toEqual([200, false])
})

it("the list says when each delivery was sent last, to the reader in words [§2.9]", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const { deliveries } = (await on.developer.get(`${on.log}?limit=1`)).json as {
    readonly deliveries: ReadonlyArray<{ readonly sent_at: string }>
  }
  const cell = async (language: string) => {
    const headers = { accept: "text/html", "accept-language": language }
    const { text } = await on.developer.get(`/developer/apps/${on.app.id}/deliveries`, { headers })
    return /<td data-label="(?:Response|Antwort)">([\s\S]*?)<\/td>/.exec(text)?.[1] ?? ""
  }
  const sent = `<time datetime="${deliveries[0]?.sent_at}"`
  for (const [language, word] of [
    ["en", "sent <time"],
    ["de", "gesendet: <time"]
  ] as const) {
    const found = await cell(language)
    expect([found.includes(sent), found.includes(word)]).toEqual([true, true])
  }
})

it("From and To are days of the reader's zone, as the times of the rows are [accounts-19]", async () => {
  const on = await stage(world)
  // At 12:00 UTC on 1 March, it is 1:00 on 2 March in Auckland. So the reader's day differs from the day in UTC.
  await on.developer.send("PUT", "/v1/user/time-zone", { time_zone: "Pacific/Auckland" })
  await on.fire()
  await on.work()
  const rows = async (day: string) =>
    (await on.developer.get(`/developer/apps/${on.app.id}/deliveries?from=${day}&to=${day}`)).text.match(
      /data-label="Event"/g
    )?.length ?? 0
  expect(await rows("2026-03-01")).toBe(0)
  expect(await rows("2026-03-02")).toBeGreaterThan(0)
})

/** A new viewer in the app's team. */
const viewerOf = async (on: Awaited<ReturnType<typeof stage>>): Promise<Person> => {
  const viewer = await world.person()
  const team = `${on.base}/team/invitations`
  const invited = await on.developer.send("POST", team, { email: viewer.account.email, role: "viewer" })
  await viewer.send("POST", `${team}/${(invited.json as { readonly id: string }).id}/accept`)
  return viewer
}

it("only members who may develop see what was sent, its signature and the command [teams-1, deliveries-13]", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const viewer = await viewerOf(on)
  const page = await newestPage(on)
  const toViewer = await newestPage(on, viewer)
  const parts = ["grant_id", "curl -i", "v1=", "What was sent", "X-Service-Signature: (hidden)"]
  const shown = (text: string) => parts.map((part) => text.includes(part))
  expect(shown(page)).toEqual([true, true, true, true, false])
  expect(shown(toViewer)).toEqual([false, false, false, false, true])
  expect(toViewer).toContain("Viewers do not see what was sent.")
  expect(toViewer).toContain("POST https://")
})

it("the API shows the signature of an attempt only to members who may develop [teams-1]", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const viewer = await viewerOf(on)
  const { deliveries } = (await on.developer.get(on.log)).json as {
    readonly deliveries: ReadonlyArray<{ readonly id: string }>
  }
  const signature = async (by: Person) => {
    const { attempts } = (await by.get(`${on.log}/${deliveries[0]?.id}`)).json as {
      readonly attempts: ReadonlyArray<{ readonly request_headers: ReadonlyArray<{ name: string; value: string }> }>
    }
    return attempts[0]?.request_headers.find(({ name }) => name === "X-Service-Signature")?.value
  }
  expect(await signature(on.developer)).toMatch(/^t=\d+,v1=/)
  expect(await signature(viewer)).toBe("(hidden)")
})

it("a delivery leads to its endpoint only where the reader can open it [teams-1]", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const viewer = await viewerOf(on)
  const { deliveries } = (await on.developer.get(`${on.log}?endpoint_id=${on.endpoints[0]}`)).json as {
    readonly deliveries: ReadonlyArray<{ readonly id: string }>
  }
  const path = `/developer/apps/${on.app.id}`
  const leads = async (by: Person) => {
    const { status, text } = await by.get(`${path}/deliveries/${deliveries[0]?.id}`)
    expect([status, text.includes(`<code>${on.endpoints[0]}</code>`)]).toEqual([200, true])
    return text.includes(`href="${path}/webhooks/${on.endpoints[0]}"`)
  }
  expect([await leads(on.developer), await leads(viewer)]).toEqual([true, false])
  expect((await on.developer.send("DELETE", `${on.base}/webhooks/${on.endpoints[0]}`)).status).toBe(204)
  expect(await leads(on.developer)).toBe(false)
})

/** The page of the newest delivery to the first endpoint. */
const newestPage = async (on: Awaited<ReturnType<typeof stage>>, by = on.developer): Promise<string> => {
  const { deliveries } = (await on.developer.get(`${on.log}?endpoint_id=${on.endpoints[0]}`)).json as {
    readonly deliveries: ReadonlyArray<{ readonly id: string }>
  }
  const path = `/developer/apps/${on.app.id}/deliveries/${deliveries[0]?.id}`
  const { status, text } = await by.get(path, { headers: { accept: "text/html" } })
  expect(status).toBe(200)
  return text
}

it("a page announces no attempt for which the event will be too old [deliveries-1]", async () => {
  const on = await stage(world)
  await on.script(MemoryWebhookSender.answers(500))
  const newest = async (maxEventAgeS: number) => {
    const event = await on.fire("place.enter", { maxEventAgeS })
    await on.work()
    const pages = async (language: string) =>
      (
        await on.developer.get(`/developer/apps/${on.app.id}/deliveries?event=${event.id}`, {
          headers: { accept: "text/html", "accept-language": language }
        })
      ).text.replaceAll(/<[^>]*>/g, "")
    return [await pages("en"), await pages("de")]
  }
  // The first retry of a delivery comes after 30 s.
  const [early, frueh] = await newest(30)
  expect([early, frueh]).toEqual([expect.stringMatching(/attempt 2 of 7, due 2/), expect.stringMatching(/, fällig 2/)])
  const [late, spaet] = await newest(29)
  expect(late).toMatch(/ends 2026-\d\d-\d\d \d\d:\d\d:\d\d( UTC)?, too old then/)
  expect(spaet).toMatch(/endet als zu alt: 2026-/)
  expect([late, spaet].join()).not.toMatch(/attempt 2 of|Versuch 2 von/)
})

describe("a delivery's page offers to send the event again only when the service would do it [§4.7-redeliver-refused]", () => {
  const button = (page: string) => /action="[^"]*\/redeliver"/.test(page)

  it("not at a disabled endpoint: the page leads to the endpoint, on whose page it can be enabled", async () => {
    const on = await stage(world)
    await on.script(MemoryWebhookSender.answers(200))
    await on.fire()
    await on.work()
    expect(button(await newestPage(on))).toBe(true)
    await world.run(
      Effect.map(MemoryDatabase, ({ endpoints }) => {
        for (const [key, one] of endpoints) {
          if (one.id === on.endpoints[0]) endpoints.set(key, { ...one, disabledAt: one.createdAt })
        }
      })
    )
    const page = await newestPage(on)
    expect([button(page), page.includes("The endpoint is disabled.")]).toEqual([false, true])
    expect(page).toContain(`<a href="/developer/apps/${on.app.id}/webhooks/${on.endpoints[0]}">Enable it</a>`)
  })

  it("not at a removed endpoint; where nothing will be sent, the page does not announce an attempt", async () => {
    const on = await stage(world)
    await on.fire()
    expect(await newestPage(on)).toContain("None yet.")
    expect((await on.developer.send("DELETE", `${on.base}/webhooks/${on.endpoints[0]}`)).status).toBe(204)
    const page = await newestPage(on)
    expect([button(page), page.includes("The endpoint was removed")]).toEqual([false, true])
    expect([page.includes("None yet."), page.includes("None.")]).toEqual([false, true])
  })
})

it("a revoked app: nothing is sent again or sooner, and the page says so in place of the button [deliveries-9]", async () => {
  const on = await stage(world)
  await on.script(MemoryWebhookSender.answers(500))
  await on.fire()
  await on.work()
  // If two deliveries were made at the same time, their random ids would decide which of them comes first.
  world.clock.advance(1)
  const test = `${on.base}/webhooks/${on.endpoints[0]}/test`
  expect((await on.developer.send("POST", test)).status).toBe(200)
  const list = async () =>
    (
      (await on.developer.get(`${on.log}?endpoint_id=${on.endpoints[0]}`)).json as {
        readonly deliveries: ReadonlyArray<{ readonly id: string; readonly state: string; readonly test: boolean }>
      }
    ).deliveries
  const before = await list()
  expect(before.map(({ state, test }) => [state, test])).toEqual([
    ["failed", true],
    ["trying", false]
  ])
  const page = async (id: string | undefined, language = "en") =>
    (
      await on.developer.get(`/developer/apps/${on.app.id}/deliveries/${id}`, {
        headers: { accept: "text/html", "accept-language": language }
      })
    ).text
  const BUTTON = /action="[^"]*\/(?:redeliver|retry-now)"/
  for (const { id } of before) expect(await page(id)).toMatch(BUTTON)
  await revoke(on.app.id)

  for (const { id } of before) {
    const shown = await page(id)
    expect(shown).not.toMatch(BUTTON)
    expect(shown).toContain("The app is revoked, so the event cannot be sent again.")
    expect(await page(id, "de")).toContain("Die App ist widerrufen, also kann das Ereignis nicht noch einmal gesendet")
  }
  const since = new Date(world.clock.now() - Timestamp.DAY).toISOString()
  for (const [path, body] of [
    [`${on.log}/${before[0]?.id}/redeliver`],
    [`${on.log}/${before[1]?.id}/retry-now`],
    [`${on.base}/webhooks/${on.endpoints[0]}/recover`, { since }]
  ] as const) {
    const { json, status } = await on.developer.send("POST", path, body)
    expect([path, status, json]).toMatchObject([path, 409, { message: "the app was revoked, which is final" }])
  }
  expect((await list()).length).toBe(before.length)
  // The team can still test the endpoint (apps-2): the event of a test is not about a user.
  expect((await on.developer.send("POST", test)).status).toBe(200)
})

/** Revokes the app and nothing else, as an admin does before the service ends the app's connections. */
const revoke = (id: AppId) =>
  world.run(
    Effect.flatMap(AppStore, (apps) =>
      apps.update(id, (before) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, revokedAt: before.app.createdAt } }
      }))
    )
  )

it("a recovery that found nothing says so, and speaks of no order", async () => {
  const on = await stage(world)
  const note = async (language: string) => {
    const path = `/developer/apps/${on.app.id}/deliveries?recovered=0`
    const { text } = await on.developer.get(path, { headers: { accept: "text/html", "accept-language": language } })
    return /<div class="note" role="status">\s*<p>([^<]*)<\/p>/.exec(text)?.[1]?.trim()
  }
  expect(await note("en")).toBe(
    "Nothing more was queued: of the events since that day, no failed one is left that can be sent again."
  )
  expect(await note("de")).toBe(
    "Es wurde nichts weiter eingereiht: Von den Ereignissen seit diesem Tag ist kein fehlgeschlagenes übrig, das noch einmal gesendet werden kann."
  )
})

it("a recovery that reached its limit says that more may have failed", async () => {
  const on = await stage(world)
  const note = async (count: number) =>
    (await on.developer.get(`/developer/apps/${on.app.id}/deliveries?recovered=${count}`)).text.includes(
      "There may be more: use “Send again what failed” once more."
    )
  expect([await note(9_999), await note(10_000)]).toEqual([false, true])
})

it("the filter by a removed endpoint is named in the form, and such deliveries can be chosen in the list", async () => {
  const on = await stage(world)
  await on.fire()
  expect((await on.developer.send("DELETE", `${on.base}/webhooks/${on.endpoints[0]}`)).status).toBe(204)
  const path = `/developer/apps/${on.app.id}/deliveries`
  const filtered = `${path}?endpoint=${on.endpoints[0]}`
  expect((await on.developer.get(path)).text).toContain(`href="${filtered}"`)
  const { text } = await on.developer.get(filtered)
  const chosen = new RegExp(`<option value="${on.endpoints[0]}"\\s+selected>([^<]*)<`).exec(text)?.[1]
  expect(chosen).toBe(`${on.endpoints[0]} (removed)`)
})

it("the filter by an endpoint that the app never had is a fault, and no removed endpoint", async () => {
  const [on, other] = [await stage(world), await stage(world)]
  await other.fire()
  for (const endpoint of ["nonsense", other.endpoints[0]]) {
    const { status, text } = await on.developer.get(`/developer/apps/${on.app.id}/deliveries?endpoint=${endpoint}`)
    expect([status, text.includes("must be one of the list"), text.includes("(removed)")]).toEqual([400, true, false])
    expect(text).not.toContain("Nothing was sent here.")
  }
})

it("a later part of the list leads back to the newest deliveries with the same filter", async () => {
  const on = await stage(world)
  for (let count = 0; count < 51; count++) await on.fire()
  const path = `/developer/apps/${on.app.id}/deliveries`
  const link = (text: string, name: string) =>
    new RegExp(`href="([^"]*)">${name}</a>`).exec(text)?.[1]?.replaceAll("&amp;", "&") ?? ""
  const first = (await on.developer.get(`${path}?state=trying`)).text
  expect(link(first, "Newest")).toBe("")
  const second = (await on.developer.get(link(first, "Older"))).text
  const back = new URL(link(second, "Newest"), world.url)
  expect([back.pathname, back.searchParams.get("state"), back.searchParams.get("cursor")]).toEqual([path, "trying", ""])
})

it("a cursor that was tampered with begins the list anew", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const path = `/developer/apps/${on.app.id}/deliveries`
  const rows = async (query: string) =>
    (await on.developer.get(path + query, { headers: { accept: "text/html" } })).text.match(/data-label="Event"/g)
      ?.length
  expect(await rows("")).toBeGreaterThan(0)
  expect(await rows("?cursor=forged")).toBe(await rows(""))
})

it("a rule that the app deleted itself is not put down to the user", async () => {
  const on = await stage(world)
  await on.fire()
  await world.run(Effect.map(MemoryDatabase, ({ rules }) => rules.delete(on.rule.id)))
  await on.work()
  const page = (await on.developer.get(`/developer/apps/${on.app.id}/deliveries`, { headers: { accept: "text/html" } }))
    .text
  expect(page).toContain("Failed")
  expect(page).not.toContain("the user no longer allows it")
  expect(page).toContain("your app is no longer authorised")
})
