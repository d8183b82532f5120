import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** A developer with an app and an endpoint, who reads German. */
const there = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const draft = { url: "https://hooks.example.com/places", events: [], description: null }
  const { id } = (await person.send("POST", `/v1/developer/apps/${app.id}/webhooks`, draft)).json as {
    readonly id: string
  }
  const browser = await signedIn(world, person.account.email)
  return {
    path: `/developer/apps/${app.id}`,
    endpoint: id,
    read: (path: string) => browser.get(path, { "accept-language": "de" })
  }
}

describe("the developer's pages in German [languages-1]", () => {
  it("every page of an app", async () => {
    const { endpoint, path, read } = await there()
    for (const [page, text] of [
      ["/developer", "<h1>Ihre Apps</h1>"],
      ["/developer/apps/new", "<h1>App anlegen</h1>"],
      [path, '<h2 id="standing">In der Sandbox</h2>'],
      [path, '<h2 id="purposes">Zwecke</h2>'],
      [`${path}/logo`, "Eine PNG-Datei: quadratisch"],
      [`${path}/users`, "Noch niemand hat die App verbunden."],
      [`${path}/webhooks`, "Keine hintereinander"],
      [`${path}/webhooks/${endpoint}`, '<h2 id="change">Endpunkt ändern</h2>'],
      [`${path}/deliveries`, "An einen Endpunkt wurde noch nichts gesendet."],
      [`${path}/team`, '<h2 id="invite">Jemanden einladen</h2>']
    ] as const) {
      const answer = await read(page)
      expect([page, answer.status]).toEqual([page, 200])
      expect(answer.text).toContain('<html lang="de">')
      expect(answer.text).toContain(text)
    }
  })

  it("a problem goes on after its label, as it does in English", async () => {
    const { path, read } = await there()
    const answer = await read(`${path}/deliveries?state=lost`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain("Ergebnis muss aus der Liste sein")
  })
})
