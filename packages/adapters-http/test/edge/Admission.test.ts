import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpServer,
  HttpServerResponse
} from "@effect/platform"
import { AccessLogStore } from "@place-access/domain/access-log"
import { MemoryEntropy } from "@place-access/domain/testing"
import { Deferred, Effect, Layer, Schema } from "effect"
import { connect } from "node:net"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as BodyBounds from "@place-access/adapters-http/edge/BodyBounds"
import * as Edge from "@place-access/adapters-http/edge/Edge"
import * as Group from "@place-access/adapters-http/engine/Group"
import * as Matched from "@place-access/adapters-http/edge/Matched"
import * as Engine from "@place-access/adapters-http/engine/Engine"
import { HttpOptions } from "@place-access/adapters-http/HttpOptions"
import { request } from "@place-access/adapters-http/wire/Fields"
import { optionsAt } from "../support/options.js"
import { serve, type Served } from "../support/serve.js"
import { call, rawKept } from "../support/wire.js"

const Answered = Schema.Struct({ ok: Schema.Boolean })
const Api = HttpApi.make("test").add(
  HttpApiGroup.make("things")
    .add(HttpApiEndpoint.get("hold", "/v1/hold").addSuccess(Answered))
    .add(HttpApiEndpoint.get("quick", "/v1/quick").addSuccess(Answered))
    .add(
      HttpApiEndpoint.post("read", "/v1/read")
        .setPayload(request({ n: Schema.Int }))
        .addSuccess(Answered)
    )
)

let release: Deferred.Deferred<void>
let holding = 0
const Handlers = Group.group(Api, "things", (handlers) =>
  handlers
    .handle("hold", () =>
      Effect.sync(() => void holding++).pipe(
        Effect.zipRight(Deferred.await(release)),
        Effect.ensuring(Effect.sync(() => void holding--)),
        Effect.as({ ok: true })
      )
    )
    .handle("quick", () => Effect.succeed({ ok: true }))
    .handle("read", () => Effect.succeed({ ok: true }))
)

const app = (url: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const router = yield* HttpApiBuilder.Router.router
      const known: Edge.EdgeRoutes = {
        errorPage: () => Effect.dieMessage("a page would ask the database"),
        allowed: () => undefined
      }
      const routed = yield* Engine.routed(router, Matched.note(Api, url))
      return HttpServer.serve(yield* Edge.make(routed, known))
    })
  ).pipe(
    Layer.provide(HttpApiBuilder.Router.use((router) => router.get("/healthz", HttpServerResponse.empty()))),
    Layer.provide(HttpApiBuilder.api(Api).pipe(Layer.provide(Handlers))),
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    Layer.provide([Layer.mock(AccessLogStore, {}), MemoryEntropy.layer]),
    Layer.provide(Layer.succeed(HttpOptions, { ...optionsAt(url), requestsAtOnce: 2 }))
  )

let served: Served
beforeEach(async () => {
  release = Effect.runSync(Deferred.make<void>())
  served = await serve(app)
})
afterEach(async () => {
  Effect.runSync(Deferred.succeed(release, undefined))
  await served.close()
})

const get = (path: string, init?: RequestInit) => call(served.url + path, init)
const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
const hold = async (init?: RequestInit) => {
  const before = holding
  const answer = get("/v1/hold", init)
  await until(() => holding === before + 1)
  return { answer }
}

it("refuses with 503 and Retry-After what gets no place in time, also for a browser; health is answered [limits-11, errors-3]", async () => {
  const waiting = [await hold(), await hold()]
  const refused = await get("/v1/quick")
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
  expect(refused.json).toMatchObject({ statusCode: 503, error: "unavailable" })
  expect((await get("/account", { headers: { accept: "text/html" } })).status).toBe(503)
  expect((await get("/healthz")).status).toBe(204)
  expect(served.log.filter((line) => line.includes("as many requests as it may"))).toHaveLength(1)
  Effect.runSync(Deferred.succeed(release, undefined))
  for (const { answer } of waiting) expect((await answer).status).toBe(200)
  expect((await get("/v1/quick")).status).toBe(200)
})

it("a client that goes away gives its place to the next", async () => {
  const gone = new AbortController()
  const [{ answer }] = [await hold({ signal: gone.signal }), await hold()]
  gone.abort()
  await expect(answer).rejects.toThrow("aborted")
  await until(async () => (await get("/v1/quick")).status === 200)
})

it("clients that send their bodies slowly keep nobody out, and are answered when they have sent them", async () => {
  const { port } = new URL(served.url)
  const slow = [0, 1].map(() => {
    const socket = connect(Number(port), "127.0.0.1")
    let text = ""
    socket.on("data", (bytes) => (text += bytes.toString()))
    socket.write("POST /v1/read HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{")
    return { socket, text: () => text }
  })
  await until(async () => (await get("/v1/quick")).status === 200)
  for (const { socket, text } of slow) {
    socket.write('"n":1}')
    await until(() => text().includes("200 OK"))
    socket.destroy()
  }
  const waiting = [await hold(), await hold()]
  expect((await get("/v1/quick")).status).toBe(503)
  Effect.runSync(Deferred.succeed(release, undefined))
  await Promise.all(waiting.map(({ answer }) => answer))
})

it("a body that was refused takes no place when its rest arrives after the answer", async () => {
  const body = " ".repeat(BodyBounds.ORDINARY.bytes + 1)
  const tooLarge = [
    "POST /v1/read HTTP/1.1",
    "host: x",
    "content-type: application/json",
    `content-length: ${body.length}`,
    "",
    body
  ].join("\r\n")
  const quick = "GET /v1/quick HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
  const answers = await rawKept(served.url, [tooLarge + tooLarge + tooLarge + quick])
  expect(answers.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(["413", "413", "413", "200"])
})
