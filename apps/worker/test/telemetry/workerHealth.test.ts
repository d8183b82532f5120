import { Effect } from "effect"
import { createServer, type AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import * as MetricsListener from "../../src/telemetry/MetricsListener.js"
import { VERSION } from "../../src/version.js"
import * as WorkerHealth from "../../src/telemetry/WorkerHealth.js"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

describe("a worker is healthy [leases-4]", () => {
  it("from its first read of the outbox and its first claim until 10 s after the last ones", () => {
    let now = 1_000_000
    const health = WorkerHealth.make(() => now)
    expect(health.answer()).toEqual({
      status: 503,
      body: { status: "starting", version: VERSION, message: "The worker has not read the outbox yet" }
    })
    health.noteRead("fan-out")
    expect(health.answer().body["message"]).toBe("The worker has not claimed deliveries yet")
    health.noteRead("delivery")
    now += 10_000
    expect(health.answer()).toEqual({ status: 200, body: { status: "ok", version: VERSION } })
    now += 24_000
    expect(health.answer()).toEqual({
      status: 503,
      body: { status: "stalled", version: VERSION, message: "The worker last read the outbox 34 s ago" }
    })
    health.noteRead("fan-out")
    expect(health.answer()).toMatchObject({
      status: 503,
      body: { status: "stalled", message: "The worker last claimed deliveries 34 s ago" }
    })
    health.noteRead("delivery")
    expect(health.answer().status).toBe(200)
  })

  it("and says that the clock is why, while a wrong clock keeps it from its work", () => {
    let [now, isClockRight] = [0, false]
    const health = WorkerHealth.make(
      () => now,
      () => isClockRight
    )
    const wrong = "this machine's clock differs from the database's by more than 10 s"
    expect(health.answer().body["message"]).toBe(`The worker has not read the outbox yet: ${wrong}`)
    health.noteRead("fan-out")
    health.noteRead("delivery")
    // The worker has just stopped its work.
    expect(health.answer().status).toBe(200)
    now += 11_000
    expect(health.answer().body["message"]).toBe(`The worker last read the outbox 11 s ago: ${wrong}`)
    isClockRight = true
    expect(health.answer().body["message"]).toBe("The worker last read the outbox 11 s ago")
  })
})

describe("the listener of the metrics", () => {
  const answers = (health?: WorkerHealth.WorkerHealth["answer"]) =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      yield* MetricsListener.listen({ host: "127.0.0.1", port }, () => undefined, health)
      const call = (path: string, method = "GET") =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
          return [response.status, response.headers.get("content-type"), await response.text()] as const
        })
      return {
        metrics: (yield* call("/metrics"))[0],
        health: yield* call("/healthz?verbose"),
        post: (yield* call("/healthz", "POST"))[0],
        other: (yield* call("/toString"))[0]
      }
    }).pipe(Effect.scoped, Effect.runPromise)

  it("answers /healthz of a worker with its health [leases-4]", async () => {
    const stalled = { status: 503, body: { status: "stalled" } } as const
    expect(await answers(() => stalled)).toEqual({
      metrics: 200,
      health: [503, "application/json", '{"status":"stalled"}'],
      post: 405,
      other: 404
    })
  })

  it("has no /healthz in a server, which answers it on its own port", async () => {
    expect(await answers()).toMatchObject({ metrics: 200, health: [404, null, ""], post: 404 })
  })
})
