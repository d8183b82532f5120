import { HttpServer, HttpServerResponse } from "@effect/platform"
import { HttpLive } from "@place-access/adapters-http"
import { Account, createAccount, signIn } from "@place-access/domain/accounts"
import { MemoryDatabase, MemoryImportReader } from "@place-access/domain/testing"
import { Effect, Layer, Stream } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as Listener from "../src/http/Listener.js"
import { optionsAt } from "../../../packages/adapters-http/test/support/options.js"
import { Stores } from "../../../packages/adapters-http/test/support/stores.js"
import { freePort } from "./support/freePort.js"

const TWO_MINUTES = 120_000
const HALF_AN_HOUR = 1_800_000

let listener: Listener.HttpListener
let client: Socket
let port: number
beforeEach(async () => {
  port = await freePort()
  listener = Listener.make("127.0.0.1", port, "https://places.example")
  await Effect.runPromise(listener.listen)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  client = connect(port, "127.0.0.1")
})
afterEach(async () => {
  vi.useRealTimers()
  client.destroy()
  await Effect.runPromise(listener.close)
})

describe("while the server starts", () => {
  const ask = async (path: string, headers: string) => {
    client.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`)
    const [answer] = (await once(client, "data")) as ReadonlyArray<Buffer>
    return answer?.toString() ?? ""
  }

  it.each([
    ["en", "The service is starting"],
    ["de-AT,de;q=0.9", "Der Dienst startet gerade"]
  ])("a browser gets a page that loads itself again, in its language: %s", async (language, title) => {
    const answer = await ask("/portal/places", `accept: text/html,*/*;q=0.8\r\naccept-language: ${language}\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 503 /)
    expect(answer).toContain("content-type: text/html")
    expect(answer).toContain(`<h1>${title}</h1>`)
    expect(answer).toContain('http-equiv="refresh"')
  })

  it("an answer has the headers of every answer, and an error the id of the request and the page of its code", async () => {
    const answer = await ask("/v1/me", "accept: */*\r\n")
    const [head = "", body = ""] = answer.split("\r\n\r\n")
    const headers = Object.fromEntries(head.split("\r\n").map((line) => line.split(": ")))
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin",
      "retry-after": "1",
      "strict-transport-security": "max-age=63072000",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-request-id": expect.stringMatching(/^req_[a-z0-9]{24}$/)
    })
    expect(JSON.parse(body)).toEqual({
      statusCode: 503,
      error: "unavailable",
      message: "The server is starting",
      request_id: headers["x-request-id"],
      doc_url: "https://places.example/docs/errors/unavailable"
    })
    expect(await ask("/", "accept: text/html\r\n")).toMatch(/^x-frame-options: DENY\r$/im)
  })

  it("programs and supervisors get JSON", async () => {
    expect(await ask("/v1/me", "accept: */*\r\n")).toContain('"error":"unavailable"')
    expect(await ask("/readyz", "accept: text/html\r\n")).toContain("The server is starting: ")
    expect(await ask("/healthz", "accept: text/html\r\n")).toContain('"status":"starting"')
  })
})

