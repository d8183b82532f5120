import { Effect, Either, Stream } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { StreamRefused, signIn } from "../../src/listen/Service.js"

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** A server that answers like the service, at any base path, and records the requests with their `Origin`. */
const serve = async () => {
  const requests: Array<string> = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.origin}`)
    response.setHeader("set-cookie", "session=1; Path=/").setHeader("content-type", "application/json")
    response.end('{"apps":[]}')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it.each(["", "/foo", "/foo/bar"])(
  "a service that is at %j of its host is asked there, with the host's Origin",
  async (path) => {
    const { origin, requests } = await serve()
    const credentials = { email: "me@example.com", password: "a password", code: Effect.die("nobody asked") }
    await Effect.runPromise(Effect.scoped(Effect.flatMap(signIn(origin + path, credentials), ({ apps }) => apps)))
    expect(requests).toEqual([
      `POST ${path}/v1/session ${origin}`,
      `GET ${path}/v1/developer/apps?limit=500 ${origin}`,
      `DELETE ${path}/v1/session ${origin}`
    ])
  }
)

it("an account with a second factor: the code is asked for once, and a wrong code and a wrong password get different answers [factors-8]", async () => {
  const sent: Array<unknown> = []
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (piece: Buffer) => (text += piece.toString()))
    request.on("end", () => {
      const body = text === "" ? {} : JSON.parse(text)
      sent.push(body)
      response.setHeader("content-type", "application/json")
      if (body.code === undefined && request.method === "POST") {
        response.statusCode = 403
        response.end('{"statusCode":403,"error":"second_factor_required","message":"The password is right."}')
      } else if (body.code === "000000") {
        response.statusCode = 401
        response.end('{"statusCode":401,"error":"not_signed_in","message":"The code is wrong"}')
      } else {
        response.setHeader("set-cookie", "session=1; Path=/").end('{"apps":[]}')
      }
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const withCode = (code: string) =>
    Effect.runPromise(
      Effect.either(
        Effect.scoped(
          Effect.flatMap(
            signIn(origin, { email: "me@example.com", password: "a password", code: Effect.succeed(code) }),
            ({ apps }) => apps
          )
        )
      )
    )
  expect(await withCode("123456")).toEqual(Either.right([]))
  expect(sent.slice(0, 2)).toEqual([
    { email: "me@example.com", password: "a password" },
    { email: "me@example.com", password: "a password", code: "123456" }
  ])
  expect(JSON.stringify(await withCode("000000"))).toContain("The code is wrong, or was used before.")
})

it.each([
  ['{"statusCode":409,"error":"conflict","message":"the app has enough listeners"}', "the app has enough listeners"],
  ["", "it answers 409"]
])("a stream that is refused with 409 says why, so that a lost connection can be made again: %s", async (body, why) => {
  const server = createServer((request, response) => {
    response.setHeader("set-cookie", "session=1; Path=/").setHeader("content-type", "application/json")
    if (request.url?.endsWith("/listen") !== true) return void response.end("{}")
    response.statusCode = 409
    response.end(body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = { email: "me@example.com", password: "a password", code: Effect.die("nobody asked") }
  const opened = Effect.flatMap(signIn(origin, credentials), ({ events }) =>
    Stream.runDrain(events("app_1", { endpoint: undefined, events: [] }))
  )
  const ended = await Effect.runPromise(Effect.scoped(Effect.either(opened)))
  expect(ended).toEqual(Either.left(new StreamRefused({ why })))
})
