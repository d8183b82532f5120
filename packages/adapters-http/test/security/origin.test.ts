import { HttpApi } from "@effect/platform"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { DeviceAuth } from "@place-access/adapters-http/security/DeviceAuth"
import { RequiredScope } from "@place-access/adapters-http/security/RequiredScope"
import { SessionAuth } from "@place-access/adapters-http/security/SessionAuth"
import { Context } from "effect"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

const endpoints: Array<{ method: string; path: string; guard: string; scope: RequiredScope["Type"] | undefined }> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
    const keys = new Set(Array.from(middleware, ({ key }) => key))
    const guard = [BearerAuth.key, DeviceAuth.key, SessionAuth.key].find((key) => keys.has(key))
    const scope = Context.getOption(mergedAnnotations, RequiredScope)
    endpoints.push({
      method: endpoint.method,
      path: endpoint.path.replace(/:\w+/g, "some_id"),
      guard: guard ?? "",
      scope: scope._tag === "Some" ? scope.value : undefined
    })
  }
})
const behind = (guard: string) => endpoints.filter((endpoint) => endpoint.guard === guard)

let world: World
let person: Person
beforeAll(async () => {
  world = await startWorld()
  person = await world.person()
})
afterAll(() => world.close())

/**
 * A body that is not JSON. The service must refuse the credentials before it reads the body, so this body must not
 * change the answer.
 */
const GARBAGE = { headers: { "content-type": "application/json" }, body: "{" }
const unread = (method: string) => (method === "GET" ? {} : GARBAGE)

describe("credentials are looked at before anything else", () => {
  it.each(behind(SessionAuth.key))(
    "$method $path: without a session 401 not_signed_in [§5.11]",
    async ({ method, path }) => {
      const answer = await world.call(path, { method, ...unread(method) })
      expect(answer).toMatchObject({ status: 401, json: { statusCode: 401, error: "not_signed_in" } })
    }
  )

  it.each(behind(BearerAuth.key))("$method $path: without a token 401 invalid_token", async ({ method, path }) => {
    const answer = await world.call(path, { method, ...unread(method) })
    expect(answer).toMatchObject({ status: 401, json: { statusCode: 401, error: "invalid_token" } })
    expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"')
    const withCookie = await person.send(method, path, undefined, unread(method))
    expect(withCookie.status).toBe(401)
  })

  it.each(behind(DeviceAuth.key))(
    "$method $path: without a device's token 401 invalid_token",
    async ({ method, path }) => {
      const answer = await world.call(path, { method, ...unread(method) })
      expect(answer).toMatchObject({ status: 401, json: { statusCode: 401, error: "invalid_token" } })
    }
  )
})

describe("a cookie alone changes nothing [A3]", () => {
  it.each(behind(SessionAuth.key).filter(({ method }) => method !== "GET"))(
    "$method $path: Origin foreign, null or missing: 403 forbidden",
    async ({ method, path }) => {
      for (const origin of ["https://evil.example", "null", "", undefined]) {
        const headers = { cookie: person.cookie, ...GARBAGE.headers, ...(origin === undefined ? {} : { origin }) }
        const answer = await world.call(path, { method, headers, body: GARBAGE.body })
        const { error, message } = answer.json as { error: string; message: string }
        expect([origin, answer.status, error]).toEqual([origin, 403, "forbidden"])
        expect([origin, message]).toEqual([
          origin,
          expect.stringContaining(
            origin === undefined || origin === "" ? "without an Origin header" : "its Origin header says so"
          )
        ])
      }
    }
  )
})

describe("scopes are looked at before the body [§5.7]", () => {
  it.each(behind(BearerAuth.key).filter(({ scope }) => scope !== "none"))(
    "$method $path: a connection without $scope: 403 missing_scope [§2.3]",
    async ({ method, path, scope }) => {
      const user = await world.person()
      const { app } = await world.app(user)
      const other = scope === "location.place.current" ? "location.visits.read" : "location.place.current"
      const tokens = await world.connect(user, app, { scopes: [other] })
      const headers = { ...bearer(tokens.accessToken).headers, ...GARBAGE.headers }
      const answer = await world.call(path, { method, ...unread(method), headers })
      const expected = scope === "any_standard" ? [400, 404, 200] : [403]
      expect(expected).toContain(answer.status)
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
      expect(answer.headers.get("www-authenticate")).toBe(scope === "any_standard" ? null : challenge)
    }
  )
})
