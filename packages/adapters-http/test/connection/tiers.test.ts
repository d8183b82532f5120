import { reviewConsent, startConsent } from "@place-access/domain/consent"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { deadLinks, signedIn } from "../support/browsing.js"
import { connected, type Connected, CURRENT, LATEST, LOOKUP, RULES, saying, tokensIn } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"
import type { Answer } from "../support/wire.js"

const { DAY } = Timestamp
const INVALID_TOKEN = [401, "invalid_token"]
const INVALID_GRANT = [400, "invalid_grant"]

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const iso = (at: number) => Timestamp.toIso(Timestamp.make(at))
const ids = ({ json }: Answer) => (json as { readonly rules: ReadonlyArray<{ id: string }> }).rules.map(({ id }) => id)

/** Checks that a connection has ended for `reason`: its tokens are refused, and its scopes and rules are gone. */
const isOver = async (
  one: Connected,
  access: ReadonlyArray<string>,
  refresh: ReadonlyArray<string>,
  reason: string
) => {
  for (const token of access) {
    const answers = [await one.me(token), await one.rules(token), await one.createRule(token)]
    expect(answers.map(saying)).toEqual([INVALID_TOKEN, INVALID_TOKEN, INVALID_TOKEN])
  }
  for (const token of refresh) expect(saying(await one.refresh(token))).toEqual(INVALID_GRANT)
  const { endReason, id, live, scopes } = await one.connection()
  expect([live, endReason, scopes]).toEqual([false, reason, []])
  const { json } = await one.person.get(`/v1/user/connections/${id}/rules`)
  expect(json).toMatchObject({ rules: [] })
}

