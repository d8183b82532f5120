import { recordAccess } from "@place-access/domain/access-log"
import { everything } from "@place-access/domain/leases"
import { listChosenNotices, sendNotices } from "@place-access/domain/owner-notices"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { phone } from "../support/phone.js"
import { visitor } from "../support/visitor.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

const DAY = 86_400_000
const CURRENT = "location.place.current"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const PAGE = "/portal/settings/notices"

const browserOf = async (person: Person) => {
  const browser = visitor(world.url)
  await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: person.account.email, password: PASSWORD })
  return browser
}

const notices = (person: Person) =>
  world.run(
    Effect.map(MemoryDatabase, ({ mail }) =>
      [...mail.values()]
        .filter(({ dedupeKey, to }) => to === person.account.id && dedupeKey.startsWith("owner_notice"))
        .map(({ subject }) => subject)
        .sort()
    )
  )

it("the page stores the choice, and takes it back; kinds that do not exist are ignored [owner-notices-1]", async () => {
  const person = await world.person()
  const browser = await browserOf(person)
  const page = await browser.get(PAGE)
  expect(page.text).not.toMatch(/type="checkbox"[^>]*checked/)
  expect(page.text).toContain("A sign-in from a new browser")
  const saved = await browser.submit(page, PAGE, { notice: ["weekly", "ends", "new_browser"] })
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "/portal/settings?done=notices-chosen"])
  expect(await world.run(listChosenNotices(person.account.id))).toEqual(["ends", "weekly"])
  expect((await browser.get("/portal/settings")).text).toContain("something ends, a summary of my week")
  await browser.submit(await browser.get(PAGE), PAGE, { notice: [] })
  expect(await world.run(listChosenNotices(person.account.id))).toEqual([])
})

it("the sweep mails what is due to those who chose it, once [owner-notices-2]", async () => {
  world.clock.set("2026-03-05T12:00:00.000Z")
  const [person, quiet] = [await world.person(), await world.person()]
  const { app } = await world.app(person)
  await world.connect(person, app, { scopes: [CURRENT], standardDays: "7" })
  await (await phone(world, person)).at({ lat: 52.5, lon: 13.4 }, [0])
  await (await phone(world, quiet)).at({ lat: 52.5, lon: 13.4 }, [0])
  const browser = await browserOf(person)
  await browser.submit(await browser.get(PAGE), PAGE, { notice: ["asked_often", "phone_silent", "ends"] })
  const sweep = () => world.run(sendNotices(everything.people))
  await sweep()
  expect(await notices(person)).toEqual([])

  world.clock.advance(5 * DAY)
  const [connection] = await world.run(
    Effect.map(MemoryDatabase, ({ connections }) =>
      [...connections.values()].filter(({ userId }) => userId === person.account.id)
    )
  )
  if (connection === undefined) throw new Error("no connection")
  for (let count = 0; count < 50; count++) {
    await world.run(
      recordAccess({
        owner: { userId: person.account.id, appId: app.id, connectionId: connection.id },
        endpoint: "GET /v1/answers/current-place",
        purpose: null,
        status: 200,
        error: null,
        disclosed: "that you were at Home"
      })
    )
  }
  for (let times = 0; times < 3; times++) await sweep()
  expect(await notices(person)).toEqual([
    "Coffee Finder asked unusually often today",
    "Something ends in two days",
    "Your phone has sent nothing for a day"
  ])
  expect(await notices(quiet)).toEqual([])
})
