import { everything } from "@place-access/domain/leases"
import { PlaceId } from "@place-access/domain/shared"
import { importNext, MemoryDatabase, MemoryImportReader } from "@place-access/domain/testing"
import { Effect, Schema } from "effect"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const LINES = `${MemoryImportReader.FIRST_LINE}\n`
const OLD = Date.parse("2026-01-05T09:00:00Z")
const file = (count: number): string =>
  LINES + Array.from({ length: count }, (_, index) => `${MemoryImportReader.line(OLD + index, 52, 4)}\n`).join("")

const upload = (
  person: Person,
  content: string | Uint8Array,
  init: { readonly type?: string; readonly query?: string } = {}
) =>
  person.send("POST", `/v1/user/imports${init.query ?? ""}`, undefined, {
    body: content,
    headers: { "content-type": init.type ?? "application/gpx+xml" }
  })

const CHOOSE =
  "choose GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log, a Google Timeline or Takeout, or an archive of this service"

interface Made {
  readonly id: string
}

const work = () => world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer))
const kept = () =>
  world.run(
    Effect.map(MemoryDatabase, ({ importPieces, imports }) => ({ imports: imports.size, pieces: importPieces.size }))
  )

describe("imports", () => {
  it("POST answers 201 with an import that waits; then it can be watched, and in the end its readings are history [imports-3]", async () => {
    const person = await world.person()
    const answer = await upload(person, file(3), { query: "?file_name=my%20walk.gpx" })
    expect(answer.status).toBe(201)
    const counts = { read: 0, stored: 0, duplicates: 0, too_recent: 0, too_old: 0, over_limit: 0, quarantined: 0 }
    const waiting = {
      id: expect.stringMatching(/^imp_/),
      file_name: "my walk.gpx",
      format: null,
      state: "waiting",
      counts,
      left_out_places: [],
      months: [],
      columns: null,
      entries_per_second: null,
      seconds_left: null,
      started_at: null,
      bytes_total: file(3).length,
      bytes_done: 0,
      error: null,
      uploaded_at: new Date(world.clock.now()).toISOString(),
      finished_at: null
    }
    expect(answer.json).toEqual(waiting)
    const { id } = answer.json as Made
    expect((await person.get("/v1/user/imports")).json).toEqual({ imports: [waiting], nextCursor: null })
    await work()
    expect((await person.get(`/v1/user/imports/${id}`)).json).toEqual({
      ...waiting,
      format: "gpx",
      state: "done",
      counts: { ...counts, read: 3, stored: 3 },
      bytes_done: file(3).length,
      months: [{ month: "2026-01", read: 3, stored: 3, too_recent: 0, too_old: 0, quarantined: 0 }],
      entries_per_second: expect.any(Number),
      seconds_left: 0,
      started_at: new Date(world.clock.now()).toISOString(),
      finished_at: new Date(world.clock.now()).toISOString()
    })
    expect((await person.get("/v1/user/devices")).json).toMatchObject({ devices: [] })
  })

  it("a file that fails says why, in words, and holds no coordinate", async () => {
    const person = await world.person()
    const { json } = await upload(person, `${file(2)}!\n`)
    await work()
    const answer = await person.get(`/v1/user/imports/${(json as Made).id}`)
    expect(answer.json).toMatchObject({
      state: "failed",
      error: "The file is damaged and cannot be read to its end. What was read before that is stored.",
      counts: { read: 2, stored: 2 }
    })
  })

  it("DELETE: 204, its file is gone and what it stored stays; the second time 404", async () => {
    const person = await world.person()
    const before = await kept()
    const { id } = (await upload(person, file(1))).json as Made
    expect((await person.send("DELETE", `/v1/user/imports/${id}`)).status).toBe(204)
    expect(await kept()).toEqual(before)
    expect((await person.send("DELETE", `/v1/user/imports/${id}`)).status).toBe(404)
    expect((await person.get(`/v1/user/imports/${id}`)).status).toBe(404)
    expect(await work()).toBe(false)
  })

  it("undo: 202, then a worker deletes what it stored, and the import is gone [imports-13]", async () => {
    const person = await world.person()
    const { id } = (await upload(person, file(3))).json as Made
    await work()
    const fixes = () =>
      world.run(
        Effect.map(
          MemoryDatabase,
          (tables) => [...tables.fixes.values()].filter(({ userId }) => userId === person.account.id).length
        )
      )
    expect(await fixes()).toBe(3)
    const other = await world.person()
    expect((await other.send("POST", `/v1/user/imports/${id}/undo`)).status).toBe(404)
    const answer = await person.send("POST", `/v1/user/imports/${id}/undo`)
    expect([answer.status, (answer.json as { state: string }).state]).toEqual([202, "undoing"])
    while (await work());
    expect(await fixes()).toBe(0)
    expect((await person.get(`/v1/user/imports/${id}`)).status).toBe(404)
    expect((await person.send("POST", `/v1/user/imports/${id}/undo`)).status).toBe(404)
  })

  it("a table: the columns of the query are checked and kept; without them the names are guessed [imports-10]", async () => {
    const person = await world.person()
    const rows = "when,north,east\n2025-01-01T00:00:00Z,52,4\n"
    const named = "?time_column=when&lat_column=north&lon_column=east"
    const made = await upload(person, rows, { query: named })
    expect([made.status, (made.json as { columns: unknown }).columns]).toEqual([
      201,
      { time: "when", lat: "north", lon: "east" }
    ])
    const wrong = await upload(person, rows, { query: "?time_column=when&lat_column=north&lon_column=west" })
    expect([wrong.status, wrong.json]).toMatchObject([
      400,
      { message: "lon_column must be a name in the first line of the table" }
    ])
    const twice = await upload(person, rows, { query: "?time_column=when&lat_column=north&lon_column=north" })
    expect([twice.status, twice.json]).toMatchObject([
      400,
      { message: "lon_column must be a column that has no other meaning" }
    ])
    const half = await upload(person, rows, { query: "?time_column=when" })
    expect([half.status, half.json]).toMatchObject([
      400,
      { message: "lat_column is needed, because another column is named" }
    ])
    const guessed = await upload(person, "lat,lng,timestamp\n52,4,1\n")
    expect((guessed.json as { columns: unknown }).columns).toEqual({ time: "timestamp", lat: "lat", lon: "lng" })
    for (const { json } of [made, guessed]) await person.send("DELETE", `/v1/user/imports/${(json as Made).id}`)
  })

  it("an import with a column whose name is too long, from an earlier version, is listed [imports-10]", async () => {
    const person = await world.person()
    const { id } = (await upload(person, "lat,lng,timestamp\n52,4,1\n")).json as Made
    const columns = { time: "timestamp", lat: `lat${"_".repeat(300)}`, lon: "lng" }
    await world.run(
      Effect.map(MemoryDatabase, ({ imports }) => {
        for (const [key, kept] of imports) {
          if (key === id) imports.set(key, { ...kept, import: { ...kept.import, columns } })
        }
      })
    )
    const listed = await person.get("/v1/user/imports")
    expect([listed.status, listed.json]).toMatchObject([200, { imports: [{ id, columns }] }])
    await person.send("DELETE", `/v1/user/imports/${id}`)
  })

  it("another user's import does not exist", async () => {
    const { id } = (await upload(await world.person(), file(1))).json as Made
    const other = await world.person()
    expect((await other.get(`/v1/user/imports/${id}`)).status).toBe(404)
    expect((await other.send("DELETE", `/v1/user/imports/${id}`)).status).toBe(404)
    await work()
  })

  it.each([
    ["lat,lon\n1,2\n", `file is a text without columns for latitude, longitude and time: ${CHOOSE}`],
    ["%PDF-1.7 secret", `file is a PDF document: ${CHOOSE}`],
    ["", `file is of a kind that is not read here: ${CHOOSE}`]
  ])("%j: 400 in words, and nothing of it stays", async (content, message) => {
    const before = await kept()
    const answer = await upload(await world.person(), content)
    expect([answer.status, answer.json]).toEqual([400, { statusCode: 400, error: "validation_failed", message }])
    expect(await kept()).toEqual(before)
  })

  it("the wrong file in the middle of a long upload is answered, and the connection lives on", async () => {
    const person = await world.person()
    const answer = await upload(person, new Uint8Array(5_000_000).fill(0x78))
    expect(answer.status).toBe(400)
    expect((await person.get("/v1/user/imports")).status).toBe(200)
  })

  it("a form or a compressed body: 415 with what is read", async () => {
    const person = await world.person()
    const answer = await upload(person, "a=b", { type: "application/x-www-form-urlencoded" })
    expect(answer.status).toBe(415)
    expect(answer.text).toContain("application/gpx+xml or application/json")
  })

  it("fifty wait already: 409, until one is removed", async () => {
    const person = await world.person()
    const made: Array<Awaited<ReturnType<typeof upload>>> = []
    for (let count = 0; count < 50; count++) made.push(await upload(person, file(1)))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50)
    expect(await upload(person, file(1))).toMatchObject({ status: 409, json: { error: "conflict" } })
    await person.send("DELETE", `/v1/user/imports/${(made[0]!.json as Made).id}`)
    expect((await upload(person, file(1))).status).toBe(201)
    while (await work());
  })

  it("a file over 256 MiB: 413 before it is sent", async () => {
    const person = await world.person()
    const { hostname, port } = new URL(world.url)
    const headers = {
      cookie: person.cookie,
      origin: world.url,
      "content-type": "application/json",
      "content-length": 256 * 1_048_576 + 1
    }
    const sending = request({ hostname, port, path: "/v1/user/imports", method: "POST", headers })
    const status = await new Promise((resolve, reject) => {
      sending.on("response", (response) => resolve(response.statusCode)).on("error", reject)
      sending.write("[")
    })
    sending.destroy()
    expect(status).toBe(413)
  })

  it("without a session 401, from a foreign page 403", async () => {
    const person = await world.person()
    const anonymous = await world.call("/v1/user/imports", {
      method: "POST",
      body: file(1),
      headers: { "content-type": "application/gpx+xml" }
    })
    expect(anonymous.status).toBe(401)
    const foreign = await person.send("POST", "/v1/user/imports", undefined, {
      body: file(1),
      headers: { "content-type": "application/gpx+xml", origin: "https://evil.example" }
    })
    expect(foreign.status).toBe(403)
  })

  it("of an upload that breaks off nothing stays", async () => {
    const person = await world.person()
    const before = await kept()
    const { hostname, port } = new URL(world.url)
    const path = "/v1/user/imports"
    const headers = {
      cookie: person.cookie,
      origin: world.url,
      "content-type": "application/gpx+xml",
      "content-length": 500_000
    }
    const sending = request({ hostname, port, path, method: "POST", headers })
    sending.on("error", () => {})
    sending.write(LINES.padEnd(200_000, "x"))
    await expect.poll(kept, { timeout: 60_000 }).toEqual({ imports: before.imports + 1, pieces: before.pieces + 1 })
    sending.destroy()
    await expect.poll(kept, { timeout: 60_000 }).toEqual(before)
  })

  it("the list has pages of `limit` imports, newest first; a cursor is valid for its user only [imports-3]", async () => {
    const [person, other] = [await world.person(), await world.person()]
    for (const name of ["a", "b", "c"]) {
      await upload(person, file(1), { query: `?file_name=${name}` })
      await work()
      world.clock.advance(1)
    }
    const pageOf = (who: Person, query: string) => who.get(`/v1/user/imports?${query}`)
    const first = await pageOf(person, "limit=2")
    const { nextCursor } = Schema.decodeUnknownSync(Schema.Struct({ nextCursor: Schema.String }))(first.json)
    expect(first.json).toMatchObject({ imports: [{ file_name: "c" }, { file_name: "b" }] })
    const cursor = encodeURIComponent(nextCursor)
    const last = await pageOf(person, `limit=2&cursor=${cursor}`)
    expect(last.json).toMatchObject({ imports: [{ file_name: "a" }], nextCursor: null })
    expect((await pageOf(other, `limit=2&cursor=${cursor}`)).status).toBe(400)
    expect((await pageOf(person, "limit=501")).status).toBe(400)
  })
})

