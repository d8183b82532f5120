import { startConsent } from "@place-access/domain/consent"
import { ConsentFlow } from "@place-access/domain/testing"
import { Effect, Either } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connected, CURRENT, LATEST, RULES, saying, tokensIn } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

const VISITS = "location.visits.read"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** The rows of docs/security.md for OWASP ASVS 5.0, V10.4, that no other test covers. */
describe("ASVS 5.0 V10.4", () => {
  it("10.4.3: a code is good for less than a minute, the strictest level's limit", async () => {
    const one = await connected(world)
    const [first, second] = [await one.approve([RULES]), await one.approve([RULES])]
    world.clock.advance(59_999)
    expect((await one.exchange(second)).status).toBe(200)
    world.clock.advance(1)
    expect(saying(await one.exchange(first))).toEqual([400, "invalid_grant"])
  })

  it("10.4.4: two grants and no others: neither password nor client_credentials, and no token from /authorize", async () => {
    const one = await connected(world)
    const others = [
      "password",
      "client_credentials",
      "implicit",
      "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:token-exchange",
      "urn:ietf:params:oauth:grant-type:jwt-bearer"
    ]
    for (const grantType of others) {
      const fields = { grantType, username: one.person.account.email, password: "correct horse battery" }
      expect(saying(await one.refresh("x", fields))).toEqual([400, "unsupported_grant_type"])
    }
    for (const response_type of ["token", "id_token", "code token", "none"]) {
      const parameters = await world.run(ConsentFlow.parameters(one.app, [RULES], { response_type }))
      const refused = await world.run(Effect.either(startConsent(parameters, world.url)))
      expect(Either.isLeft(refused) && refused.left).toMatchObject({ error: "unsupported_response_type" })
    }
  })

  it("10.4.5: there are no public clients: a caller with a code or refresh token and no secret gets nothing and spends nothing", async () => {
    const one = await connected(world)
    const code = await one.approve([RULES])
    for (const clientSecret of [undefined, "", null, "wrong"]) {
      expect(saying(await one.exchange(code, { clientSecret }))).toEqual([401, "invalid_client"])
    }
    const issued = tokensIn(await one.exchange(code))
    for (const clientSecret of [undefined, "", null, "wrong"]) {
      expect(saying(await one.refresh(issued.refresh_token, { clientSecret }))).toEqual([401, "invalid_client"])
    }
    expect((await one.refresh(issued.refresh_token)).status).toBe(200)
  })

  it("10.4.11: an app never gets a scope that it does not declare, that the user did not tick or that an admin took away", async () => {
    const one = await connected(world)
    const admin = await world.person({ roles: ["admin"] })
    const declared = await one.person.send("PATCH", `/v1/developer/apps/${one.app.id}`, {
      scopes: [RULES, LATEST, VISITS]
    })
    const narrowed = await admin.send("PATCH", `/v1/admin/apps/${one.app.id}`, { allowed_scopes: [RULES, LATEST] })
    expect([declared.status, narrowed.status]).toEqual([200, 200])
    for (const scope of [CURRENT, VISITS] as const) {
      const parameters = await world.run(ConsentFlow.parameters(one.app, [RULES, scope]))
      const refused = await world.run(Effect.either(startConsent(parameters, world.url)))
      expect(Either.isLeft(refused) && refused.left).toMatchObject({ error: "invalid_scope" })
    }
    const issued = await one.connect([RULES, LATEST], { scopes: [RULES] })
    expect(issued.scope).toBe(RULES)
    expect((await one.me(issued.access_token)).json).toMatchObject({ scopes: [RULES], held_scopes: [RULES] })
  })

  it("10.4.12: the answer comes in the query, whatever response_mode a request names", async () => {
    const one = await connected(world)
    for (const response_mode of ["fragment", "form_post", "web_message", "query"]) {
      const approved = await world.run(
        ConsentFlow.approve(one.app, one.person.account, [RULES], { request: { response_mode, response_type: "code" } })
      )
      const { hash, searchParams } = new URL(approved.redirectTo)
      expect([hash, [...searchParams.keys()]]).toEqual(["", ["code", "state", "iss"]])
    }
  })
})
