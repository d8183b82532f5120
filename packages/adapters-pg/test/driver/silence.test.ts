import * as Silence from "@place-access/adapters-pg/driver/Silence"
import { Effect, Exit, Scope } from "effect"
import { EventEmitter } from "node:events"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type pg from "pg"
import { afterEach, beforeEach, expect, it, vi } from "vitest"

/** A client with the parts that `driver/Silence.ts` reads: a statement is in flight, and no bytes arrive. */
const silentClient = () => {
  const stream = { bytesRead: 7, destroy: vi.fn<(error: Error) => void>() }
  return { stream, connection: { stream }, processID: 1, _getActiveQuery: () => ({}) }
}

const rejections: Array<unknown> = []
const onRejection = (reason: unknown) => void rejections.push(reason)

/** A database server that accepts connections and never answers. */
let server: Server
let open: Set<Socket>
beforeEach(async () => {
  open = new Set()
  server = createServer((socket) => {
    open.add(socket)
    socket
      .on("error", () => undefined)
      .on("close", () => open.delete(socket))
      .resume()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  rejections.length = 0
  process.on("unhandledRejection", onRejection)
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
})
afterEach(async () => {
  vi.useRealTimers()
  process.off("unhandledRejection", onRejection)
  for (const socket of open) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const watched = async (config: pg.ClientConfig) => {
  const pool = new EventEmitter()
  const scope = await Effect.runPromise(Scope.make())
  await Effect.runPromise(Scope.extend(Silence.watch(pool as pg.Pool, config), scope))
  const client = silentClient()
  pool.emit("connect", client)
  return { client, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Runs four checks of the watch, one each second. The first check only notes how many bytes have arrived. */
const look = () => vi.advanceTimersByTime(4_000)

/**
 * Runs checks of the watch until the watch opens a connection to the server, to test whether the server still answers.
 */
const untilProbed = () =>
  vi.waitUntil(() => {
    look()
    return open.size === 1
  })

const silent = () => ({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, user: "test" })

it("a probe that cannot even begin (its certificate's file is gone) does not end the process, and closes nothing", async () => {
  const { client, close } = await watched({ connectionString: "postgres://u@127.0.0.1/d?sslcert=/nowhere/at/all.pem" })
  for (const _ of ["once", "and again"]) {
    look()
    await pause(20)
  }
  expect(rejections).toEqual([])
  expect(client.stream.destroy).not.toHaveBeenCalled()
  await close()
})

it("a probe under way ends with the pool: its connection is closed at once, and what it would have found is left", async () => {
  const { client, close } = await watched(silent())
  await untilProbed()
  await close()
  await vi.waitUntil(() => open.size === 0)
  await pause(20)
  expect(client.stream.destroy).not.toHaveBeenCalled()
  expect(rejections).toEqual([])
})

it("a server that says nothing to two probes in a row: the connection is closed, with an error that passes", async () => {
  const { client, close } = await watched(silent())
  const refuse = () => open.forEach((socket) => socket.destroy())
  await untilProbed()
  refuse()
  await vi.waitUntil(() => open.size === 0)
  expect(client.stream.destroy).not.toHaveBeenCalled()
  await untilProbed()
  refuse()
  await vi.waitUntil(() => client.stream.destroy.mock.calls.length > 0)
  expect(client.stream.destroy).toHaveBeenCalledWith(expect.objectContaining({ code: "ETIMEDOUT" }))
  await close()
})