describe("what an app learns of an import", () => {
  it("visits to the places that are shared with the past, of reports and of stays; no rule fires [imports-1]", async () => {
    const person = await world.person()
    const { id: place } = (
      await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52, lon: 4, radius_m: 150 })
    ).json as Made
    const { app } = await world.app(person)
    const scopes = ["location.visits.read", "location.rules.place"]
    const tokens = await world.connect(person, app, {
      scopes,
      places: [PlaceId.make(place)],
      earlier: [PlaceId.make(place)]
    })
    const asApp = { headers: { authorization: `Bearer ${tokens.accessToken}` } }
    for (const type of ["enter", "exit"]) {
      const body = jsonBody({ type, place_id: place })
      const made = await world.call("/v1/rules/place", {
        method: "POST",
        ...body,
        headers: { ...body.headers, ...asApp.headers }
      })
      expect(made.status).toBe(201)
    }
    const minute = (count: number): number => OLD + count * 60_000
    const stay = [
      MemoryImportReader.line(minute(0), 53, 4),
      ...[10, 20, 30].map((count) => MemoryImportReader.line(minute(count), 52, 4)),
      MemoryImportReader.line(minute(40), 53, 4)
    ]
    await upload(person, `${LINES}${stay.join("\n")}\n`)
    await upload(person, `${LINES}visit ${minute(1_000)} ${minute(1_060)} 52 4\n`)
    while (await work());
    const at = (count: number) => new Date(minute(count)).toISOString()
    const { json } = await world.call(`/v1/visits?from=${at(-60)}&to=${at(2_000)}`, asApp)
    const home = { label: "Home" }
    expect(json).toMatchObject({
      visits: [
        { arrival: at(1_000), departure: at(1_060), place: home },
        { arrival: at(10), departure: at(40), place: home }
      ]
    })
    const { events } = await world.run(MemoryDatabase)
    expect([...events.values()].filter(({ userId }) => userId === person.account.id)).toEqual([])
  })

  it("undo: the visits that were found in the file go, and the access log keeps what the app learned [imports-13]", async () => {
    const person = await world.person()
    const { id: place } = (
      await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52, lon: 4, radius_m: 150 })
    ).json as Made
    const { app } = await world.app(person)
    const places = [PlaceId.make(place)]
    const tokens = await world.connect(person, app, { scopes: ["location.visits.read"], places, earlier: places })
    const visits = async () => {
      const { json } = await world.call("/v1/visits", { headers: { authorization: `Bearer ${tokens.accessToken}` } })
      return (json as { visits: ReadonlyArray<unknown> }).visits.length
    }
    const lines = [0, 10, 20].map((count) => MemoryImportReader.line(OLD + count * 60_000, 52, 4))
    await person.send("PUT", "/v1/user/history", { keep_days: null })
    const { id } = (await upload(person, `${LINES}${lines.join("\n")}\nvisit ${OLD - 9e7} ${OLD - 8e7} 52 4\n`))
      .json as Made
    while (await work());
    expect(await visits()).toBeGreaterThan(0)
    const logged = async () =>
      ((await person.get("/v1/user/access-log")).json as { entries: ReadonlyArray<unknown> }).entries.length
    const before = await logged()
    await person.send("POST", `/v1/user/imports/${id}/undo`)
    while (await work());
    expect(await visits()).toBe(0)
    expect(await logged()).toBeGreaterThanOrEqual(before)
  })

  it.each([
    ["its readings", [0, 10, 20].map((count) => MemoryImportReader.line(OLD + count * 60_000, 52, 4))],
    ["a visit without an end", [`visit ${OLD} - 52 4`, MemoryImportReader.line(OLD + 20 * 60_000, 52, 4)]]
  ])(
    "a file that ends at a place, by %s: the visit ended with the file, however long is kept [imports-1]",
    async (_, lines) => {
      const person = await world.person()
      const { id } = (
        await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52, lon: 4, radius_m: 150 })
      ).json as Made
      const { app } = await world.app(person)
      const places = [PlaceId.make(id)]
      const tokens = await world.connect(person, app, { scopes: ["location.visits.read"], places, earlier: places })
      await upload(person, `${LINES}${lines.join("\n")}\n`)
      while (await work());
      const visits = [
        { arrival: new Date(OLD).toISOString(), departure: new Date(OLD + 20 * 60_000).toISOString(), place: { id } }
      ]
      for (const keep_days of [90, 365, null]) {
        await person.send("PUT", "/v1/user/history", { keep_days })
        const answer = await world.call("/v1/visits", { headers: { authorization: `Bearer ${tokens.accessToken}` } })
        expect(answer.json).toMatchObject({ visits })
      }
    }
  )
})
