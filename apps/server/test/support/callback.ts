import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { until } from "./until.js"

/** The web server of an app, to which browsers return with a code. */
export interface Callback {
  /** The address of this server, to be registered as a redirect URI. */
  readonly uri: string
  /** Waits until a browser returns with this `state`, and returns the query of its address. */
  readonly answer: (state: string) => Promise<URLSearchParams>
  readonly close: () => Promise<void>
}

export const startCallback = async (): Promise<Callback> => {
  const arrived: Array<URLSearchParams> = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://app.invalid")
    if (url.pathname === "/callback") arrived.push(url.searchParams)
    response.writeHead(url.pathname === "/callback" ? 200 : 404, { "content-type": "text/html; charset=utf-8" })
    response.end("<!doctype html><title>App</title><p>Connected</p>")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    uri: `http://127.0.0.1:${port}/callback`,
    answer: (state) =>
      until("the browser to come back to the app", () => arrived.find((query) => query.get("state") === state)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
