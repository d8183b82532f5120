import { HttpServer, HttpServerResponse } from "@effect/platform"
import { Effect, Layer, Stream } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as Listener from "../src/Listener.js"
import { freePort } from "./support/freePort.js"

const TWO_MINUTES = 120_000

let listener: Listener.Listener
let client: Socket
beforeEach(async () => {
  const port = await freePort()
  listener = Listener.make("127.0.0.1", port)
  await Effect.runPromise(listener.listen)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  client = connect(port, "127.0.0.1")
})
afterEach(async () => {
  vi.useRealTimers()
  client.destroy()
  await Effect.runPromise(listener.close)
})

describe("a request that takes too long to arrive", () => {
  it("is given up after two minutes, also when it was answered before it was whole", async () => {
    client.write("POST /v1/rules/place HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{")
    const [answer] = (await once(client, "data")) as ReadonlyArray<Buffer>
    expect(answer?.toString()).toMatch(/^HTTP\/1.1 503 /)
    // The next of the drops that would keep the connection open.
    client.write(" ")
    // Closed or reset, whichever the client hears of.
    const closed = new Promise((resolve) => client.once("error", resolve).once("close", resolve))
    vi.advanceTimersByTime(TWO_MINUTES)
    await closed
  })
})

describe("an answer that goes on", () => {
  it("is not cut after two minutes: its request has arrived; and it hears when the server is told to stop", async () => {
    const later = Stream.fromEffect(Effect.as(listener.stopping, "and the rest"))
    const body = Stream.concat(Stream.make("the beginning "), later)
    const app = Effect.succeed(HttpServerResponse.stream(Stream.encodeText(body)))
    await Effect.runPromise(Effect.scoped(Layer.build(HttpServer.serve(app).pipe(Layer.provide(listener.layer)))))
    let seen = ""
    client.on("data", (chunk: Buffer) => (seen += chunk.toString()))
    client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    while (!seen.includes("the beginning ")) await once(client, "data")
    vi.advanceTimersByTime(2 * TWO_MINUTES)
    vi.useRealTimers()
    const closed = new Promise((resolve) => client.once("close", resolve))
    await Effect.runPromise(listener.drain)
    await closed
    expect(seen).toContain("and the rest")
  })
})
