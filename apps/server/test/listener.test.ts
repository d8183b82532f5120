import { Effect } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as Listener from "../src/Listener.js"
import { freePort } from "./support/processes.js"

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
