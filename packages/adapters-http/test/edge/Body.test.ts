import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as Body from "@place-access/adapters-http/edge/Body"
import * as BodyBounds from "@place-access/adapters-http/edge/BodyBounds"
import * as CurrentRequest from "@place-access/adapters-http/edge/CurrentRequest"
import * as NodeServer from "@place-access/adapters-http/engine/NodeServer"
import { Cause, Effect, Equal, Exit } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"

let close: () => Promise<void> = async () => undefined
afterEach(() => close())

const MAY_BE_INTERRUPTED = [false, true]
/**
 * How long the server waits before it reads the body: so that the body has not arrived yet, or has arrived, as after a
 * query to the database.
 */
const WAITS_MILLIS = [0, 60]

/** A server that reads the body twice, after a wait, and answers with the body or with the refusal. */
const serve = async (waitMillis: number, mayBeInterrupted: boolean) => {
  const app = Effect.gen(function* () {
    const cell = CurrentRequest.make("req_test")
    cell.route = { ...cell.route, reads: new Set(["application/json", "application/x-www-form-urlencoded"]) }
    const request = Body.bounded(yield* HttpServerRequest.HttpServerRequest, cell)
    yield* Effect.sleep(waitMillis)
    const reading = mayBeInterrupted ? Effect.interruptible(request.text) : request.text
    const [first, second] = [yield* Effect.exit(reading), yield* Effect.exit(reading)]
    const said = Exit.match(first, {
      onSuccess: (text) => ({ text }),
      onFailure: (cause) => ({ refused: (Cause.squash(cause) as Body.BodyRefused).answer.error })
    })
    return HttpServerResponse.unsafeJson({ ...said, isSame: Equal.equals(first, second) })
  })
  const server = createServer(await Effect.runPromise(NodeServer.listener(app)))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  close = () => new Promise((resolve) => void server.close(() => resolve()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/things`
}

const post = async (url: string, body: string | Uint8Array<ArrayBuffer>, type = "application/json"): Promise<unknown> =>
  (await fetch(url, { method: "POST", headers: { "content-type": type }, body })).json()

for (const waitMillis of WAITS_MILLIS) {
  for (const mayBeInterrupted of MAY_BE_INTERRUPTED) {
    describe(`a body read after ${waitMillis} ms, ${mayBeInterrupted ? "" : "not "}to be interrupted`, () => {
      it("is the same however often it is read; several requests of one connection have their own", async () => {
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
