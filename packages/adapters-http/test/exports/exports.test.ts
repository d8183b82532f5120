import { AccessLogStore } from "@place-access/domain/access-log"
import { AuditLog } from "@place-access/domain/audit"
import { Export, exportNext } from "@place-access/domain/exports"
import { everything } from "@place-access/domain/leases"
import { AccessLogEntryId, AppId, ConnectionId, Timestamp } from "@place-access/domain/shared"
import { MemoryArchiveMaker, MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mailTo } from "../support/mailbox.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const QUARTER = 15 * Timestamp.MINUTE
const confirm = (person: Person) => person.send("POST", "/v1/session/confirmation", { password: PASSWORD })
/** Makes every archive that people have requested. */
const make = () =>
  world.run(
    Effect.provide(
      Effect.repeat(exportNext(everything.people), { while: (isMade) => isMade }),
      MemoryArchiveMaker.layer
    )
  )
const ask = async (person: Person) => (await person.send("POST", "/v1/user/exports")).json as { readonly id: string }
const iso = (millis: number) => new Date(millis).toISOString()

const download = async (person: Person, path: string) => {
  const answer = await fetch(world.url + path, { headers: { cookie: person.cookie }, redirect: "manual" })
  return { answer, bytes: new Uint8Array(await answer.arrayBuffer()) }
}

const tokenOf = async (person: Person): Promise<string> =>
  /name="form_token" value="([^"]+)"/.exec((await person.get("/portal/settings/export")).text)?.[1] ?? ""

const submit = (person: Person, path: string, token: string) =>
  person.send("POST", path, undefined, {
    body: new URLSearchParams({ form_token: token }),
    headers: { "content-type": "application/x-www-form-urlencoded", referer: `${world.url}/portal/settings/export` },
    redirect: "manual"
  })

