import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpServer,
  HttpServerResponse
} from "@effect/platform"
import { AccessLogStore } from "@place-access/domain/access-log"
import { AppId, ConnectionId, StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import { MemoryEntropy } from "@place-access/domain/testing"
import { Effect, Layer, Schema } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import * as Edge from "@place-access/adapters-http/edge/Edge"
import * as Group from "@place-access/adapters-http/engine/Group"
import * as Matched from "@place-access/adapters-http/edge/Matched"
import { BodyBounds } from "@place-access/adapters-http/edge/BodyBounds"
import * as Engine from "@place-access/adapters-http/engine/Engine"
import * as Routes from "@place-access/adapters-http/engine/Routes"
import { HttpOptions } from "@place-access/adapters-http/HttpOptions"
import * as Errors from "@place-access/adapters-http/wire/Errors"
import { toWire } from "@place-access/adapters-http/wire/toWire"
import { optional, queryIntOr, request } from "@place-access/adapters-http/wire/Fields"
import { optionsAt } from "../support/options.js"
import { serve, type Served } from "../support/serve.js"
import { call, jsonBody, raw, rawKept } from "../support/wire.js"

/** An API with one endpoint for each way in which a request can end. */
const Thing = request({
  label: Schema.String.pipe(Schema.maxLength(5, { message: () => "must be at most 5 characters" })),
  type: Schema.Literal("enter", "exit", "dwell"),
  count: Schema.Int,
  note: optional(Schema.String),
  at: Schema.optionalWith(Schema.NullOr(Schema.Struct({ lat: Schema.Finite })), { exact: true })
})
const group = HttpApiGroup.make("things")
  .add(
    HttpApiEndpoint.post("create", "/v1/things")
      .setPayload(Thing)
      .addSuccess(Schema.Struct({ ok: Schema.Boolean }))
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/things")
      .setUrlParams(request({ limit: queryIntOr(1, 500, 100) }))
      .addSuccess(Schema.Struct({ limit: Schema.Int }))
  )
  .add(
    HttpApiEndpoint.get("one", "/v1/things/:id")
      .setPath(Schema.Struct({ id: Schema.String }))
      .addSuccess(Schema.Struct({ n: Schema.Int }))
      .addError(Errors.NotFound)
      .addError(Errors.Unavailable)
      .addError(Errors.ScopeExpired)
  )
  .add(
    HttpApiEndpoint.post("upload", "/v1/phone/things")
      .setPayload(Schema.Unknown)
      .addSuccess(Schema.Struct({ size: Schema.Int }))
      .annotate(BodyBounds, { bytes: 8 * 1_048_576, entries: 160_000 })
  )
const Api = HttpApi.make("test").add(group)

const caller = {
  userId: UserId.make("usr_1"),
  appId: AppId.make("app_1"),
  connectionId: ConnectionId.make("con_1")
}
const entries: Array<typeof AccessLogStore.Service extends { record: (entry: infer E) => unknown } ? E : never> = []
let logFails = false
const diskFull = Object.assign(new Error("could not extend file: No space left on device"), { code: "53100" })

const Handlers = Group.group(Api, "things", (handlers) =>
  handlers
    .handle("create", () => Effect.as(CurrentRequest.callerIs(caller), { ok: true }))
    .handle("list", ({ urlParams }) => Effect.succeed({ limit: urlParams.limit }))
    .handle("upload", ({ payload }) => Effect.succeed({ size: JSON.stringify(payload).length }))
    .handle("one", ({ path: { id } }) =>
      Effect.gen(function* () {
        yield* CurrentRequest.callerIs(caller)
        yield* CurrentRequest.discloses("one number")
        yield* CurrentRequest.purposeIs("order_ahead")
        switch (id) {
          case "missing":
            return yield* Effect.fail(Errors.notFound("thing"))
          case "lapsed":
            return yield* Effect.fail(
              Errors.scopeExpired("location.lookup", {
                sensitiveExpiredAt: Timestamp.make(0),
                renewalGraceEndsAt: Timestamp.make(1)
              })
            )
          case "defect":
            return yield* Effect.die(new Error("the password is hunter2"))
          case "away":
            return yield* Effect.die(StoreError.unavailable("pool is full"))
          case "full":
            return yield* toWire(Effect.fail(StoreError.unavailable(diskFull)))
          case "broken":
            return yield* Effect.die(StoreError.broken("no such column"))
          case "lie":
            return { n: 1.5 }
          case "slow":
            return yield* Effect.never
          default:
            return { n: 1 }
        }
      })
    )
)

const AccessLog = Layer.succeed(
  AccessLogStore,
  AccessLogStore.of({
    record: (entry) =>
      logFails ? Effect.fail(StoreError.unavailable("disk is full")) : Effect.sync(() => void entries.push(entry)),
    recordRepeat: () => Effect.die("not used"),
    recordUnless: () => Effect.die("not used"),
    list: () => Effect.die("not used"),
    countUses: () => Effect.die("not used"),
    tally: () => Effect.die("not used"),
    lastAnswered: () => Effect.die("not used")
  })
)

const app = (url: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const router = yield* HttpApiBuilder.Router.router
      const known: Edge.EdgeRoutes = {
        errorPage: ({ statusCode, message }, id) =>
          Effect.succeed(HttpServerResponse.html(`<h1>${statusCode}</h1>${String(message)} ${id}`)),
        allowed: Routes.allowed(router.routes)
      }
      const routed = yield* Engine.routed(router, Matched.note(Api, url))
      return HttpServer.serve(yield* Edge.make(routed, known))
    })
  ).pipe(
    Layer.provide(HttpApiBuilder.Router.use((router) => router.get("/page", HttpServerResponse.html("<p>hello</p>")))),
    Layer.provide(HttpApiBuilder.api(Api).pipe(Layer.provide(Handlers))),
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    Layer.provide([AccessLog, MemoryEntropy.layer]),
    Layer.provide(Layer.succeed(HttpOptions, optionsAt(url)))
  )

