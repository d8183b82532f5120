import { AuditLog } from "@place-access/domain/audit"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const URL = "https://hooks.example.com/places"

/** A developer with an app that has an endpoint. */
const stage = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const api = `/v1/developer/apps/${app.id}`
  const made = await person.send("POST", `${api}/webhooks`, { url: URL, events: [], description: "production" })
  const { id } = made.json as { readonly id: string }
  return { person, api, page: `/developer/apps/${app.id}`, hook: `${api}/webhooks/${id}` }
}

/**
 * The audit events of the person's account whose kind begins with `kinds`: events about webhook endpoints, or about
 * secrets. The oldest event comes first.
 */
const eventsAbout = (kinds: "endpoint_" | "secret_", { account }: Person) =>
  world.run(
    Effect.map(
      Effect.flatMap(AuditLog, (log) => log.list({ userId: account.id }, 100, undefined)),
      ({ items }) =>
        items
          .map(({ detail }) => detail)
          .filter(({ kind }) => kind.startsWith(kinds))
          .toReversed()
    )
  )

const endpointEvents = (person: Person) => eventsAbout("endpoint_", person)

describe("a session of a developer that is older than 15 minutes [accounts-18, endpoints-12]", () => {
  it("adds and moves endpoints, registers redirect URIs and makes secrets without a confirmation", async () => {
    const { api, hook, person } = await stage()
    world.clock.advance(15 * Timestamp.MINUTE)
    const registration = `/v1/oauth/clients/${api.split("/").at(-1)}`
    const answers = [
      await person.send("POST", `${api}/webhooks`, { url: `${URL}/2` }),
      await person.send("PATCH", hook, { url: `${URL}/3` }),
      await person.send("POST", `${hook}/rotate-secret`),
      await person.send("POST", `${hook}/replace-secret`),
      await person.send("POST", registration, { redirectUris: ["https://coffee.example/callback"] }),
      await person.send("POST", `${api}/replace-secret`)
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 201, 200])
  })
})

describe("the audit log says who led an app's events to an address [audit-1, endpoints-12]", () => {
  it("a new endpoint and a changed address have an event each; other changes and refused ones have none", async () => {
    const { api, hook, person } = await stage()
    const [appId, endpointId] = [api.split("/").at(-1), hook.split("/").at(-1)]
    const added = { kind: "endpoint_added", appId, endpointId }
    expect(await endpointEvents(person)).toEqual([added])
    await person.send("PATCH", hook, { url: URL, description: "the same address" })
    expect((await person.send("PATCH", hook, { url: "https://private.example.com/" })).status).toBe(400)
    expect((await person.send("POST", `${api}/webhooks`, { url: "https://private.example.com/" })).status).toBe(400)
    expect(await endpointEvents(person)).toEqual([added])
    expect((await person.send("PATCH", hook, { url: `${URL}/moved` })).status).toBe(200)
    expect(await endpointEvents(person)).toEqual([added, { kind: "endpoint_moved", appId, endpointId }])
  })

  it("admins read the events on the page, in both languages", async () => {
    const { hook, page, person } = await stage()
    await person.send("PATCH", hook, { url: `${URL}/moved` })
    const admin = await world.person({ roles: ["admin"] })
    const read = (language: string) =>
      admin.get(`/admin/audit-log?account=${person.account.id}`, {
        headers: { accept: "text/html", "accept-language": language }
      })
    const app = page.split("/").at(-1)
    const [english, german] = [(await read("en")).text, (await read("de")).text]
    for (const said of [
      `Added a webhook endpoint to the app`,
      `Changed the address of a webhook endpoint of the app`
    ]) {
      expect(english).toMatch(new RegExp(`${said} <a href="/admin/apps/${app}"`))
    }
    for (const said of ["einen Webhook-Endpunkt hinzugefügt", "die Adresse eines Webhook-Endpunkts der App"]) {
      expect(german).toContain(said)
    }
  })
})

describe("the audit log says when a signing secret ended [apps-10, audit-1]", () => {
  it("the end of earlier secrets has one event; none when no earlier secret signs any more", async () => {
    const { hook, person } = await stage()
    const kinds = async () => (await eventsAbout("secret_", person)).map(({ kind }) => kind)
    const end = async () => expect((await person.send("DELETE", `${hook}/previous-secrets`)).status).toBe(204)
    await end()
    expect(await kinds()).toEqual([])
    await person.send("POST", `${hook}/rotate-secret`)
    world.clock.advance(24 * Timestamp.HOUR - 1)
    await end()
    await end()
    expect(await kinds()).toEqual(["secret_rotated", "secret_ended"])
    await person.send("POST", `${hook}/rotate-secret`)
    world.clock.advance(24 * Timestamp.HOUR)
    await end()
    expect(await kinds()).toEqual(["secret_rotated", "secret_ended", "secret_rotated"])
  })
})
