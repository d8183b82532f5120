import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { clientAddress } from "@place-access/adapters-http/edge/ClientAddress"
import * as HttpLive from "@place-access/adapters-http/HttpLive"
import { HttpOptions, type ServiceOptions } from "@place-access/adapters-http/HttpOptions"
import { serve, type Served } from "../support/serve.js"
import { Stores } from "../support/stores.js"
import { optionsAt } from "../support/options.js"
import { call } from "../support/wire.js"

const options = (trustProxy: boolean, url = "http://localhost"): ServiceOptions => optionsAt(url, { trustProxy })

const addressOf = (trustProxy: boolean, peer: string, forwarded?: string): string => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  const request = HttpServerRequest.fromWeb(new Request("http://localhost/", { headers })).modify({
    remoteAddress: peer
  })
  return Effect.runSync(
    clientAddress.pipe(
      Effect.provideService(HttpOptions, options(trustProxy)),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
  )
}

describe("the address of a client", () => {
  it.each([
    [false, "192.0.2.1", undefined, "192.0.2.1"],
    [false, "192.0.2.1", "203.0.113.9", "192.0.2.1"],
    [false, "::ffff:192.0.2.1", undefined, "192.0.2.1"],
    [false, "fe80::1%eth0", undefined, "fe80::1"],
    [true, "10.0.0.1", "203.0.113.9", "203.0.113.9"],
    // Anybody can write the first entries of X-Forwarded-For; only the last entry comes from the proxy. So the last
    // entry counts.
    [true, "10.0.0.1", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
    [true, "10.0.0.1", "2001:db8::1", "2001:db8::1"],
    [true, "10.0.0.1", "nonsense", "10.0.0.1"],
    [true, "10.0.0.1", "", "10.0.0.1"],
    [true, "10.0.0.1", undefined, "10.0.0.1"]
  ])("proxy trusted %s, peer %s, X-Forwarded-For %j: %s", (trusted, peer, forwarded, expected) => {
    expect(addressOf(trusted, peer, forwarded)).toBe(expected)
  })

  it("a request without an address is one of its own kind", () => {
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/"))
    expect(Option.isNone(request.remoteAddress)).toBe(true)
    const address = clientAddress.pipe(
      Effect.provideService(HttpOptions, options(false)),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
    expect(Effect.runSync(address)).toBe("unknown")
  })
})

describe("behind a trusted proxy, with a route of the app's own", () => {
  let served: Served
  beforeAll(async () => {
    const Health = HttpApiBuilder.Router.use((router) => router.get("/healthz", HttpServerResponse.text("ok")))
    served = await serve((url) => HttpLive.layer(options(true, url)).pipe(Layer.provide(Health), Layer.provide(Stores)))
  })
  afterAll(() => served.close())

  it("the proxy's request id is kept when it is one", async () => {
    const id = async (given: string) =>
      (await call(`${served.url}/v1/me`, { headers: { "x-request-id": given } })).headers.get("x-request-id")
    expect(await id("3f2c9a10-trace.1")).toBe("3f2c9a10-trace.1")
    expect(await id("short")).toMatch(/^req_/)
    expect(await id("has blanks and <tags>")).toMatch(/^req_/)
  })

  it("routes that the app adds answer behind the same edge", async () => {
    const answer = await call(`${served.url}/healthz`)
    expect([answer.status, answer.text, answer.headers.get("x-content-type-options")]).toEqual([200, "ok", "nosniff"])
    expect((await call(`${served.url}/healthz`, { method: "POST" })).headers.get("allow")).toBe("GET, HEAD")
  })

  it("a portal address without a path is served under /portal", async () => {
    expect((await call(`${served.url}/portal/places`)).status).toBe(303)
  })

  it("the portal's own address leads to the access log; connected apps have an address of their own [M12]", async () => {
    const portal = await call(`${served.url}/portal`)
    expect([portal.status, portal.headers.get("location")]).toEqual([303, "/portal/access-log"])
    for (const path of ["/portal/access-log", "/portal/connections"]) {
      const page = await call(served.url + path)
      expect([page.status, page.headers.get("location")]).toEqual([
        303,
        `/sign-in?return_to=${encodeURIComponent(path)}`
      ])
    }
  })
})
