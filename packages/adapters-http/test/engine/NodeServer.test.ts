import { type HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as NodeServer from "@place-access/adapters-http/engine/NodeServer"
import { Deferred, Effect, FiberId, Logger, Stream } from "effect"
import { createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { raw } from "../support/wire.js"

let close: () => Promise<void> = async () => undefined
afterEach(() => close())

/** Starts a server, and returns its address and its log. */
const serve = async (app: HttpApp.Default) => {
  const log: Array<string> = []
  const logger = Logger.make(({ message }) => void log.push(String(message)))
  const listener = await Effect.runPromise(
    NodeServer.listener(app).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  )
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  close = () => new Promise((resolve) => void server.close(() => resolve()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, log }
}

it("an answer whose head node refuses is a 500 and a line in the log, not a client that waits", async () => {
  const { log, url } = await serve(Effect.succeed(HttpServerResponse.empty({ headers: { location: "/a\nb: c" } })))
  expect(await raw(url, ["GET / HTTP/1.1", "host: x"])).toMatch(/^HTTP\/1\.1 500 /)
  expect(log).toEqual(["request not answered"])
})

it("a stream that breaks takes the connection with it: what came before does not look whole", async () => {
  const gate = Deferred.unsafeMake<never, string>(FiberId.none)
  const broken = Stream.concat(Stream.make(Buffer.from("first")), Stream.fromEffect(Deferred.await(gate)))
  const { log, url } = await serve(Effect.succeed(HttpServerResponse.stream(broken)))
  const reader = (await fetch(url)).body!.getReader()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe("first")
  Deferred.unsafeDone(gate, Effect.fail("broken"))
  await expect(reader.read()).rejects.toThrow("terminated")
  expect(log).toEqual(["answer ended early"])
})

it("a stream that ends is a whole answer", async () => {
  const { url } = await serve(Effect.succeed(HttpServerResponse.stream(Stream.make(Buffer.from("all")))))
  expect(await (await fetch(url)).text()).toBe("all")
})

it("no more of a stream is made than the client takes, and it ends with the client", async () => {
  const chunk = Buffer.alloc(64 * 1_024)
  let made = 0
  const ended = Deferred.unsafeMake<void>(FiberId.none)
  const endless = Stream.repeatEffect(
    Effect.sync(() => {
      made++
      return chunk
    })
  ).pipe(Stream.take(4_096), Stream.ensuring(Deferred.succeed(ended, undefined)))
  const { url } = await serve(Effect.succeed(HttpServerResponse.stream(endless)))
  const call = request(url).on("error", () => undefined)
  call.end()
  const answer = await new Promise<IncomingMessage>((resolve) => call.once("response", resolve))
  answer.pause().on("error", () => undefined)
  for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve))
  // The client reads nothing, so the server may make only the chunks that the buffers of the sockets take, which are
  // less than a quarter of the stream (4,096 chunks).
  expect(made).toBeLessThan(1_024)
  call.destroy()
  await Effect.runPromise(Deferred.await(ended))
})

it("HEAD is answered with the head alone", async () => {
  const { url } = await serve(
    Effect.map(HttpServerRequest.HttpServerRequest, ({ method }) => HttpServerResponse.unsafeJson({ method }))
  )
  const answer = await raw(url, ["HEAD / HTTP/1.1", "host: x"])
  expect(answer).toMatch(/content-length: 17\r\n/)
  expect(answer.endsWith("\r\n\r\n")).toBe(true)
})

it("a client that goes away interrupts what answers it", async () => {
  const [began, ended] = [Deferred.unsafeMake<void>(FiberId.none), Deferred.unsafeMake<void>(FiberId.none)]
  const { url } = await serve(
    Deferred.succeed(began, undefined).pipe(
      Effect.zipRight(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(ended, undefined)),
      Effect.interruptible
    )
  )
  const call = request(url).on("error", () => undefined)
  call.end()
  await Effect.runPromise(Deferred.await(began))
  call.destroy()
  await Effect.runPromise(Deferred.await(ended))
})
