import { HttpServerRequest } from "@effect/platform"
import { isLocal } from "@place-access/adapters-http/pages/dev/mailbox"
import { disconnect } from "@place-access/domain/connection"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

const connectAndLeave = async (world: World) => {
  const [developer, user] = [await world.person(), await world.person()]
  const { app } = await world.app(developer, { status: "production" })
  await world.connect(user, app, { scopes: ["location.place.current"] })
  const page = await user.get("/v1/user/connections")
  const [{ id }] = (page.json as { connections: [{ id: Parameters<typeof disconnect>[1] }] }).connections
  // The mailbox sorts mails by their time, so the second mail needs a later time.
  world.clock.advance(60_000)
  await world.run(disconnect(user.account.id, id))
  return { id, user }
}

describe("/dev/mailbox, for a machine without a mail server", () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ hasMailbox: true })
  })
  afterAll(() => world.close())

  it("says so when there is nothing", async () => {
    const { status, text } = await world.call("/dev/mailbox")
    expect([status, text.includes("Nothing yet")]).toEqual([200, true])
  })

  it("is in English, and says so, in a browser of another language", async () => {
    const { text } = await world.call("/dev/mailbox", { headers: { "accept-language": "de" } })
    expect(text).toContain('<html lang="en">')
    expect(text).toContain("Skip to the content")
  })

  it("shows what would have been sent, the newest first, with links that lead into the pages", async () => {
    const { id, user } = await connectAndLeave(world)
    const { headers, text } = await world.call("/dev/mailbox")
    expect(text).toContain(`To ${user.account.email}`)
    expect(text).toContain("real mail is in its reader's language and time zone.")
    const letters = Array.from(text.matchAll(/You (?:dis)?connected/g), ([words]) => words)
    expect(letters.filter((words, index) => words !== letters[index - 1])).toEqual([
      "You disconnected",
      "You connected"
    ])
    expect(text).toContain(`<a href="${world.url}/portal/connections/${id}">`)
    expect(headers.get("cache-control")).toBe("no-store")
  })

  it("is shown only under this machine's name: a foreign page cannot read it", async () => {
    expect(await statusUnderHost(world.url, "evil.example")).toBe(404)
    expect(await statusUnderHost(world.url, `127.0.0.1:${new URL(world.url).port}`)).toBe(200)
  })

  it("is not shown through a proxy of this machine", async () => {
    for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "via"]) {
      expect((await world.call("/dev/mailbox", { headers: { [name]: "for=203.0.113.9" } })).status).toBe(404)
    }
  })

  it.each([
    ["127.0.0.1", true],
    ["127.4.5.6", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["192.168.1.5", false],
    ["203.0.113.9", false],
    ["::ffff:192.168.1.5", false],
    ["fe80::1", false],
    ["", false]
  ])("a peer at %s that says Host: localhost is local: %s", (peer, local) => {
    const request = HttpServerRequest.fromWeb(
      new Request("http://localhost/dev/mailbox", { headers: { host: "localhost" } })
    )
    expect(isLocal(request.modify({ remoteAddress: peer }))).toBe(local)
  })
})

it("without the switch there is no such page", async () => {
  const world = await startWorld()
  expect((await world.call("/dev/mailbox")).status).toBe(404)
  await world.close()
})

const statusUnderHost = (url: string, host: string) =>
  new Promise<number>((resolve, reject) => {
    request(`${url}/dev/mailbox`, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on("error", reject)
      .end()
  })
