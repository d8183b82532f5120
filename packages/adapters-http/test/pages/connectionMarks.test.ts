import { AppLogo } from "@place-access/domain/apps"
import { recordAccess } from "@place-access/domain/access-log"
import { marks } from "@place-access/adapters-http/pages/steering/marks"
import { listConnections } from "@place-access/domain/connection"
import { createPurpose, flagVolumes, Purpose, type VolumeFlag } from "@place-access/domain/purposes"
import { ConnectionId, PurposeId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const LATEST = "location.latest.read"
const TERMS = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 1 } as const

/**
 * A person who owns an app and has connected it, so that the app gets the person's exact location. Returns the
 * connection too.
 */
const exact = async (choices: Pick<Parameters<World["connect"]>[2], "standardDays" | "sensitiveDays"> = {}) => {
  const person = await world.person()
  await person.send("PUT", "/v1/user/time-zone", { time_zone: "UTC" })
  const { app } = await world.app(person)
  const key = Purpose.PurposeKey.make("order_ahead")
  await world.run(createPurpose(person.account, app.id, { key, terms: TERMS }))
  await world.connect(person, app, { scopes: ["location.place.current", LATEST], ...choices })
  const [connection] = await world.run(listConnections(person.account.id))
  if (connection === undefined) throw new Error("there is no connection")
  return { person, app, connection, path: `/portal/connections/${connection.id}` }
}

const badges = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/<span class="badge warn">([^]*?)<\/span>/g)].map(([, text = ""]) =>
    text.replaceAll(/<[^>]*>/g, "").trim()
  )

describe("the badges of a connected app [connection-11]", () => {
  it("say that it gets exact location, in the list and on its own page, until its owner takes it away", async () => {
    const { path, person } = await exact({ standardDays: "90", sensitiveDays: "30" })
    for (const one of ["/portal/connections", path]) {
      expect(badges((await person.get(one)).text)).toContain("Exact location")
    }
    await person.send("PATCH", `/v1/user/connections/${path.split("/").at(-1)}`, { scopes: ["location.place.current"] })
    expect(badges((await person.get(path)).text)).not.toContain("Exact location")
  })

  it("name the day on which the connection ends, and that of exact location when it is earlier, within 7 days", async () => {
    const whole = await exact({ standardDays: "7", sensitiveDays: "7" })
    expect(badges((await whole.person.get(whole.path)).text)).toEqual(["Exact location", "Ends 8 March", "Sandbox"])
    const part = await exact({ standardDays: "90", sensitiveDays: "1" })
    expect(badges((await part.person.get("/portal/connections")).text)).toEqual([
      "Exact location ends tomorrow",
      "Sandbox"
    ])
    const german = await part.person.get("/portal/connections", { headers: { "accept-language": "de" } })
    expect(badges(german.text)).toContain("Genauer Standort, Ende: morgen")
    const later = await exact({ standardDays: "30", sensitiveDays: "30" })
    expect(badges((await later.person.get(later.path)).text)).toEqual(["Exact location", "Sandbox"])
  })

  it("do not say that an app gets exact location while the app is paused or on hold", async () => {
    const { connection, path, person } = await exact({ standardDays: "90", sensitiveDays: "30" })
    const pause = `/v1/user${path.replace("/portal", "")}/pause`
    await person.send("PUT", pause, { for: "hour" })
    expect(badges((await person.get(path)).text)).not.toContain("Exact location")
    await person.send("DELETE", pause)
    expect(badges((await person.get(path)).text)).toContain("Exact location")
    const shown = (onHold: boolean) =>
      badges(
        marks({ ...connection, onHold }).in({ language: "en", zone: null, now: Timestamp.make(world.clock.now()) })
      )
    expect([shown(false), shown(true)]).toEqual([["Exact location"], []])
  })

  it("are not shown for a connection that has ended", async () => {
    const { path, person } = await exact({ standardDays: "7", sensitiveDays: "7" })
    await person.send("DELETE", `/v1/user/connections/${path.split("/").at(-1)}`)
    expect(badges((await person.get(path)).text)).toEqual([])
    expect(badges((await person.get("/portal/connections")).text)).toEqual([])
  })
})