let served: Served
beforeAll(async () => {
  served = await serve(app)
})
afterAll(() => served.close())
beforeEach(() => {
  entries.length = 0
  served.log.length = 0
  logFails = false
})

const get = (path: string, init?: RequestInit) => call(served.url + path, init)
const post = (path: string, init: RequestInit) => call(served.url + path, { method: "POST", ...init })

describe("what HttpApi itself refuses", () => {
  it("malformed JSON: 400 invalid_request", async () => {
    const answer = await post("/v1/things", { headers: { "content-type": "application/json" }, body: "{" })
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({ statusCode: 400, error: "invalid_request", message: "The body is not valid JSON" })
  })

  it("decode errors: 400 validation_failed, every field named by its wire path, no value repeated [decisions §5]", async () => {
    const answer = await post(
      "/v1/things",
      jsonBody({ label: "s3cret-value", type: "s3cret", note: 5, at: { lat: "s3cret" }, extra: "ignored" })
    )
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({
      statusCode: 400,
      error: "validation_failed",
      message: [
        "label must be at most 5 characters",
        'type must be "enter", "exit" or "dwell"',
        "count is missing",
        "note must be a string or null",
        "at.lat must be a number"
      ]
    })
    expect(answer.text).not.toContain("s3cret")
  })

  it("one fault is a string, not an array", async () => {
    const answer = await post("/v1/things", jsonBody({ label: "x", type: "enter", count: 1.5 }))
    expect(answer.json).toMatchObject({ error: "validation_failed", message: "count must be a whole number" })
  })

  it("a body that is no object, or none at all", async () => {
    for (const body of ["[]", '"text"', "null", ""]) {
      const answer = await post("/v1/things", { headers: { "content-type": "application/json" }, body })
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ error: "validation_failed", message: "the body must be an object" })
    }
  })

  it("query parameters: defaults, bounds and names", async () => {
    expect((await get("/v1/things")).json).toEqual({ limit: 100 })
    expect((await get("/v1/things?limit=500")).json).toEqual({ limit: 500 })
    for (const limit of ["0", "501", "abc", "1e2", "", "-5"]) {
      const answer = await get(`/v1/things?limit=${limit}`)
      expect([limit, answer.status]).toEqual([limit, 400])
      expect(answer.json).toMatchObject({ error: "validation_failed" })
      expect(answer.text).toContain("limit must be")
    }
    const repeated = await get("/v1/things?limit=1&limit=2")
    expect([repeated.status, repeated.json]).toMatchObject([
      400,
      { error: "validation_failed", message: "limit must not be repeated" }
    ])
  })

  it("unknown route: 404; known route, other method: 405 with Allow", async () => {
    expect(await get("/v1/nothing")).toMatchObject({ status: 404, json: { statusCode: 404, error: "not_found" } })
    const answer = await call(`${served.url}/v1/things`, { method: "DELETE" })
    expect(answer).toMatchObject({ status: 405, json: { statusCode: 405, error: "method_not_allowed" } })
    expect(answer.headers.get("allow")).toBe("GET, HEAD, POST")
    expect((await call(`${served.url}/v1/things/5`, { method: "PUT" })).headers.get("allow")).toBe("GET, HEAD")
    expect((await call(`${served.url}/v1/things`, { method: "OPTIONS" })).status).toBe(405)
    // For a GET, the router reads each of these addresses as the path `/v1/things`. So a PUT to each of them must get
    // the same answer as a PUT to `/v1/things`.
    for (const target of [
      "/v1/things/",
      "//v1//things",
      "/V1/Things",
      "http://elsewhere/v1/things?a=b",
      "/v1/%74hings",
      "/v1/things;a=b"
    ]) {
      expect(await raw(served.url, [`PUT ${target} HTTP/1.1`, "host: x"])).toMatch(
        /^HTTP\/1\.1 405 [\s\S]*allow: GET, HEAD, POST\r\n/
      )
    }
  })

  it.each([
    ["GET", "/v1/things/5", ["Host: a", "hOST: b"]],
    ["GET", "/v1/things/5", ["host: a", "accept: text/html", "host: a"]],
    ["GET", "/page", ["host: a", "accept: text/html", "host: b"]],
    ["GET", "/v1/nowhere", ["host: a", "host:"]],
    ["GET", "http://a/v1/things/5", ["host: a", "host: b"]],
    ["POST", "/v1/things", ["host: a", "host: b", "content-type: application/json", "content-length: 1000"]]
  ])(
    "two Host headers: 400 before anything is read, with the help of every error, and the connection is closed: %s %s [wire-4]",
    async (method, path, head) => {
      entries.length = 0
      const answer = await rawKept(served.url, [`${method} ${path} HTTP/1.1`, ...head])
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close\r\n/i)
      expect(answer).toMatch(/x-request-id: /)
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
        statusCode: 400,
        error: "invalid_request",
        message: "The request has more than one Host header",
        // Every error has its request's id, which the header `x-request-id` has too, and the address of the page that
        // explains its code [wire-4].
        request_id: /x-request-id: (\S+)/.exec(answer)?.[1],
        doc_url: expect.stringMatching(/^http:.*\/docs\/errors\/invalid_request$/)
      })
      expect(entries).toEqual([])
    }
  )

  it.each([
    ["gzip, chunked", ["transfer-encoding: gzip, chunked"]],
    ["gzip and chunked, in two headers", ["Transfer-Encoding: gzip", "transfer-encoding: chunked"]],
    ["identity, chunked", ["TRANSFER-ENCODING: identity, chunked"]],
    ["chunked twice", ["transfer-encoding: chunked, chunked"]]
  ])(
    "a transfer coding besides chunked (%s): 400 before anything is read, and the connection is closed [M11]",
    async (_, head) => {
      entries.length = 0
      const body = JSON.stringify({ label: "x", type: "enter", count: 1 })
      const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      const lines = ["POST /v1/things HTTP/1.1", "host: a", "content-type: application/json", ...head]
      const answer = await rawKept(served.url, lines, chunked)
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close\r\n/i)
      expect(entries).toEqual([])
    }
  )

  it("the transfer coding chunked, in any case, is a body like any other [M11]", async () => {
    const body = JSON.stringify({ label: "x", type: "enter", count: 1 })
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const lines = [
      "POST /v1/things HTTP/1.1",
      "host: a",
      "content-type: application/json",
      "transfer-encoding:  Chunked "
    ]
    expect(await raw(served.url, lines, chunked)).toMatch(/^HTTP\/1\.1 20[01] /)
  })

  it("one Host header and names that only resemble it are a request like any other", async () => {
    const answer = await raw(served.url, [
      "GET /v1/things/5 HTTP/1.1",
      "host: a",
      "hosts: b",
      "x-host: c",
      "cost: host"
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each([
    ["/nowhere", "text/html", true],
    ["/nowhere", "application/xml, Text/HTML;q=0.8, */*;q=0", true],
    ["/nowhere", "text/html;level=1", true],
    ["/nowhere", "text/html;q=0, application/json", false],
    ["/nowhere", "application/json, text/html; charset=utf-8 ; Q=0.000", false],
    ["/nowhere", "text/html-like", false],
    ["/nowhere", "*/*", false],
    ["/v1/nowhere", "text/html", false],
    ["/V1/Nowhere", "text/html", false],
    ["//v1//nowhere", "text/html", false],
    ["/.Well-Known/nowhere", "text/html", false]
  ])("an error of %s for Accept: %s is a page: %s", async (path, accept, isPage) => {
    const answer = await raw(served.url, [`GET ${path} HTTP/1.1`, "host: x", `accept: ${accept}`])
    expect(answer).toContain(isPage ? "No such page" : "No such route")
    expect(answer.includes("<h1>404</h1>")).toBe(isPage)
  })

  it("paths that cannot be decoded or hold NUL do not reach a handler", async () => {
    expect((await raw(served.url, ["GET /v1/things/%zz HTTP/1.1", "host: x"])).split("\r\n")[0]).toMatch(/ 40[04] /)
    expect((await get("/v1/things/a%00b")).json).toMatchObject({ statusCode: 400, error: "invalid_request" })
  })

  it("other content types, charsets and encodings: 415", async () => {
    const body = JSON.stringify({ label: "x", type: "enter", count: 1 })
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "text/plain; note=application/json",
      "multipart/form-data; boundary=x",
      "application/octet-stream",
      "application/json; charset=utf-16"
    ]) {
      const answer = await post("/v1/things", { headers: { "content-type": type }, body })
      expect([type, answer.status]).toEqual([type, 415])
      expect(answer.json).toMatchObject({ error: "unsupported_media_type" })
    }
    const zipped = { "content-type": "application/json", "content-encoding": "gzip" }
    const refused = await post("/v1/things", { headers: zipped, body })
    // RFC 9110 §15.5.16: the header `Accept-Encoding` says that the service refused the encoding of the body.
    expect([refused.status, refused.headers.get("accept-encoding")]).toEqual([415, "identity"])
    const typed = await post("/v1/things", { headers: { "content-type": "text/plain" }, body })
    expect([typed.status, typed.headers.get("accept-encoding")]).toEqual([415, null])
    const utf8 = { "content-type": 'Application/JSON ; charset="UTF-8"' }
    expect((await post("/v1/things", { headers: utf8, body })).status).toBe(200)
  })

  it("text that no database holds: 400 invalid_request", async () => {
    const headers = { "content-type": "application/json" }
    const nul = '{"label":"a\\u0000b","type":"enter","count":1}'
    expect((await post("/v1/things", { headers, body: nul })).json).toMatchObject({ error: "invalid_request" })
    const escaped = '{"label":"\\\\u00","type":"enter","count":1}'
    expect((await post("/v1/things", { headers, body: escaped })).status).toBe(200)
    const latin1 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
    expect((await post("/v1/things", { headers, body: latin1 })).json).toMatchObject({ error: "invalid_request" })
  })

  it("a deeply nested body: 400, and no error in the log", async () => {
    const headers = { "content-type": "application/json" }
    const deep = (levels: number, leaf: string) => `${'{"a":'.repeat(levels)}${leaf}${"}".repeat(levels)}`
    const send = (note: string) =>
      post("/v1/things", { headers, body: `{"label":"x","type":"enter","count":1,"note":${note}}` })
    for (const levels of [200, 40_000, 60_000]) {
      for (const leaf of ["1", '"\\u0000"']) {
        expect(await send(deep(levels, leaf))).toMatchObject({ status: 400, json: { error: "invalid_request" } })
      }
    }
    expect(await send(deep(97, "1"))).toMatchObject({ status: 400, json: { error: "validation_failed" } })
    expect(served.log.join("\n")).not.toMatch(/request failed/)
  })
})

