import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, Exit, Fiber, Layer, Logger, Schedule, TestClock, TestContext } from "effect"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Collector from "../../src/telemetry/Collector.js"

// Loads the undici of node_modules, which then replaces Node's own undici below `fetch`, as in a server that sends
// telemetry.
beforeAll(() => import("@effect/platform-node/NodeHttpServer"))

const open: Array<Server> = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const listen = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`
}

const post = (url: string) =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    client.execute(HttpClientRequest.post(url).pipe(HttpClientRequest.setBody(HttpBody.unsafeJson({}))))
  )

/** Runs a program, and returns the result together with the logged lines. */
const run = async <A, E>(program: Effect.Effect<A, E, HttpClient.HttpClient>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const layer = Layer.merge(Collector.layer, Logger.replace(Logger.defaultLogger, logger))
  return { exit: await Effect.runPromiseExit(Effect.provide(program, layer)), lines }
}

describe("the way to the collector", () => {
  it("no more than a few requests are under way: what a slow collector does not take is dropped at once", async () => {
    let held = 0
    let reached: () => void = () => undefined
    const full = new Promise<void>((resolve) => (reached = resolve))
    const url = await listen((request) => {
      request.resume()
      if (++held === 4) reached()
    })
    const { exit, lines } = await run(
      Effect.gen(function* () {
        yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.fork(post(url)))
        yield* Effect.promise(() => full)
        const more = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.exit(post(url)))
        return more.filter(Exit.isFailure).length
      })
    )
    expect(exit).toEqual(Exit.succeed(100))
    expect(held).toBe(4)
    expect(lines).toEqual([expect.stringContaining("(too slow)")])
  })

  it("a collector that is busy is asked again, one that refuses is not", async () => {
    const requests = { busy: 0, refusing: 0 }
    const busy = await listen((_, response) => response.writeHead(++requests.busy < 3 ? 503 : 200).end())
    const refusing = await listen((_, response) => (requests.refusing++, response.writeHead(400).end()))
    expect((await run(post(busy))).lines).toEqual([])
    expect((await run(post(refusing))).lines).toEqual([expect.stringContaining("answered 400")])
    expect(requests).toEqual({ busy: 3, refusing: 1 })
  })

  it("it says once that it is cut off, and once that it is not any more", async () => {
    let status = 400
    const url = await listen((_, response) => response.writeHead(status).end())
    const { lines } = await run(
      Effect.gen(function* () {
        for (let index = 0; index < 5; index++) yield* Effect.exit(post(url))
        status = 200
        for (let index = 0; index < 5; index++) yield* post(url)
      })
    )
    expect(lines).toEqual([expect.stringContaining("answered 400"), "The telemetry collector accepts data again"])
  })

  it("headers for the collector are not sent on to where it redirects", async () => {
    let reached = false
    const elsewhere = await listen((_, response) => ((reached = true), response.end()))
    // The test redirects with 302, which `fetch` follows with a GET. In none of the tested versions of Node does
    // `fetch` follow a 307 for a request that has a body.
    const url = await listen((_, response) => response.writeHead(302, { location: elsewhere }).end())
    const { exit } = await run(post(url))
    expect([Exit.isFailure(exit), reached]).toEqual([true, false])
  })

  it("one request has ten seconds, with its tries: of a collector that never answers it lets go", async () => {
    let reached: () => void = () => undefined
    const arrival = new Promise<void>((resolve) => (reached = resolve))
    const url = await listen((request) => (request.resume(), reached()))
    const { exit, lines } = await run(
      Effect.gen(function* () {
        const posting = yield* Effect.fork(post(url))
        yield* Effect.promise(() => arrival)
        yield* TestClock.adjust("9999 millis")
        const before = yield* Fiber.poll(posting)
        yield* TestClock.adjust("1 millis")
        return [before._tag, Exit.isFailure(yield* Fiber.await(posting))]
      }).pipe(Effect.provide(TestContext.TestContext))
    )
    expect(exit).toEqual(Exit.succeed(["None", true]))
    expect(lines).toEqual([expect.stringContaining("(no answer)")])
  })

  it("what it gives up the exporter gives up too: it does not take the reason for one that passes", async () => {
    let requests = 0
    const url = await listen((_, response) => (requests++, response.writeHead(503).end()))
    const cutOff = await listen((request) => (requests++, request.socket.destroy()))
    for (const address of [url, cutOff]) {
      requests = 0
      const { exit } = await run(
        Effect.flatMap(HttpClient.HttpClient, (client) =>
          // The exporter of @effect/opentelemetry wraps its client in this way.
          HttpClient.retryTransient(HttpClient.filterStatusOk(client), {
            schedule: Schedule.forever,
            times: 3
          }).execute(HttpClientRequest.post(address))
        )
      )
      expect([Exit.isFailure(exit), requests]).toEqual([true, 3])
    }
  })
})
