import { HttpApi } from "@effect/platform"
import { endAllSessions } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import * as PagesLive from "@place-access/adapters-http/pages/PagesLive"
import { SessionAuth } from "@place-access/adapters-http/security/SessionAuth"
import { optionsAt } from "../support/options.js"
import { holdBack } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

interface Route {
  readonly method: string
  readonly path: string
}

const withIds = ({ method, path }: Route): Route => ({ method, path: path.replace(/:\w+/g, "some_id") })

/** The API's requests behind a session that change something, except the import of a file. */
const changes: Array<Route> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, middleware }) => {
    const isBehind = Array.from(middleware).some(({ key }) => key === SessionAuth.key)
    if (isBehind && endpoint.method !== "GET" && endpoint.path !== "/v1/user/imports") changes.push(withIds(endpoint))
  }
})

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/**
 * Sends each request without its last byte, ends the session of the requests, and then sends the last bytes. Returns
 * the answers.
 */
const answersAfterwards = async (routes: ReadonlyArray<Route>, type: string, body: string) => {
  const person = await world.person()
  const referer = `${world.url}/portal`
  const headers = { cookie: person.cookie, origin: world.url, referer, "content-type": type, accept: "text/html" }
  const finishes = await Promise.all(
    routes.map(async ({ method, path }) => ({
      name: `${method} ${path}`,
      finish: await holdBack(world.url + path, { method, headers, body })
    }))
  )
  // When the service has answered this request, it waits for the ends of the others.
  await person.get("/v1/user")
  await world.run(endAllSessions(person.account.id, AuditEvent.OPERATOR))
  return Promise.all(finishes.map(async ({ finish, name }) => ({ name, ...(await finish()) })))
}

describe("a request that is held back until its session has ended changes nothing [accounts-23]", () => {
  it("the API answers 401", async () => {
    expect(changes.length).toBeGreaterThan(50)
    const answers = await answersAfterwards(changes, "application/json", "{}")
    expect(answers.filter(({ status }) => status !== 401)).toEqual([])
  })

  it("a form leads to the sign-in", async () => {
    const forms: Array<Route> = []
    for (const route of PagesLive.routes(optionsAt(world.url)).map(withIds)) {
      if (route.method !== "POST") continue
      const body = new URLSearchParams({ form_token: "none" })
      const headers = { origin: world.url, referer: `${world.url}/portal` }
      const anonymous = await world.call(route.path, { method: "POST", headers, body })
      if (anonymous.headers.get("location")?.startsWith("/sign-in?") === true) forms.push(route)
    }
    expect(forms.length).toBeGreaterThan(70)
    const answers = await answersAfterwards(forms, "application/x-www-form-urlencoded", "form_token=none")
    expect(answers.filter(({ location }) => location?.startsWith("/sign-in?") !== true)).toEqual([])
  })
})