describe("body limit", () => {
  const MIB = 1_048_576
  const filled = (bytes: number) => `"${"x".repeat(bytes - 2)}"`
  const headers = { "content-type": "application/json" }
  const chunked = (bytes: number) =>
    ({
      headers,
      body: new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < bytes; sent += 65_536) controller.enqueue(new Uint8Array(65_536).fill(0x20))
          controller.close()
        }
      }),
      duplex: "half"
    }) as RequestInit

  it("1 MiB passes the limit, one byte more is 413", async () => {
    expect((await post("/v1/things", { headers, body: filled(MIB) })).status).toBe(400)
    const answer = await post("/v1/things", { headers, body: filled(MIB + 1) })
    expect(answer).toMatchObject({ status: 413, json: { statusCode: 413, error: "payload_too_large" } })
  })

  it("a body of unknown length is counted", async () => {
    expect((await post("/v1/things", chunked(MIB))).status).toBe(400)
    const answer = await post("/v1/things", chunked(3 * MIB))
    expect(answer).toMatchObject({ status: 413, json: { statusCode: 413, error: "payload_too_large" } })
  })

  it("a phone may send 8 MiB", async () => {
    const answer = await post("/v1/phone/things", { headers, body: filled(8 * MIB) })
    expect(answer.json).toEqual({ size: 8 * MIB })
    expect((await post("/v1/phone/things", { headers, body: filled(8 * MIB + 1) })).status).toBe(413)
    expect((await post("/v1/phone/things", chunked(9 * MIB))).status).toBe(413)
  })

  it("a client that never stops sending is cut off", async () => {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20))
    })
    const sent = post("/v1/things", { headers, body: endless, duplex: "half" } as RequestInit)
    const outcome = await sent.then(
      (answer) => answer.status,
      () => "reset"
    )
    expect([413, "reset"]).toContain(outcome)
  })

  it("the server answers after bodies that were too large or cut off", async () => {
    expect((await post("/v1/things", jsonBody({ label: "x", type: "enter", count: 1 }))).json).toEqual({ ok: true })
  })
})

