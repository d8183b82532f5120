import { listConnections } from "@place-access/domain/connection"
import { pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, consentAction } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("the consent page of an app that the person has paused [connection-4]", () => {
  it.each([
    ["renew_sensitive", `${CURRENT} ${LATEST}`],
    ["change", CURRENT]
  ])("%s: the page says until when the app is paused, and that the pause stays", async (mode, scope) => {
    const person = await world.person()
    const { app } = await world.app(person)
    await world.run(Fixtures.purpose(app.id, "find_coffee"))
    await world.connect(person, app, { scopes: [CURRENT, LATEST] })
    const [connection] = await world.run(listConnections(person.account.id))
    if (connection === undefined) throw new Error("no connection")
    const open = async () => (await person.get(authorizePath(app, { scope }))).text
    const stays = "If you allow something here, the pause stays"
    const before = await open()
    expect([before.includes(`value="${mode}"`), before.includes(stays)]).toEqual([true, false])

    await world.run(pauseConnection(person.account.id, connection.id, "until_resumed"))
    const paused = await open()
    expect(paused).toContain("Paused until you resume it.")
    expect(paused).toContain(stays)
    const review = await person.get(`/v1/user/consent-requests/${consentAction(paused).split("/").at(-1)}`)
    expect(review.json).toMatchObject({ previous: { pause: { until: null } } })

    await world.run(pauseConnection(person.account.id, connection.id, "hour"))
    expect(await open()).toMatch(/Paused until <time[^>]*>[^<]+<\/time>\./)

    await world.run(resumeConnection(person.account.id, connection.id))
    expect(await open()).not.toContain(stays)
  })
})