describe("a request that takes too long to arrive", () => {
  it("is given up after two minutes, also when it was answered before it was whole", async () => {
    client.write("POST /v1/rules/place HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{")
    const [answer] = (await once(client, "data")) as ReadonlyArray<Buffer>
    expect(answer?.toString()).toMatch(/^HTTP\/1.1 503 /)
    // The time-out counts from the beginning of the request. A further byte must not extend the time-out.
    client.write(" ")
    const closed = closing()
    vi.advanceTimersByTime(TWO_MINUTES)
    await closed
  })

  it.each([
    ["nobody is signed in, to the API", "/v1/user/imports", false, 401],
    ["nobody is signed in, to the portal", "/portal/imports", false, 303],
    ["somebody is signed in, to an address that only ends alike", "/nowhere/imports", true, 404],
    ["somebody is signed in, to an import that is there", "/v1/user/imports/imp_1", true, 405]
  ])("%s: two minutes, not half an hour", async (_, path, signedIn, status) => {
    const { cookie } = await service()
    client.write(head(path, signedIn ? cookie : ""))
    const [answer] = (await once(client, "data")) as ReadonlyArray<Buffer>
    expect(answer?.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    client.write(" ")
    const closed = closing()
    vi.advanceTimersByTime(TWO_MINUTES)
    await closed
  })

  it("a file of somebody who is signed in: half an hour", async () => {
    const { cookie, imports } = await service()
    client.write(head("/v1/user/imports", cookie) + FILE.slice(0, -1))
    await vi.waitUntil(async () => (await imports()) === 1, { timeout: 60_000 })
    // While the test waited for the import, the clock moved on a little. So the test moves the clock by two minutes
    // less than half an hour, and the time-out must not have ended.
    vi.advanceTimersByTime(HALF_AN_HOUR - TWO_MINUTES)
    client.write(FILE.slice(-1))
    const [answer] = (await once(client, "data")) as ReadonlyArray<Buffer>
    expect(answer?.toString()).toMatch(/^HTTP\/1.1 201 /)
  })

  it("and then it is given up, and nothing of it stays", async () => {
    const { cookie, imports } = await service()
    client.write(head("/v1/user/imports", cookie) + FILE.slice(0, -1))
    await vi.waitUntil(async () => (await imports()) === 1, { timeout: 60_000 })
    const closed = closing()
    vi.advanceTimersByTime(HALF_AN_HOUR)
    await closed
    await vi.waitUntil(async () => (await imports()) === 0, { timeout: 60_000 })
  })
})

/** The file is longer than one stored piece, so that its beginning is stored before the rest arrives. */
const FILE = `${MemoryImportReader.FIRST_LINE}\n`.padEnd(200_000, " ")

/** Resolves when the client notices that the connection was closed or reset. */
const closing = () => new Promise((resolve) => client.once("error", resolve).once("close", resolve))

const head = (path: string, cookie: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: a",
    `origin: ${url()}`,
    ...(cookie === "" ? [] : [`cookie: session=${cookie}`]),
    "content-type: application/gpx+xml",
    `content-length: ${FILE.length}`,
    "",
    ""
  ].join("\r\n")

const url = () => `http://127.0.0.1:${port}`

/** The whole HTTP side behind the listener, and a signed-in user. */
const service = async () => {
  const stores = await Effect.runPromise(Effect.scoped(Layer.build(Stores)))
  const http = HttpLive.layer(optionsAt(url())).pipe(
    Layer.provide(Layer.succeedContext(stores)),
    Layer.provide(listener.layer)
  )
  await Effect.runPromise(Effect.scoped(Layer.build(http)))
  const email = Account.Email.make("robin@example.com")
  const { cookie } = await Effect.runPromise(
    createAccount({ email, password: Account.Password.make(PASSWORD), roles: [] }).pipe(
      Effect.zipRight(signIn({ email, password: PASSWORD, address: "192.0.2.1" })),
      Effect.provide(stores)
    )
  )
  const imports = () =>
    Effect.runPromise(
      Effect.provide(
        Effect.map(MemoryDatabase, (all) => all.imports.size),
        stores
      )
    )
  return { cookie, imports }
}

const PASSWORD = "correct horse battery"

describe("an answer that goes on", () => {
  it("is not cut after two minutes: its request has arrived; and it hears of the server's stop", async () => {
    const later = Stream.fromEffect(Effect.as(listener.stopping, "and the rest"))
    const body = Stream.concat(Stream.make("the beginning "), later)
    const app = Effect.succeed(HttpServerResponse.stream(Stream.encodeText(body)))
    await Effect.runPromise(Effect.scoped(Layer.build(HttpServer.serve(app).pipe(Layer.provide(listener.layer)))))
    let seen = ""
    client.on("data", (chunk: Buffer) => (seen += chunk.toString()))
    client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    while (!seen.includes("the beginning ")) await once(client, "data")
    vi.advanceTimersByTime(2 * TWO_MINUTES)
    vi.useRealTimers()
    const closed = new Promise((resolve) => client.once("close", resolve))
    await Effect.runPromise(listener.drain(0))
    await closed
    expect(seen).toContain("and the rest")
  })
})