describe("the facts of a connection that ends before its exact location, or before the days of grace", () => {
  const until = (text: string, before: RegExp): string | undefined =>
    new RegExp(`${before.source} <time datetime="([^"]*)"`).exec(text.replaceAll(/\s+/g, " "))?.[1]

  const seen = async (days: { readonly standardDays: string; readonly sensitiveDays: string }, later: number) => {
    const { app, connection, path, person } = await exact(days)
    world.clock.advance(later)
    const page = (await person.get(path)).text
    const history = (await person.get(`${path}/history`)).text
    const [, address = ""] = /href="([^"]+\/history\/[^"]+)"/.exec(history) ?? []
    return {
      end: new Date(Number(connection.grantExpiresAt)).toISOString(),
      page,
      history,
      receipt: (await person.get(address)).text,
      users: (await person.get(`/developer/apps/${app.id}/users`)).text
    }
  }

  it("name the end of the connection [connection-11, tiers-2]", async () => {
    const { end, history, page, receipt, users } = await seen({ standardDays: "7", sensitiveDays: "30" }, 0)
    expect(until(page, /<dt>Exact location<\/dt> <dd> Until/)).toBe(end)
    expect(until(history, /Exact location ends:/)).toBe(end)
    expect(until(users, /Sensitive until/)).toBe(end)
    const ends = (what: string) => new RegExp(`^${what} ends: (.*)$`, "m").exec(receipt)?.[1]
    expect(ends("Exact location")).toBe(ends("The connection"))
  })

  it("name it in the days of grace too: afterwards nobody can renew [connection-11, tiers-1]", async () => {
    const { end, page, users } = await seen({ standardDays: "7", sensitiveDays: "1" }, 2 * Timestamp.DAY)
    expect(until(page, /the app can ask you to renew it until/)).toBe(end)
    expect(until(users, /renewable until/)).toBe(end)
  })
})

describe("the logo of a connected app [connection-11, apps-9]", () => {
  const logo = AppLogo.LogoDigest.make("a".repeat(64))

  const pages = async (status: "production" | "sandbox") => {
    const person = await world.person()
    const { app } = await world.app(person, { logo, status })
    await world.connect(person, app, { scopes: ["location.place.current"] })
    const [connection] = await world.run(listConnections(person.account.id))
    const owner = { userId: person.account.id, appId: app.id, connectionId: connection?.id ?? ("" as never) }
    const endpoint = "GET /v1/answers/current-place"
    await world.run(recordAccess({ owner, endpoint, purpose: null, status: 200, error: null, disclosed: null }))
    const picture = `src="/app-logos/${app.id}/${logo}.png"`
    const paths = ["/portal/connections", `/portal/connections/${connection?.id}`, "/portal/access-log"]
    const found = paths.map(async (path) => (await person.get(path)).text.includes(picture))
    return Promise.all(found)
  }

  it("is beside its name in the list, on its page and in the access log, if everybody may see it", async () => {
    expect(await pages("production")).toEqual([true, true, true])
    expect(await pages("sandbox")).toEqual([false, false, false])
  })
})

describe("the page of a connection [purposes-5]", () => {
  it("says that the app asked more often than it had announced", async () => {
    const { app, connection, path, person } = await exact({ standardDays: "90", sensitiveDays: "30" })
    const call = recordAccess({
      owner: { userId: person.account.id, appId: app.id, connectionId: connection.id },
      endpoint: "GET /v1/locations/latest",
      purpose: "order_ahead",
      status: 200,
      error: null,
      disclosed: "your last known location"
    })
    const page = async () => (await person.get(path)).text.replaceAll(/\s+/g, " ")
    expect(await page()).not.toContain("asked unusually often")
    await world.run(Effect.replicateEffect(call, 3))
    await world.run(flagVolumes(Timestamp.make(world.clock.now() + 1)))
    expect(await page()).toContain(`${app.name} asked unusually often`)
    expect(await page()).toContain("3 times from")
    expect((await (await exact()).person.get(path)).status).toBe(404)
  })

  it("also when other apps have asked too often a hundred times since", async () => {
    const { app, connection, path, person } = await exact({ standardDays: "90", sensitiveDays: "30" })
    const { volumeFlags } = await world.run(MemoryDatabase)
    const flag = (connectionId: ConnectionId, age: number): VolumeFlag.VolumeFlag => ({
      userId: person.account.id,
      appId: app.id,
      connectionId,
      purposeId: PurposeId.make("pur_1"),
      purposeKey: Purpose.PurposeKey.make("order_ahead"),
      expectedDailyVolume: 1,
      calls: 3,
      from: Timestamp.make(world.clock.now() - age * 1_000 - Timestamp.DAY),
      to: Timestamp.make(world.clock.now() - age * 1_000)
    })
    volumeFlags.push(flag(connection.id, 200))
    for (let age = 0; age < 100; age++) volumeFlags.push(flag(ConnectionId.make("con_other"), age))
    expect((await person.get(path)).text).toContain("asked unusually often")
  })
})
