import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { signIn } from "../../src/listen/Service.js"

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** Answers like the service, at any base path, and records the requests with their `Origin`. */
const serve = async () => {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.origin}`)
    response.setHeader("set-cookie", "session=1; Path=/").setHeader("content-type", "application/json")
    response.end('{"apps":[]}')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it.each(["", "/foo", "/foo/bar"])(
  "a service that is at %j of its host is asked there, with the host's Origin",
  async (path) => {
    const { asked, origin } = await serve()
    const credentials = { email: "me@example.com", password: "a password" }
    await Effect.runPromise(Effect.scoped(Effect.flatMap(signIn(origin + path, credentials), ({ apps }) => apps)))
    expect(asked).toEqual([
      `POST ${path}/v1/session ${origin}`,
      `GET ${path}/v1/developer/apps?limit=500 ${origin}`,
      `DELETE ${path}/v1/session ${origin}`
    ])
  }
)
