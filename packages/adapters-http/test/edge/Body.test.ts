import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as Body from "@place-access/adapters-http/edge/Body"
import * as BodyBounds from "@place-access/adapters-http/edge/BodyBounds"
import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import * as NodeServer from "@place-access/adapters-http/engine/NodeServer"
import { Cause, Effect, Equal, Exit } from "effect"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"

let close: () => Promise<void> = async () => undefined
afterEach(() => close())

const MAY_BE_INTERRUPTED = [false, true]
/**
 * How long the server waits before it reads the body, in milliseconds. Without a wait, the body arrives while the
 * server reads it. The wait of 60 ms simulates a query to the database: the whole body arrives before the server reads
 * it.
 */
const WAITS_MILLIS = [0, 60]

/** A server that waits, then reads the body twice, and answers with the body or with the refusal. */
const serve = async (waitMillis: number, mayBeInterrupted: boolean) => {
  const app = Effect.gen(function* () {
    const cell = CurrentRequest.make("req_test")
    cell.route = { ...cell.route, reads: new Set(["application/json", "application/x-www-form-urlencoded"]) }
    const request = Body.bounded(yield* HttpServerRequest.HttpServerRequest, cell)
    yield* Effect.sleep(waitMillis)
    const reading = mayBeInterrupted ? Effect.interruptible(request.text) : request.text
    const [first, second] = [yield* Effect.exit(reading), yield* Effect.exit(reading)]
    const outcome = Exit.match(first, {
      onSuccess: (text) => ({ text }),
      onFailure: (cause) => ({ refused: (Cause.squash(cause) as Body.BodyRefused).answer.error })
    })
    return HttpServerResponse.unsafeJson({ ...outcome, isSame: Equal.equals(first, second) })
  })
  return `http://127.0.0.1:${await listen(await Effect.runPromise(NodeServer.listener(app)))}/v1/things`
}

const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  close = () => new Promise((resolve) => void server.close(() => resolve()))
  return (server.address() as AddressInfo).port
}

const post = async (url: string, body: string | Uint8Array<ArrayBuffer>, type = "application/json"): Promise<unknown> =>
  (await fetch(url, { method: "POST", headers: { "content-type": type }, body })).json()

for (const waitMillis of WAITS_MILLIS) {
  for (const mayBeInterrupted of MAY_BE_INTERRUPTED) {
    describe(`a body read after ${waitMillis} ms, ${mayBeInterrupted ? "" : "not "}to be interrupted`, () => {
      it("is the same at each reading; several requests of one connection have their own", async () => {
        const url = await serve(waitMillis, mayBeInterrupted)
        const long = JSON.stringify("é".repeat(200_000))
        for (const text of ['{"a":1}', "", long, '{"b":2}']) {
          expect(await post(url, text)).toEqual({ text, isSame: true })
        }
      })

      it("is refused when it is too large, no UTF-8, or a form with a NUL in it", async () => {
        const url = await serve(waitMillis, mayBeInterrupted)
        const tooLarge = "x".repeat(BodyBounds.ORDINARY.bytes + 1)
        expect(await post(url, tooLarge)).toEqual({ refused: "payload_too_large", isSame: true })
        expect(await post(url, Uint8Array.of(0xff))).toEqual({ refused: "invalid_request", isSame: true })
        const form = "application/x-www-form-urlencoded"
        expect(await post(url, "a=%00", form)).toEqual({ refused: "invalid_request", isSame: true })
        expect(await post(url, "{}", "text/plain")).toEqual({ refused: "unsupported_media_type", isSame: true })
      })
    })
  }
}

describe("a form with more fields than a JSON body may have entries [M11]", () => {
  it("is refused before its fields are read, and text with as many ampersands that is no form is not", async () => {
    const url = await serve(0, true)
    const fields = (count: number) => Array.from({ length: count }, () => "a").join("&")
    const form = "application/x-www-form-urlencoded"
    const { entries } = BodyBounds.ORDINARY
    expect(await post(url, fields(entries), form)).toMatchObject({ text: fields(entries) })
    expect(await post(url, fields(entries + 1), form)).toEqual({ refused: "payload_too_large", isSame: true })
    expect(await post(url, JSON.stringify(fields(entries + 1)))).toMatchObject({
      isSame: true,
      text: expect.anything()
    })
  })
})

describe("a request whose body never arrives ends, although its fiber cannot be interrupted", () => {
  /**
   * Sends the beginning of a request to a server that runs `before` and then reads the body. Returns the refusal. It
   * comes as soon as the server has stopped reading the body.
   */
  const refusal = async (
    head: ReadonlyArray<string>,
    before: (source: IncomingMessage) => Promise<unknown>
  ): Promise<string> => {
    const { promise, resolve } = withResolvers<string>()
    const app = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* Effect.promise(() => before(NodeHttpServerRequest.toIncomingMessage(request)))
      const cell = CurrentRequest.make("req_test")
      cell.route = { ...cell.route, reads: new Set(["application/json"]) }
      const exit = yield* Effect.exit(Body.bounded(request, cell).text)
      resolve(Exit.isSuccess(exit) ? "read" : String((Cause.squash(exit.cause) as Body.BodyRefused).answer.message))
      return HttpServerResponse.empty()
    })
    const port = await listen(await Effect.runPromise(NodeServer.listener(app)))
    const client = connect(port, "127.0.0.1")
    client.on("error", () => undefined)
    client.write(["POST /v1/things HTTP/1.1", "host: a", ...head, "", "{"].join("\r\n"))
    try {
      return await promise
    } finally {
      client.destroy()
    }
  }
  const withResolvers = <A>() => {
    let resolve: (value: A) => void = () => undefined
    const promise = new Promise<A>((found) => void (resolve = found))
    return { promise, resolve }
  }
  /**
   * Ends the request when the server begins to read its body. `Patience`, which limits how long a request may take to
   * arrive, ends requests in the same way.
   */
  const giveUp = async (source: IncomingMessage) => {
    void vi.waitUntil(() => source.listenerCount("data") > 0).then(() => source.destroy())
  }
  const ENDED_EARLY = "The body ended too early"
  const TOO_LARGE = String(BodyBounds.ORDINARY.bytes + 1)

  it("when the server gives it up", async () => {
    expect(await refusal(["content-length: 1000"], giveUp)).toBe(ENDED_EARLY)
  })

  it("when its client hung up before the body was read", async () => {
    const gone = (source: IncomingMessage) =>
      new Promise((resolve) => {
        source.once("close", resolve)
        source.socket.destroy()
      })
    expect(await refusal(["content-length: 1000"], gone)).toBe(ENDED_EARLY)
    expect(await refusal([`content-length: ${TOO_LARGE}`, "connection: close"], gone)).toBe(ENDED_EARLY)
  })

  it("when the rest of a body that is too large never arrives", async () => {
    expect(await refusal([`content-length: ${TOO_LARGE}`, "connection: close"], giveUp)).toMatch(/must be at most/)
  })
})
