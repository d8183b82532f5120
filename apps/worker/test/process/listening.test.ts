import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import * as Listening from "../../src/process/Listening.js"

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const listen = (address: Listening.ListeningAddress, server = createServer()) => {
  servers.push(server)
  return Effect.runPromise(
    Effect.either(Listening.listen(server, address, { host: "METRICS_HOST", port: "METRICS_PORT" }))
  )
}

it("a port that is taken: says so, and which variable names another", async () => {
  const server = createServer()
  expect(await listen({ host: "127.0.0.1", port: 0 }, server)).toMatchObject({ _tag: "Right" })
  const { port } = server.address() as AddressInfo
  expect(await listen({ host: "127.0.0.1", port })).toMatchObject({
    left: { message: `Port ${port} of 127.0.0.1 is in use by another program: choose another port with METRICS_PORT.` }
  })
})

it.each(["192.0.2.1", "no-such-host.invalid"])(
  "%s, no address of ours: names the variable, not what is in it",
  async (host) => {
    expect(await listen({ host, port: 0 })).toMatchObject({
      left: { message: expect.stringMatching(/^METRICS_HOST is no address of this machine/), _tag: "CannotStart" }
    })
  }
)
