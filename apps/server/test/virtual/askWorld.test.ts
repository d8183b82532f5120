import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import { askWorld } from "../../src/virtual/askWorld.js"

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

const listening = async (listener: RequestListener): Promise<string> => {
  server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const ask = (address: string, body: object | null) =>
  Effect.runPromise(Effect.either(askWorld(address, "/dev/clock", body)))

/**
 * The global name under which Node keeps the dispatcher of `fetch`: the object that sends the requests, with its time
 * limits.
 */
const FETCH = Symbol.for("undici.globalDispatcher.1")
interface Limits {
  readonly constructor: new (options: object) => Limits
}
const parts = globalThis as unknown as Record<symbol, Limits>

describe("the command that moves the clock of a test world", () => {
  it("waits for the answer without a limit of time", async () => {
    const address = await listening(async (request, response) => {
      await pause(2_500)
      response.end(`${request.method} ${request.headers["content-type"]}`)
    })
    // A dispatcher with which `fetch` gives up when no answer has begun after a second. With the usual limit of five
    // minutes, the test would take longer. The first `fetch` makes Node create its dispatcher.
    await fetch("data:,")
    const usual = parts[FETCH]!
    parts[FETCH] = new usual.constructor({ headersTimeout: 1_000 })
    try {
      const answer = { isOk: true, status: 200, text: "POST application/json" }
      expect(await ask(address, { advance: "731d" })).toMatchObject({ right: answer })
    } finally {
      parts[FETCH] = usual
    }
  })

  it("gives back a refusal, and a question without a body is a GET", async () => {
    const address = await listening((request, response) => void response.writeHead(404).end(request.method))
    expect(await ask(address, null)).toMatchObject({ right: { isOk: false, status: 404, text: "GET" } })
  })

  it("says whether no server answers, or the server broke off while the clock may have moved", async () => {
    const address = await listening((request) => request.socket.destroy())
    expect(await ask(address, { advance: "1d" })).toMatchObject({
      left: {
        message: `The server at ${address} broke off before it answered. npm run clock says what the clock shows.`
      }
    })
    server?.close()
    await once(server as Server, "close")
    expect(await ask(address, { advance: "1d" })).toMatchObject({
      left: { message: `No server answers at ${address}.` }
    })
  })
})
