import * as ErrorHelp from "@place-access/adapters-http/wire/ErrorHelp"
import * as SecurityHeaders from "@place-access/adapters-http/edge/SecurityHeaders"
import { startingPage } from "@place-access/adapters-http/pages/startingPage"
import { NodeEntropy } from "@place-access/adapters-pg"
import { Entropy } from "@place-access/domain/shared"
import { VERSION } from "@place-access/worker"
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * Answers requests that arrive before the handlers are attached. A browser gets a page that reloads itself. The answers
 * say that the process is alive but not ready, and `/readyz` also says what is missing.
 */
export const answering = (baseUrl: string) => {
  const withHeaders = SecurityHeaders.make({ baseUrl })
  const entropy = NodeEntropy.make()
  return (request: IncomingMessage, response: ServerResponse, missing: string): void => {
    const { url } = request
    const id = Effect.runSync(Entropy.idFrom(entropy, "req"))
    const write = (status: number, headers: Readonly<Record<string, string>>, body: string): void => {
      const more = { "retry-after": "1", "content-length": String(Buffer.byteLength(body)) }
      response.writeHead(status, withHeaders(headers, more, id))
      response.end(body)
    }
    const json = (status: number, body: object): void =>
      write(status, { "content-type": "application/json" }, JSON.stringify(body))
    if (url === "/healthz") return json(200, { status: "starting", version: VERSION })
    const page = url === "/readyz" ? undefined : startingPage(request)
    if (page !== undefined) return write(503, page.headers, page.body)
    const message = url === "/readyz" ? `The server is starting: ${missing}` : "The server is starting"
    json(503, { statusCode: 503, error: "unavailable", message, ...ErrorHelp.of("unavailable", id, { baseUrl }) })
  }
}