describe("the API", () => {
  it("an archive is asked for, made, announced by mail and fetched, byte for byte, until the end of its week [exports-1, exports-3]", async () => {
    const person = await world.person()
    await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52.37, lon: 4.89, radius_m: 150 })
    const begin = world.clock.now()
    const requested = await person.send("POST", "/v1/user/exports")
    const waiting = {
      id: expect.stringMatching(/^exp_/),
      state: "requested",
      percent: 0,
      bytes: 0,
      requested_at: iso(begin),
      ready_at: null,
      expires_at: null,
      ended_at: null,
      error: null
    }
    expect([requested.status, requested.json]).toEqual([201, waiting])
    const { id } = requested.json as { readonly id: string }
    const path = `/v1/user/exports/${id}`
    expect((await person.send("POST", "/v1/user/exports")).json).toMatchObject({
      statusCode: 409,
      message: "An archive is being made already: wait until it is ready"
    })
    expect((await person.get(`${path}/archive`)).json).toMatchObject({ statusCode: 409, error: "conflict" })
    expect(await mailTo(world, person.account.email)).toEqual([])
    await make()

    const { bytes: length } = (await person.get(path)).json as { readonly bytes: number }
    expect((await person.get("/v1/user/exports")).json).toEqual({
      exports: [
        {
          ...waiting,
          id,
          state: "ready",
          percent: 100,
          bytes: length,
          ready_at: iso(begin),
          expires_at: iso(begin + Export.KEPT_FOR)
        }
      ],
      nextCursor: null
    })
    const [mail] = await mailTo(world, person.account.email)
    expect(mail?.subject).toBe("Your archive is ready")
    expect(mail?.text).toContain("/settings/export")
    expect(mail?.text).not.toContain(id)

    const kindsAudited = async () => {
      const { items } = await world.run(
        Effect.flatMap(AuditLog, (log) => log.list({ userId: person.account.id }, 10, undefined))
      )
      return items.map(({ detail }) => detail.kind).filter((kind) => kind.startsWith("export"))
    }
    // HEAD sends no byte of the archive, so it does not count as a download.
    const head = await world.call(`${path}/archive`, { method: "HEAD", headers: { cookie: person.cookie } })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(length)])
    expect(await kindsAudited()).toEqual(["export_made"])

    const { answer, bytes } = await download(person, `${path}/archive`)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/zip",
      "content-length": String(length),
      "cache-control": "no-store, no-transform",
      "content-disposition": `attachment; filename="place-access-${iso(begin).slice(0, 10)}.zip"`,
      "x-content-type-options": "nosniff"
    })
    const files = MemoryArchiveMaker.read(bytes)
    expect(bytes.length).toBe(length)
    expect(files.map(({ name }) => name)).toContain("manifest.json")
    expect(files.find(({ name }) => name === "places.json")?.text).toContain('"label":"Home"')

    expect((await kindsAudited()).sort()).toEqual(["export_fetched", "export_made"])

    world.clock.advance(Export.KEPT_FOR - 1)
    await confirm(person)
    expect((await person.get(`${path}/archive`)).status).toBe(200)
    world.clock.advance(1)
    expect((await person.get(`${path}/archive`)).status).toBe(404)
    expect((await person.get(path)).json).toMatchObject({ state: "expired" })
  })

  it("asking and fetching need a fresh sign-in; looking and deleting do not [exports-3]", async () => {
    const person = await world.person()
    const { id } = await ask(person)
    await make()
    world.clock.advance(QUARTER)
    const required = { statusCode: 403, error: "confirmation_required" }
    expect((await person.get(`/v1/user/exports/${id}/archive`)).json).toMatchObject(required)
    expect((await person.get(`/v1/user/exports/${id}`)).status).toBe(200)
    expect((await person.send("DELETE", `/v1/user/exports/${id}`)).status).toBe(204)
    expect((await person.send("DELETE", `/v1/user/exports/${id}`)).status).toBe(404)
    expect((await person.send("POST", "/v1/user/exports")).json).toMatchObject(required)
    await confirm(person)
    expect((await person.send("POST", "/v1/user/exports")).status).toBe(201)
  })

  it("another person's archive is not there: not its state, its bytes or its deletion; a stranger with the link gets nothing", async () => {
    const [person, other] = [await world.person(), await world.person()]
    const { id } = await ask(person)
    await make()
    for (const path of [`/v1/user/exports/${id}`, `/v1/user/exports/${id}/archive`]) {
      expect((await other.get(path)).status).toBe(404)
      expect((await world.call(path)).status).toBe(401)
    }
    expect((await other.send("DELETE", `/v1/user/exports/${id}`)).status).toBe(404)
    const page = `/portal/settings/export/${id}/archive`
    expect((await other.get(page, { headers: { accept: "text/html" } })).status).toBe(404)
    const signIn = await world.call(page, { headers: { accept: "text/html" }, redirect: "manual" })
    expect([signIn.status, signIn.headers.get("location")]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(page)}`
    ])
    expect((await person.get(`/v1/user/exports/${id}/archive`)).status).toBe(200)
  })

  it("nothing of an archive is readable in the database, and a piece that was moved or cut off is no half file [exports-4]", async () => {
    const person = await world.person()
    const { id } = await ask(person)
    await make()
    const pieces = await world.run(Effect.map(MemoryDatabase, ({ exportPieces }) => exportPieces))
    const key = `${id} 0`
    const sealed = pieces.get(key)!
    expect(Buffer.from(sealed).includes(person.account.email)).toBe(false)
    pieces.set(key, sealed.subarray(1))
    expect((await person.get(`/v1/user/exports/${id}/archive`)).status).toBe(500)
    pieces.delete(key)
    expect((await person.get(`/v1/user/exports/${id}/archive`)).status).toBe(404)
  })

  it("an archive that is deleted while it is fetched breaks the connection off", async () => {
    const person = await world.person()
    await logged(person, 1_200)
    const { id } = await ask(person)
    await make()
    const one = (await person.get(`/v1/user/exports/${id}`)).json as { readonly bytes: number }
    expect(one.bytes).toBeGreaterThan(Export.PIECE_BYTES)
    const pieces = await world.run(Effect.map(MemoryDatabase, ({ exportPieces }) => exportPieces))
    pieces.delete(`${id} 1`)
    await expect(download(person, `/v1/user/exports/${id}/archive`)).rejects.toThrow("terminated")
  })

  it("the account's deletion takes the archive with it at once [exports-4]", async () => {
    const person = await world.person()
    const { id } = await ask(person)
    await make()
    await person.send("DELETE", "/v1/user/account", { password: PASSWORD })
    const left = await world.run(
      Effect.map(MemoryDatabase, ({ exportPieces, exports }) => [
        [...exports.values()].filter((one) => one.export.userId === person.account.id).length,
        [...exportPieces.keys()].filter((key) => key.startsWith(id)).length
      ])
    )
    expect(left).toEqual([0, 0])
  })
})

/** Entries of the access log that fill more than one piece of an archive. */
const logged = (person: Person, count: number) =>
  world.run(
    Effect.flatMap(AccessLogStore, (store) =>
      Effect.forEach(Array.from({ length: count }).keys(), (index) =>
        store.record({
          userId: person.account.id,
          id: AccessLogEntryId.make(`log_${index}`),
          at: Timestamp.make(world.clock.now() - index),
          appId: AppId.make("app_1"),
          connectionId: ConnectionId.make("con_1"),
          endpoint: "GET /v1/me",
          purpose: null,
          status: 200,
          times: 1,
          error: null,
          disclosed: "x".repeat(200)
        })
      )
    )
  )

describe("the page", () => {
  it("after the confirmation that *Create an archive* needed, it says that nothing was asked for [accounts-17]", async () => {
    const person = await world.person()
    world.clock.advance(QUARTER)
    const requested = await submit(person, "/portal/settings/export", await tokenOf(person))
    const back = "/portal/settings/export?done=choose-again"
    expect([requested.status, requested.headers.get("location")]).toEqual([
      303,
      `/confirm?return_to=${encodeURIComponent(back)}`
    ])
    await confirm(person)
    await person.get(`/confirm?return_to=${encodeURIComponent(back)}`, { redirect: "manual" })
    expect((await person.get(back)).text).toContain("Nothing has changed yet.")
    expect((await person.get("/v1/user/exports")).json).toMatchObject({ exports: [] })
  })

  it("each form has the token; a stale session confirms first and comes back to the page; a refusal is said in words", async () => {
    const person = await world.person()
    for (const token of ["", "k1.x", await tokenOf(await world.person())]) {
      const refused = await submit(person, "/portal/settings/export", token)
      const back = "/portal/settings/export?done=choose-again"
      expect([refused.status, refused.headers.get("location")]).toEqual([303, back])
    }
    expect((await person.get("/v1/user/exports")).json).toMatchObject({ exports: [] })
    const requested = await submit(person, "/portal/settings/export", await tokenOf(person))
    expect([requested.status, requested.headers.get("location")]).toEqual([
      303,
      "/portal/settings/export?done=export-requested"
    ])
    const watched = await person.get("/portal/settings/export?done=export-requested")
    expect(watched.headers.get("refresh")).toBe("5;url=/portal/settings/export")
    const still = await person.get("/portal/settings/export?reload=no")
    expect([still.headers.get("refresh"), still.text.includes("Reload by itself")]).toEqual([null, true])
    expect(watched.text).not.toContain("<script")
    const repeated = await submit(person, "/portal/settings/export", await tokenOf(person))
    expect([
      repeated.status,
      repeated.text.includes("An archive is being made already: wait until it is ready.")
    ]).toEqual([409, true])
    await make()
    world.clock.advance(QUARTER)
    const href = /href="([^"]+\/archive)"/.exec((await person.get("/portal/settings/export")).text)?.[1] ?? ""
    const stale = await person.get(href, { headers: { accept: "text/html" }, redirect: "manual" })
    const back = "/portal/settings/export?done=export-confirmed"
    expect([stale.status, stale.headers.get("location")]).toEqual([
      303,
      `/confirm?return_to=${encodeURIComponent(back)}`
    ])
    await confirm(person)
    await person.get(`/confirm?return_to=${encodeURIComponent(back)}`, { redirect: "manual" })
    expect((await person.get(back)).text).toContain("Confirmed. You can download the archive now.")
    expect((await download(person, href)).answer.headers.get("content-type")).toBe("application/zip")
    const removal = await submit(person, href.replace("/archive", "/delete"), await tokenOf(person))
    expect(removal.headers.get("location")).toBe("/portal/settings/export?done=export-deleted")
    expect((await download(person, href)).answer.status).toBe(404)
  })
})
