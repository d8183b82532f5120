import { Scope, Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  connected,
  type Connected,
  CURRENT,
  LATEST,
  RULES,
  saying,
  type TokenBody,
  tokensIn
} from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

const { DAY } = Timestamp
const INVALID_TOKEN = [401, "invalid_token"]
const INVALID_GRANT = [400, "invalid_grant"]
const INVALID_CLIENT = [401, "invalid_client"]

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const iso = (at: number) => Timestamp.toIso(Timestamp.make(at))

describe("POST /v1/oauth/token: the request's fields [§4.3]", () => {
  it.each(["grantType", "clientId", "clientSecret", "code", "codeVerifier", "redirectUri"])(
    "authorization_code: %s is required, and without it the code stays good [§4.3-grant-code]",
    async (field) => {
      const one = await connected(world)
      const code = await one.approve([RULES])
      const without = await one.exchange(code, { [field]: undefined })
      expect(saying(without)).toEqual(
        field === "clientId" || field === "clientSecret" ? INVALID_CLIENT : [400, "invalid_request"]
      )
      expect((await one.exchange(code)).status).toBe(200)
    }
  )

  it.each(["grantType", "clientId", "clientSecret", "refreshToken"])(
    "refresh_token: %s is required, and without it the token stays good [§4.3-grant-refresh, §5.10]",
    async (field) => {
      const one = await connected(world)
      const { refresh_token } = await one.connect([RULES])
      const without = await one.refresh(refresh_token, { [field]: undefined })
      expect(saying(without)).toEqual(
        field === "clientId" || field === "clientSecret" ? INVALID_CLIENT : [400, "invalid_request"]
      )
      expect((await one.refresh(refresh_token)).status).toBe(200)
    }
  )
})

describe("POST /v1/oauth/token: the response's fields [§4.3]", () => {
  it("access_token, token_type Bearer, expires_in 3600: the token lives for exactly that long [§4.3-access-token, §4.3-expires-in, §4.3-token-type, §5.9, §8-access-token]", async () => {
    const one = await connected(world)
    const { access_token, expires_in, token_type } = await one.connect([RULES])
    expect([token_type, expires_in]).toEqual(["Bearer", 3600])
    world.clock.advance(3_599_999)
    expect((await one.me(access_token)).status).toBe(200)
    world.clock.advance(1)
    expect(saying(await one.me(access_token))).toEqual(INVALID_TOKEN)
  })

  it("refresh_token_expires_at: the standard tier's end, null when the user chose none [§4.3-refresh-token-expires-at]", async () => {
    const one = await connected(world)
    const month = await one.connect([RULES], { standardDays: "30" })
    expect(month.refresh_token_expires_at).toBe(iso(world.clock.now() + 30 * DAY))
    expect((await one.connect([RULES], { standardDays: "never" })).refresh_token_expires_at).toBeNull()
  })

  it("sensitive_scopes_expire_at: the sensitive tier's end, null without a sensitive scope [§4.3-sensitive-scopes-expire-at]", async () => {
    const one = await connected(world)
    expect((await one.connect([RULES])).sensitive_scopes_expire_at).toBeNull()
    const sensitive = await one.connect([RULES, LATEST], { sensitiveDays: "7" })
    expect(sensitive.sensitive_scopes_expire_at).toBe(iso(world.clock.now() + 7 * DAY))
  })

  it("scope: the effective scopes, separated by spaces, which can be fewer than were asked for [§4.3-scope]", async () => {
    const one = await connected(world)
    const issued = await one.connect([RULES, CURRENT, LATEST], { scopes: [RULES, CURRENT] })
    expect(issued.scope.split(" ").sort()).toEqual([CURRENT, RULES])
  })

  it("sub: stable across refreshes and reconnects, another one for another app [§2.1-sub, §4.3-sub]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES])
    const second = tokensIn(await one.refresh(first.refresh_token))
    await one.revoke(second.access_token)
    const repeated = await one.connect([CURRENT])
    expect([second.sub, repeated.sub]).toEqual([first.sub, first.sub])
    const other = await world.app(one.person)
    expect((await world.connect(one.person, other.app, { scopes: [RULES] })).sub).not.toBe(first.sub)
  })
})

describe("GET /v1/me [§4.3]", () => {
  it("answers a token of any scopes [§4.3-me, §5.8]", async () => {
    const one = await connected(world)
    for (const scope of Scope.all) {
      const { access_token } = await one.connect([scope])
      expect((await one.me(access_token)).json).toMatchObject({ scopes: [scope] })
    }
  })
})

