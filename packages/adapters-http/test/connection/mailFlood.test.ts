import { exchangeCode } from "@place-access/domain/tokens"
import { listConnections } from "@place-access/domain/connection"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const VERIFIER = "v".repeat(43)
const SCOPE = "location.place.current"
const FOLDED = "We stop writing about your apps for an hour"

/**
 * An attacker who signed up with a stranger's address. The attacker renames their app before each consent. The subject
 * of each e-mail has the app's name, so the stranger gets texts that the attacker wrote.
 */
const attack = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const browser = await signedIn(world, person.account.email)
  const challenge = createHash("sha256").update(VERIFIER).digest("base64url")
  let renamed = 0
  return {
    person,
    app,
    /** Approves the app, and returns the code that the app gets. */
    consent: async () => {
      const name = `You won ${++renamed} million`
      expect((await person.send("PATCH", `/v1/developer/apps/${app.id}`, { name })).status).toBe(200)
      const page = await browser.get(authorizePath(app, { scope: SCOPE, code_challenge: challenge }))
      const action = /action="(\/authorize\/[^"]+)"/.exec(page.text)?.[1] ?? ""
      const sent = await browser.submit(page, action, { decision: "allow", scope: [SCOPE] })
      return new URL(sent.headers.get("location") ?? "").searchParams.get("code") ?? ""
    },
    /**
     * Exchanges a code, and uses the code a second time after a minute. The service treats this use as a leak, because
     * an app that sends a code twice by accident does so within seconds.
     */
    leak: async (code: string) => {
      const given = { code, codeVerifier: VERIFIER, redirectUri: app.redirectUris[0] ?? "" }
      await world.run(exchangeCode(app, given))
      world.clock.advance(Timestamp.MINUTE)
      await world.run(Effect.flip(exchangeCode(app, given)))
    },
    disconnect: async () => {
      const [live] = (await world.run(listConnections(person.account.id))).filter((one) => one.live)
      expect((await person.send("DELETE", `/v1/user/connections/${live?.id ?? ""}`)).status).toBe(204)
    },
    mails: () =>
      world.run(
        Effect.map(MemoryDatabase, ({ mail }) => [...mail.values()].filter(({ to }) => to === person.account.id))
      )
  }
}

describe("mail with an app's name in the subject: at most five an hour and person [mail-2]", () => {
  it("attack: 40 consents and disconnections under names of the developer's choosing send five such mails and one that names no app [mail-2]", async () => {
    const { consent, disconnect, mails } = await attack()
    for (let round = 0; round < 20; round++) {
      await consent()
      await disconnect()
      world.clock.advance(Timestamp.MINUTE)
    }
    const subjects = (await mails()).map(({ subject }) => subject)
    expect(subjects.filter((one) => one.includes("You won"))).toHaveLength(5)
    expect(subjects.filter((one) => !one.includes("You won"))).toEqual([FOLDED])
  })

  it("what was not mailed is found under Connected apps, where the folded mail leads; after an hour mail comes again", async () => {
    const { app, consent, disconnect, mails, person } = await attack()
    for (let round = 0; round < 3; round++) {
      await consent()
      await disconnect()
    }
    await consent()
    const folded = (await mails()).find(({ subject }) => subject === FOLDED)
    expect(folded?.link).toEqual({ site: "portal", path: "/connections", label: "Connected apps" })
    expect(JSON.stringify(folded)).not.toContain("You won")
    const portal = await (await signedIn(world, person.account.email)).get("/portal/connections")
    expect(portal.text).toContain(`You won 4 million`)
    expect(portal.text).toContain(`/portal/access-log?app=${app.id}`)
    expect(await mails()).toHaveLength(6)

    world.clock.advance(Timestamp.HOUR)
    await disconnect()
    expect((await mails()).at(-1)?.subject).toBe("You disconnected You won 4 million")
  })

  it("attack: codes exchanged and presented again, under names of the developer's choosing, send one leak mail beyond the five; it names no app [M9]", async () => {
    const { consent, leak, mails, person } = await attack()
    for (let round = 0; round < 12; round++) {
      await leak(await consent())
      world.clock.advance(Timestamp.MINUTE)
    }
    const all = await mails()
    expect(all.filter((one) => JSON.stringify(one).includes("You won"))).toHaveLength(5)
    const nameless = all.filter((one) => !JSON.stringify(one).includes("You won"))
    expect(nameless.map(({ subject }) => subject)).toEqual(["An app was disconnected from your places", FOLDED])
    const mail = nameless[0]
    expect(mail?.dedupeKey).toMatch(/^code_reused /)
    expect(mail?.furtherLinks).toEqual([{ site: "portal", path: "/connections", label: "Connected apps" }])

    // The link of the e-mail leads to the page of its app. The page of all apps also shows the apps about which no
    // e-mail was sent.
    const browser = await signedIn(world, person.account.email)
    const one = await browser.get(`/portal${mail?.link?.path ?? ""}`)
    expect(one.text).toContain("a code of the app was used twice, so it may have been stolen")
    expect(one.text).toContain("You won")
    const list = await browser.get("/portal/connections")
    expect(list.text.match(/Ended for your safety/g)).toHaveLength(12)
  })

  it("a leak is mailed in a flood, too, and in the next hour under the app's name again", async () => {
    const { consent, leak, mails } = await attack()
    for (let round = 0; round < 7; round++) await consent()
    await leak(await consent())
    expect((await mails()).at(-1)?.subject).toBe("An app was disconnected from your places")
    expect(JSON.stringify((await mails()).at(-1))).not.toContain("You won")

    world.clock.advance(Timestamp.HOUR)
    await leak(await consent())
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      ...Array<unknown>(5).fill(expect.stringContaining("You won")),
      FOLDED,
      "An app was disconnected from your places",
      "You connected You won 9 million",
      "You won 9 million was disconnected from your places"
    ])
  })
})