describe("our own faults", () => {
  it("a defect: 500 internal_error, nothing leaked, logged with the request's id", async () => {
    const answer = await get("/v1/things/defect")
    expect(answer.json).toEqual({
      statusCode: 500,
      error: "internal_error",
      message: "Something went wrong on our side"
    })
    const line = served.log.find((text) => text.includes("hunter2"))
    expect(line).toContain(`request_id=${answer.headers.get("x-request-id")}`)
  })

  it("a response that fails its own schema: 500, not 400", async () => {
    const answer = await get("/v1/things/lie")
    expect(answer).toMatchObject({ status: 500, json: { error: "internal_error" } })
    expect(answer.text).not.toContain("1.5")
  })

  it("a store that is away: 503 with Retry-After; one that is broken: 500", async () => {
    const away = await get("/v1/things/away")
    expect(away).toMatchObject({ status: 503, json: { error: "unavailable" } })
    expect(away.headers.get("retry-after")).toBe("5")
    expect(await get("/v1/things/broken")).toMatchObject({ status: 500, json: { error: "internal_error" } })
  })

  it("why a request got 503 is a warning with the request's id, however the failure reached the edge [errors-3]", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 })
    for (const [id, reason] of [
      ["full", "could not extend file: No space left on device"],
      ["away", "pool is full"]
    ] as const) {
      const answer = await get(`/v1/things/${id}`)
      expect(answer).toMatchObject({ status: 503, json: { error: "unavailable" } })
      const line = served.log.find((text) => text.includes(reason))
      expect(line).toContain(`WARN A request gets 503: ${reason}`)
      expect(line).toContain(`request_id=${answer.headers.get("x-request-id")}`)
    }
    expect(served.log.find((text) => text.includes("could not extend"))).toContain("reason=53100")
    vi.useRealTimers()
  })

  it("errors are exactly { statusCode, error, message } and what the specification adds [§7-body, decisions §5]", async () => {
    expect((await get("/v1/things/missing")).json).toEqual({
      statusCode: 404,
      error: "not_found",
      message: "No such thing"
    })
    const lapsed = await get("/v1/things/lapsed")
    expect(lapsed.json).toEqual({
      statusCode: 403,
      error: "scope_expired",
      message: "The scope location.lookup has expired; ask the user to renew it",
      sensitive_expired_at: "1970-01-01T00:00:00.000Z",
      renewal_grace_ends_at: "1970-01-01T00:00:00.001Z"
    })
    expect(lapsed.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="location.lookup"')
  })
})