describe("the rows of Spec §3.1, as an app and its user meet them", () => {
  it("live | consent completed, first consent (mode new) → live; tokens issued [§3.1-consent]", async () => {
    const one = await connected(world)
    const issued = tokensIn(await one.exchange(await one.approve([RULES])))
    expect((await one.me(issued.access_token)).json).toMatchObject({ sub: issued.sub, scopes: [RULES] })
    expect((await one.refresh(issued.refresh_token)).status).toBe(200)
    expect((await one.connection()).live).toBe(true)
  })

  it("live (standard tier) | grant_expires_at reached → ended; all calls answer 401 [§3.1-standard-end]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES], { standardDays: "1" })
    await one.createRule(first.access_token)
    const end = world.clock.now() + DAY
    expect(first.refresh_token_expires_at).toBe(iso(end))
    world.clock.set(end - 1)
    const last = tokensIn(await one.refresh(first.refresh_token))
    expect((await one.me(last.access_token)).status).toBe(200)
    world.clock.set(end)
    await isOver(one, [last.access_token], [last.refresh_token], "expired")
  })

  it("live (sensitive active) | sensitive_expires_at passes → lapsed: scopes drop the sensitive ones, held_scopes keep them [§3.1-lapse]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES, LATEST], { sensitiveDays: "1" })
    const end = world.clock.now() + DAY
    world.clock.set(end - 1)
    const { access_token } = tokensIn(await one.refresh(first.refresh_token))
    expect((await one.me(access_token)).json).toMatchObject({
      scopes: [RULES, LATEST],
      sensitive_expires_at: iso(end),
      sensitive_lapsed_at: null
    })
    world.clock.set(end)
    expect((await one.me(access_token)).json).toMatchObject({
      scopes: [RULES],
      held_scopes: [RULES, LATEST],
      sensitive_expires_at: iso(end),
      sensitive_lapsed_at: iso(end),
      renewal_grace_ends_at: iso(end + 14 * DAY)
    })
    // Only the sensitive scopes must have stopped working: the app can still use a standard scope.
    expect((await one.createRule(access_token)).status).toBe(201)
  })

  it("sensitive lapsed | renewal consent within 14 days → live: same connection, rules, places and standard expiry; old tokens revoked, new ones issued [§3.1-renewal]", async () => {
    const one = await connected(world)
    const old = await one.connect([RULES, LATEST], { sensitiveDays: "1", standardDays: "90" })
    const rule = await one.createRule(old.access_token)
    const before = (await one.me(old.access_token)).json
    world.clock.advance(15 * DAY - 1)
    const lapsed = tokensIn(await one.refresh(old.refresh_token))
    expect(lapsed.scope).toBe(RULES)
    const renewed = await one.connect([RULES, LATEST], { places: [], sensitiveDays: "7" })
    for (const token of [old.access_token, lapsed.access_token]) {
      expect(saying(await one.me(token))).toEqual(INVALID_TOKEN)
    }
    for (const token of [old.refresh_token, lapsed.refresh_token]) {
      expect(saying(await one.refresh(token))).toEqual(INVALID_GRANT)
    }
    const expires = iso(world.clock.now() + 7 * DAY)
    expect(renewed).toMatchObject({ scope: `${RULES} ${LATEST}`, sensitive_scopes_expire_at: expires })
    expect((await one.me(renewed.access_token)).json).toEqual({
      ...(before as object),
      sensitive_expires_at: expires,
      sensitive_lapsed_at: null,
      renewal_grace_ends_at: iso(world.clock.now() + 21 * DAY)
    })
    expect(ids(await one.rules(renewed.access_token))).toEqual([(rule.json as { id: string }).id])
    expect((await one.connection()).places).toHaveLength(1)
  })

  it("sensitive lapsed | renewal_grace_ends_at passes → removed: out of held_scopes; regaining them needs ordinary full consent [§3.1-removal]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES, LATEST], { sensitiveDays: "1", standardDays: "never" })
    world.clock.advance(15 * DAY)
    const { access_token } = tokensIn(await one.refresh(first.refresh_token))
    expect((await one.me(access_token)).json).toMatchObject({
      scopes: [RULES],
      held_scopes: [RULES],
      sensitive_expires_at: null,
      sensitive_lapsed_at: null,
      renewal_grace_ends_at: null
    })
    const requested = await world.run(Effect.flatMap(ConsentFlow.parameters(one.app, [RULES, LATEST]), start))
    expect((await world.run(reviewConsent(requested.id, one.person.account))).mode).toBe("change")
  })

  it("live (sensitive active) | renewal consent before the date → live: sensitive expiry chosen again, standard expiry unchanged [§3.1-early-renewal]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES, LATEST], { sensitiveDays: "7", standardDays: "90" })
    const before = (await one.me(first.access_token)).json
    world.clock.advance(3 * DAY)
    const renewed = await one.connect([RULES, LATEST], { sensitiveDays: "30", standardDays: "1" })
    expect((await one.me(renewed.access_token)).json).toEqual({
      ...(before as object),
      sensitive_expires_at: iso(world.clock.now() + 30 * DAY),
      renewal_grace_ends_at: iso(world.clock.now() + 44 * DAY)
    })
  })

  it("live | change consent, a different scope set → live: both expiries set again; connection, rules, places kept [§3.1-change]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES, LATEST], { sensitiveDays: "7", standardDays: "90" })
    const rule = await one.createRule(first.access_token)
    const before = (await one.me(first.access_token)).json
    const { id } = await one.connection()
    world.clock.advance(3 * DAY)
    const scopes = [CURRENT, RULES, LOOKUP] as const
    const changed = await one.connect(scopes, { sensitiveDays: "1", standardDays: "30" })
    const now = world.clock.now()
    const { json } = await one.me(changed.access_token)
    expect(json).toEqual({
      ...(before as object),
      scopes: expect.arrayContaining([...scopes]),
      held_scopes: expect.arrayContaining([...scopes]),
      grant_expires_at: iso(now + 30 * DAY),
      sensitive_expires_at: iso(now + DAY),
      renewal_grace_ends_at: iso(now + 15 * DAY)
    })
    expect((json as { scopes: Array<string> }).scopes).toHaveLength(3)
    expect(ids(await one.rules(changed.access_token))).toEqual([(rule.json as { id: string }).id])
    expect([(await one.connection()).id, (await one.connection()).places.length]).toEqual([id, 1])
  })

  const endings = [
    ["user disconnects", "user_disconnected", disconnects],
    ["admin revokes", "admin_revoked", adminRevokes],
    ["POST /v1/oauth/revoke", "app_revoked_token", appRevokes]
  ] as const
  it.each(endings)(
    "live | %s → ended: all tokens die, every rule stops, calls answer 401 [§3.1-end]",
    async (_, reason, end) => {
      const one = await connected(world)
      const first = await one.connect([RULES])
      const second = tokensIn(await one.refresh(first.refresh_token))
      expect((await one.createRule(first.access_token)).status).toBe(201)
      await end(one, second.access_token)
      const { access_token, refresh_token } = second
      const { endReason, live } = await one.connection()
      expect([live, endReason]).toEqual([false, reason])
      for (const token of [first.access_token, access_token]) {
        const answers = [await one.me(token), await one.rules(token), await one.createRule(token)]
        expect(answers.map(saying)).toEqual([INVALID_TOKEN, INVALID_TOKEN, INVALID_TOKEN])
      }
      for (const token of [first.refresh_token, refresh_token]) {
        expect(saying(await one.refresh(token))).toEqual(INVALID_GRANT)
      }
      // The app's credentials are right, even after an admin has revoked the app. So the answer must not be a 401,
      // which would say that the credentials are wrong (Spec §4.3).
      expect(await one.revoke(refresh_token)).toMatchObject({ status: 200, text: "" })
      const { id } = await one.connection()
      expect((await one.person.get(`/v1/user/connections/${id}/rules`)).json).toMatchObject({ rules: [] })
    }
  )

  it("live | spent refresh token presented outside the 30-second window → ended: family revoked, connection flagged, user emailed [§3.1-leak]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES])
    const second = tokensIn(await one.refresh(first.refresh_token))
    world.clock.advance(30_001)
    expect(saying(await one.refresh(first.refresh_token))).toEqual(INVALID_GRANT)
    await isOver(one, [first.access_token, second.access_token], [second.refresh_token], "refresh_token_reused")
    const { id } = await one.connection()
    const { flagged, mail } = await world.run(MemoryDatabase)
    expect(flagged.get(id)).toBe(world.clock.now())
    const mails = Array.from(mail.values()).filter(({ to }) => to === one.person.account.id)
    expect(mails.filter(({ subject }) => subject === `${one.app.name} was disconnected from your places`)).toHaveLength(
      1
    )
    // The ended connection stays ended, but the user can connect the app once more.
    expect((await one.me((await one.connect([RULES])).access_token)).status).toBe(200)
  })

  it("live | authorization code exchanged a second time with a correct verifier → ended: everything the code issued is revoked [§3.1-code-reuse]", async () => {
    const one = await connected(world)
    const code = await one.approve([RULES])
    const first = tokensIn(await one.exchange(code))
    const second = tokensIn(await one.refresh(first.refresh_token))
    expect(saying(await one.exchange(code, { codeVerifier: "w".repeat(43) }))).toEqual(INVALID_GRANT)
    expect((await one.me(second.access_token)).status).toBe(200)
    expect(saying(await one.exchange(code))).toEqual(INVALID_GRANT)
    await isOver(one, [first.access_token, second.access_token], [second.refresh_token], "code_reused")
  })
})

