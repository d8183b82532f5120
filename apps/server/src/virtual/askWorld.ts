import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { request as secureRequest } from "node:https"
import { once } from "node:events"
import { text } from "node:stream/consumers"

/** The answer of a test world. */
interface WorldAnswer {
  readonly isOk: boolean
  readonly status: number
  readonly text: string
}

/**
 * Sends a request to the server of a test world, and waits for the answer without a limit. A move of two years takes
 * minutes, and `fetch` gives up after five. Somebody would repeat a command that gave up, and the clock would move
 * twice.
 */
export const askWorld = (
  address: string,
  path: string,
  body: object | null
): Effect.Effect<WorldAnswer, CannotStart> => {
  let isConnected = false
  return Effect.tryPromise({
    try: async () => {
      const sent = send(new URL(path, address), body)
      sent.once("socket", (socket) => {
        isConnected = !socket.connecting
        socket.once("connect", () => (isConnected = true))
      })
      const [response] = (await once(sent, "response")) as [IncomingMessage]
      const status = response.statusCode ?? 0
      return { isOk: status >= 200 && status < 300, status, text: await text(response) }
    },
    catch: () =>
      new CannotStart({
        message: isConnected
          ? `The server at ${address} broke off before it answered. npm run clock says what the clock shows.`
          : `No server answers at ${address}.`
      })
  })
}

const send = (url: URL, body: object | null): ClientRequest => {
  const make = url.protocol === "https:" ? secureRequest : request
  const sent =
    body === null ? make(url) : make(url, { method: "POST", headers: { "content-type": "application/json" } })
  return sent.end(body === null ? undefined : JSON.stringify(body))
}