describe("access log", () => {
  it("one entry a request of an app, committed before the answer [access-log-2]", async () => {
    expect((await get("/v1/things/5")).json).toEqual({ n: 1 })
    expect(entries).toEqual([
      expect.objectContaining({
        ...caller,
        endpoint: "GET /v1/things/{id}",
        purpose: "order_ahead",
        status: 200,
        error: null,
        disclosed: "one number"
      })
    ])
  })

  it("a refused request discloses nothing and names its error", async () => {
    await get("/v1/things/missing")
    await get("/v1/things/defect")
    await get("/v1/things/lie")
    expect(entries.map(({ status, error, disclosed }) => [status, error, disclosed])).toEqual([
      [404, "not_found", null],
      [500, "internal_error", null],
      [500, "internal_error", null]
    ])
  })

  it("when the entry cannot be written nothing is disclosed: 503 [access-log-2]", async () => {
    logFails = true
    const answer = await get("/v1/things/5")
    expect(answer).toMatchObject({ status: 503, json: { error: "unavailable" } })
    expect(answer.headers.get("retry-after")).toBe("5")
    expect(served.log.join("\n")).toContain("access log entry not written")
  })

  it("a client that hung up is logged: what it asked for may have been done [access-log-1]", async () => {
    const client = new AbortController()
    const sent = get("/v1/things/slow", { signal: client.signal }).catch(() => "aborted")
    // The client sent the slow request before this request. So when the server has answered this request, it has
    // already begun to work on the slow request.
    await get("/v1/things")
    client.abort()
    expect(await sent).toBe("aborted")
    await vi.waitFor(() =>
      expect(entries.map(({ status, error }) => [status, error])).toEqual([[499, "client_closed_request"]])
    )
  })

  it("requests without a known connection leave none [access-log-1]", async () => {
    await get("/v1/things")
    await get("/v1/nothing")
    expect(entries).toEqual([])
  })
})

describe("headers of every answer", () => {
  it("request id, no sniffing, no framing, no referrer, no storing", async () => {
    for (const path of ["/v1/things", "/v1/nothing", "/v1/things/defect"]) {
      const { headers } = await get(path)
      expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{24}$/)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("strict-transport-security")).toBeNull()
    }
  })

  it("a request id of the client's is not taken, unless a proxy is trusted", async () => {
    const { headers } = await get("/v1/things", { headers: { "x-request-id": "req_forged_by_client" } })
    expect(headers.get("x-request-id")).not.toBe("req_forged_by_client")
  })

  it("a path parameter of more than 100 characters leads nowhere", async () => {
    expect((await get(`/v1/things/${"x".repeat(100)}`)).status).toBe(200)
    expect((await get(`/v1/things/${"x".repeat(101)}`)).status).toBe(404)
  })

  it("HEAD answers like GET, without a body", async () => {
    const answer = await call(`${served.url}/v1/things`, { method: "HEAD" })
    expect([answer.status, answer.text]).toEqual([200, ""])
  })
})