it("none of these stories put a credential into the log, reuse and leaks included", () => {
  const log = world.log.join("\n")
  for (const line of ["Refresh token refused", "Authorization code refused"]) expect(log).toContain(line)
  expect(log).not.toMatch(/pa_(?:at|rt|ac|dv)\./)
  expect(log).not.toContain(ConsentFlow.VERIFIER)
})

describe("Spec §4.2", () => {
  it("all sensitive scopes of a connection share one expiry [§4.2-shared]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES, LATEST, LOOKUP], { sensitiveDays: "7" })
    world.clock.advance(7 * DAY - 1)
    const { access_token, scope } = tokensIn(await one.refresh(first.refresh_token))
    expect(scope.split(" ")).toHaveLength(3)
    world.clock.advance(1)
    expect((await one.me(access_token)).json).toMatchObject({ scopes: [RULES] })
  })

  it("a sensitive scope that comes back after exact location has ended: API and page say at the field that its end must be chosen [connection-6]", async () => {
    const one = await connected(world)
    const granted = [RULES, LATEST, LOOKUP]
    await one.connect([RULES, LATEST, LOOKUP], { sensitiveDays: "1" })
    const { id } = await one.connection()
    const change = (body: object) => one.person.send("PATCH", `/v1/user/connections/${id}`, body)
    expect((await change({ scopes: [RULES, LATEST] })).status).toBe(200)
    world.clock.advance(DAY)
    const fault = "must be chosen: exact location has ended"
    const refused = await change({ scopes: granted })
    expect([refused.status, refused.json]).toMatchObject([400, { message: `sensitive_days ${fault}` }])

    const browser = await signedIn(world, one.person.account.email)
    const path = `/portal/connections/${id}`
    const repeated = await browser.submit(await browser.get(path), `${path}/permissions`, { scopes: granted })
    expect(repeated.status).toBe(400)
    expect(repeated.text).toContain(`The end of exact location ${fault}`)
    expect(deadLinks(repeated.text)).toEqual([])
    const saved = await browser.submit(repeated, `${path}/permissions`, { scopes: granted, sensitive_days: "7" })
    expect(saved.headers.get("location")).toBe(`${path}?done=permissions-changed`)
    expect((await one.connection()).scopes).toHaveLength(3)
  })

  it("a change of another date in the grace period: page, history and receipt say that exact location had ended [connection-7]", async () => {
    const one = await connected(world)
    await one.connect([RULES, LATEST], { sensitiveDays: "1" })
    const { id } = await one.connection()
    world.clock.advance(DAY)
    const changed = await one.person.send("PATCH", `/v1/user/connections/${id}`, { standard_days: 7 })
    expect(changed.status).toBe(200)
    const path = `/portal/connections/${id}`
    expect((await one.person.get(path)).text).toContain("Now: not shared. Ended:")
    const { text } = await one.person.get(`${path}/history`)
    expect(text.match(/Exact location (?:had ended|ends)/g)).toEqual([
      "Exact location had ended",
      "Exact location ends"
    ])
    const receipts = [...text.matchAll(/href="([^"]+\/history\/[^"]+)"/g)].map(([, address = ""]) => address)
    const [now, before] = await Promise.all(receipts.map(async (address) => (await one.person.get(address)).text))
    expect(now).toContain("Exact location had ended: ")
    expect(now).not.toContain(Scope.describe[LATEST])
    expect(before).toContain("Exact location ends: ")
    expect(before).toContain(Scope.describe[LATEST])
  })
})

const start = (parameters: Parameters<typeof startConsent>[0]) => startConsent(parameters, ConsentFlow.ISSUER)

async function disconnects(one: Connected): Promise<void> {
  const { id } = await one.connection()
  expect((await one.person.send("DELETE", `/v1/user/connections/${id}`)).status).toBe(204)
}

async function adminRevokes(one: Connected): Promise<void> {
  const admin = await world.person({ roles: ["admin"] })
  const sent = await admin.send("POST", `/v1/admin/apps/${one.app.id}/revoke`, { reason: "It sold what it saw." })
  expect(sent.status).toBe(200)
}

async function appRevokes(one: Connected, token: string): Promise<void> {
  const sent = await one.revoke(token)
  expect([sent.status, sent.text]).toEqual([200, ""])
}