describe("the rules of Spec §4.3", () => {
  it("1: a refresh answers in the same shape with a new refresh token, the sent one is spent; scope is reported again and may be narrower [§4.3-refresh-token, §4.3.1]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES, CURRENT])
    world.clock.advance(1_000)
    const second = tokensIn(await one.refresh(first.refresh_token))
    expect(Object.keys(second).sort()).toEqual(Object.keys(first).sort())
    expect(second).toEqual({ ...first, access_token: expect.any(String), refresh_token: expect.any(String) })
    expect(second.refresh_token).not.toBe(first.refresh_token)
    await one.person.send("PATCH", `/v1/developer/apps/${one.app.id}`, { scopes: [RULES] })
    expect(tokensIn(await one.refresh(second.refresh_token)).scope).toBe(RULES)
    // The first refresh token is spent. A second use within 30 s gets the first answer again. This use is later, so it
    // counts as a leak.
    world.clock.advance(30_001)
    expect(saying(await one.refresh(first.refresh_token))).toEqual(INVALID_GRANT)
  })

  it("2: a spent token again within 30 seconds is a race and not a leak; one that was already revoked fails quietly [§4.3.2]", async () => {
    const one = await connected(world)
    const first = await one.connect([RULES])
    const second = tokensIn(await one.refresh(first.refresh_token))
    world.clock.advance(30_000)
    const raced = tokensIn(await one.refresh(first.refresh_token))
    expect(raced.refresh_token).toBe(second.refresh_token)
    for (const { access_token } of [first, second, raced]) expect((await one.me(access_token)).status).toBe(200)

    const reconnected = await one.connect([RULES])
    world.clock.advance(60_000)
    for (const { refresh_token } of [first, second]) {
      expect(saying(await one.refresh(refresh_token))).toEqual(INVALID_GRANT)
    }
    expect((await one.me(reconnected.access_token)).status).toBe(200)
    expect((await one.connection()).live).toBe(true)
  })

  const gone: ReadonlyArray<readonly [string, (one: Connected, issued: TokenBody) => Promise<unknown>]> = [
    ["the app revoked it", (one, { access_token }) => one.revoke(access_token)],
    ["the user disconnected", disconnect],
    ["its standard tier ended", () => Promise.resolve(world.clock.advance(30 * DAY))],
    ["a new approval replaced it", (one) => one.connect([RULES])]
  ]
  it.each(gone)("3: a refresh fails with invalid_grant when %s [§4.3.3]", async (_, end) => {
    const one = await connected(world)
    const issued = await one.connect([RULES])
    await end(one, issued)
    expect(saying(await one.refresh(issued.refresh_token))).toEqual(INVALID_GRANT)
  })

  it.each(["access_token", "refresh_token"] as const)(
    "4: revoke by %s ends the whole connection: every access and refresh token, every rule [§4.3-revoke, §4.3.4]",
    async (kind) => {
      const one = await connected(world)
      const first = await one.connect([RULES])
      await one.createRule(first.access_token)
      const second = tokensIn(await one.refresh(first.refresh_token))
      const answer = await one.revoke(first[kind])
      expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([200, "", null])
      for (const { access_token, refresh_token } of [first, second]) {
        expect(saying(await one.me(access_token))).toEqual(INVALID_TOKEN)
        expect(saying(await one.refresh(refresh_token))).toEqual(INVALID_GRANT)
      }
      const { id } = await one.connection()
      expect((await one.person.get(`/v1/user/connections/${id}/rules`)).json).toMatchObject({ rules: [] })
    }
  )

  it("4: revoke answers 200 with an empty body for a token that is unknown, expired or revoked; 401 means wrong client credentials [§4.3.4]", async () => {
    const one = await connected(world)
    const revoked = await one.connect([RULES])
    await one.revoke(revoked.access_token)
    const issued = await one.connect([RULES])
    world.clock.advance(2 * 3_600_000)
    for (const token of ["unknown", revoked.access_token, revoked.refresh_token, issued.access_token]) {
      const { headers, status, text } = await one.revoke(token)
      expect([status, text, headers.get("content-type")]).toEqual([200, "", null])
    }
    expect((await one.connection()).live).toBe(false)
    const repeated = await one.connect([RULES])
    for (const change of [{ clientSecret: "wrong" }, { clientId: "app_unknown" }, { clientSecret: undefined }]) {
      expect(saying(await one.revoke(repeated.access_token, change))).toEqual(INVALID_CLIENT)
    }
    expect((await one.me(repeated.access_token)).status).toBe(200)
  })
})

async function disconnect(one: Connected): Promise<void> {
  const { id } = await one.connection()
  expect((await one.person.send("DELETE", `/v1/user/connections/${id}`)).status).toBe(204)
}
