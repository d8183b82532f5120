import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { Resolver } from "@place-access/adapters-webhook"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Effect, Fiber } from "effect"
import { describe, expect, it, vi } from "vitest"
import { certificate } from "../../domain/test/support/certificate.js"
import {
  closedPort,
  HEADERS,
  insecure,
  ok,
  post,
  rawReceiver,
  receiver,
  resolvesTo,
  withSender
} from "./support/receiver.js"

const unreachable = (detail: string): WebhookAnswer => ({ _tag: "Unreachable", detail })
const NOT_PUBLIC = unreachable("the host name must resolve to public addresses only")
const TOO_LATE = unreachable("no complete answer within 5 s")
const at = (port: number, path = "/hook", scheme = "http") => `${scheme}://hooks.example.com:${port}${path}`

describe("one post [§6.4]", () => {
  it("is a POST of exactly these bytes with the caller's headers and none of ours that tell on us [deliveries-14]", async () => {
    const { port, received } = await receiver()
    const body = JSON.stringify({ label: 'Mum\'s "place" \\ 🏡 ß' })
    expect(await post(insecure, at(port, "/hook?a=b%20c"), body)).toMatchObject({
      _tag: "Answered",
      status: 200,
      snippet: "ok"
    })
    const [request] = received
    expect(request?.method).toBe("POST")
    expect(request?.url).toBe("/hook?a=b%20c")
    expect(request?.body.toString("utf8")).toBe(body)
    const { connection: _, ...headers } = request?.headers ?? {}
    expect(headers).toEqual({
      host: `hooks.example.com:${port}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "x-service-signature": "t=1,v1=00",
      accept: "*/*",
      "accept-encoding": "identity"
    })
  })

  it("tells the headers of the answer, each value of a header that came twice [deliveries-19]", async () => {
    const { port } = await receiver((_, response) =>
      response.writeHead(403, { server: "gateway", "set-cookie": ["a=1", "b=2"] }).end()
    )
    const answer = await post(insecure, at(port))
    const headers = answer._tag === "Answered" ? (answer.headers ?? []) : []
    expect(headers).toEqual(
      expect.arrayContaining([
        ["server", "gateway"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"]
      ])
    )
  })

  it.each([200, 201, 202, 204, 299, 400, 404, 410, 418, 429, 500, 503])("%i is reported as it is", async (status) => {
    const { port } = await receiver((_, response) => response.writeHead(status).end())
    expect(await post(insecure, at(port))).toMatchObject({ _tag: "Answered", status, snippet: "" })
  })

  it.each([301, 302, 303, 307, 308])("%i is not followed", async (status) => {
    const target = await receiver()
    const { port } = await receiver((_, response) =>
      response.writeHead(status, { location: at(target.port) }).end("moved")
    )
    expect(await post(insecure, at(port))).toMatchObject({ _tag: "Answered", status, snippet: "moved" })
    expect(target.received).toEqual([])
  })

  it("the first KiB of the answer is kept, cut between characters [deliveries-13]", async () => {
    const { port } = await receiver((_, response) => response.end(`${"x".repeat(1_022)}🏡${"y".repeat(5_000)}`))
    const answer = await post(insecure, at(port))
    expect(answer).toMatchObject({ _tag: "Answered", status: 200, snippet: "x".repeat(1_022) })
  })

  it("an interim answer is not the answer", async () => {
    const { port } = await receiver((_, response) => {
      response.writeProcessing()
      setTimeout(() => response.writeHead(201).end("made"), 50)
    })
    expect(await post(insecure, at(port))).toMatchObject({ _tag: "Answered", status: 201, snippet: "made" })
  })

  it("20 interim answers are ignored; at the 21st the attempt fails and the connection is closed [deliveries-1]", async () => {
    let onClose: (() => void) | undefined
    const closed = new Promise<void>((resolve) => (onClose = resolve))
    const { port } = await receiver(({ body }, response) => {
      for (let left = Number(String(body)); left > 0; left--) response.writeProcessing()
      if (String(body) === "20") response.end("made")
      else response.once("close", () => onClose?.())
    })
    expect(await post(insecure, at(port), "20")).toMatchObject({ _tag: "Answered", status: 200, snippet: "made" })
    expect(await post(insecure, at(port), "21")).toEqual({
      _tag: "Unreachable",
      detail: "more than 20 interim answers (1xx) came before the answer"
    })
    await closed
  })

  it("an answer that is not text is no trouble [deliveries-13]", async () => {
    const { port } = await receiver((_, response) => response.end(Buffer.from([0, 255, 254, 65])))
    expect(await post(insecure, at(port))).toMatchObject({
      _tag: "Answered",
      status: 200,
      snippet: "\u0000\ufffd\ufffdA"
    })
  })

  it("connections are used again for a while [deliveries-14]", async () => {
    const { connections, port, received } = await receiver()
    await withSender(insecure, (sender) =>
      Effect.forEach([1, 2, 3, 4], () => sender.post(EndpointUrl.EndpointUrl.make(at(port)), HEADERS, "{}"))
    )
    expect(received.length).toBe(4)
    expect(connections()).toBeLessThan(4)
  })

  it(
    "a receiver cannot keep an idle connection open for longer: its Keep-Alive header only shortens the time [deliveries-14]",
    { timeout: 15_000 },
    async () => {
      const closed = new Promise<void>((resolve) => {
        void rawReceiver((socket) => {
          socket.once("data", () =>
            socket.write("HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 0\r\n\r\n")
          )
          socket.on("close", () => resolve())
        }).then(({ port }) =>
          withSender(insecure, (sender) =>
            // The test waits inside `withSender`, because closing the sender would close the connection too.
            Effect.zipRight(
              sender.post(EndpointUrl.EndpointUrl.make(at(port)), HEADERS, "{}"),
              Effect.promise(() => closed)
            )
          )
        )
      })
      await closed
    }
  )

  it("many at once to one receiver all arrive", async () => {
    const { port, received } = await receiver((_, response) => setTimeout(() => response.end("ok"), 20))
    const answers = await withSender(insecure, (sender) =>
      Effect.forEach(
        Array.from({ length: 60 }),
        (_, index) => sender.post(EndpointUrl.EndpointUrl.make(at(port)), HEADERS, String(index)),
        { concurrency: "unbounded" }
      )
    )
    expect(new Set(answers.map((answer) => answer._tag === "Answered" && answer.status))).toEqual(new Set([200]))
    expect(new Set(received.map(({ body }) => String(body))).size).toBe(60)
  })
})

describe("five seconds for everything [§6.4.5]", () => {
  it(
    "for the headers, for the body after them, for the name look-up, also where nothing may be interrupted [§8-receiver, deliveries-1]",
    { timeout: 15_000 },
    async () => {
      const silent = await rawReceiver(() => undefined)
      const headersDrip = await rawReceiver((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const timer = setInterval(() => socket.write("x-wait: 1\r\n"), 200)
        socket.on("close", () => clearInterval(timer))
      })
      const bodyDrips = await receiver((_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write("."), 200)
        response.on("close", () => clearInterval(timer))
      })
      const unresolved = await receiver()
      const resolver: Resolver.Resolver = () => new Promise(() => undefined)
      // The posts run in parallel, because each takes five seconds.
      const answers = await Promise.all([
        post(insecure, at(silent.port)),
        post(insecure, at(headersDrip.port)),
        post(insecure, at(bodyDrips.port)),
        post({ allowInsecure: true, resolver }, at(unresolved.port)),
        withSender(insecure, (sender) =>
          Effect.uninterruptible(sender.post(EndpointUrl.EndpointUrl.make(at(silent.port)), HEADERS, "{}"))
        )
      ])
      expect(answers).toEqual([TOO_LATE, TOO_LATE, TOO_LATE, TOO_LATE, TOO_LATE])
      expect(unresolved.received).toEqual([])
    }
  )

  it("a body without end is cut off and does not hold anything up: the status decides [§6.4.5]", async () => {
    let sent = 0
    const { port } = await receiver((_, response) => {
      response.writeHead(202)
      const push = (): void => {
        while (!response.destroyed && sent < 500_000_000) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, "x"))) return void response.once("drain", push)
        }
      }
      push()
    })
    expect(await post(insecure, at(port))).toMatchObject({ _tag: "Answered", status: 202, snippet: "x".repeat(1_024) })
    expect(sent).toBeLessThan(100_000_000)
  })

  it("an interruption does not stop a post in an uninterruptible region: its result is stored [endpoints-8]", async () => {
    const { port, received } = await receiver((_, response) => setTimeout(() => response.end("ok"), 200))
    let stored: WebhookAnswer | undefined
    await withSender(insecure, (sender) =>
      Effect.gen(function* () {
        const posting = yield* sender.post(EndpointUrl.EndpointUrl.make(at(port)), HEADERS, "{}").pipe(
          Effect.tap((answer) => Effect.sync(() => (stored = answer))),
          Effect.uninterruptible,
          Effect.fork
        )
        yield* Effect.promise(() => vi.waitFor(() => expect(received.length).toBe(1)))
        yield* Fiber.interrupt(posting)
      })
    )
    expect(stored).toMatchObject({ _tag: "Answered", status: 200, snippet: "ok" })
  })

  it("who stops waiting closes the connection", async () => {
    const closed = new Promise<void>((resolve) => {
      void rawReceiver((socket) => socket.on("close", () => resolve())).then(({ port }) =>
        withSender(insecure, (sender) =>
          Effect.gen(function* () {
            const posting = yield* Effect.fork(sender.post(EndpointUrl.EndpointUrl.make(at(port)), HEADERS, "{}"))
            yield* Effect.sleep("200 millis")
            yield* Fiber.interrupt(posting)
            // The test waits here, while the sender is open, because closing the sender would close the connection too.
            yield* Effect.promise(() => closed)
          })
        )
      )
    })
    await closed
  })
})

describe("each fault of a receiver has its words", () => {
  it("a refused connection", async () => {
    expect(await post(insecure, at(await closedPort()))).toEqual(unreachable("connection refused"))
  })

  it("a reset connection", async () => {
    const { port } = await rawReceiver((socket) => socket.once("data", () => socket.resetAndDestroy()))
    expect(await post(insecure, at(port))).toEqual(unreachable("connection reset"))
  })

  it("100 Continue, which the request does not ask for [deliveries-1]", async () => {
    const answers = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    const { port } = await rawReceiver((socket) => socket.once("data", () => socket.write(answers)))
    const detail = "the answer began with 100 Continue, which this service does not ask for"
    expect(await post(insecure, at(port))).toEqual(unreachable(detail))
  })

  it("the connection is closed without an answer", async () => {
    const { port } = await rawReceiver((socket) => socket.once("data", () => socket.end()))
    expect(await post(insecure, at(port))).toEqual(unreachable("connection closed"))
  })

  it("an answer that is not HTTP", async () => {
    const { port } = await rawReceiver((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n")))
    expect(await post(insecure, at(port))).toEqual(unreachable("the answer is not HTTP"))
  })

  it("the answer's headers have no end", async () => {
    const { port } = await receiver((_, response) => response.writeHead(200, { "x-long": "x".repeat(20_000) }).end())
    expect(await post(insecure, at(port))).toEqual(unreachable("the answer's headers are larger than 16 KiB"))
  })

  it("the connection is lost after the status: the status decides", async () => {
    const { port } = await rawReceiver((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
        setTimeout(() => socket.resetAndDestroy(), 50)
      })
    )
    expect(await post(insecure, at(port))).toMatchObject({ _tag: "Answered", status: 200 })
  })
})

describe("TLS", () => {
  const trusted = certificate("hooks.example.com")
  const overTls = (ca: string) => ({ ...insecure, ca })

  it("a certificate that is valid for the host is accepted, and the host is named in the handshake", async () => {
    const { port, received } = await receiver(ok, trusted)
    expect(await post(overTls(trusted.cert), at(port, "/", "https"))).toMatchObject({ _tag: "Answered", status: 200 })
    expect(received[0]?.headers.host).toBe(`hooks.example.com:${port}`)
  })

  it("a self-signed certificate is refused", async () => {
    const { port, received } = await receiver(ok, trusted)
    expect(await post(insecure, at(port, "/", "https"))).toEqual(unreachable("TLS: the certificate is self-signed"))
    expect(received).toEqual([])
  })

  it("a certificate for another host is refused", async () => {
    const other = certificate("other.example.com")
    const { port, received } = await receiver(ok, other)
    expect(await post(overTls(other.cert), at(port, "/", "https"))).toEqual(
      unreachable("TLS: the certificate is for another host name")
    )
    expect(received).toEqual([])
  })

  it("an expired certificate is refused", async () => {
    const expired = certificate("hooks.example.com", -2)
    const { port, received } = await receiver(ok, expired)
    expect(await post(overTls(expired.cert), at(port, "/", "https"))).toEqual(
      unreachable("TLS: the certificate has expired")
    )
    expect(received).toEqual([])
  })

  it("a receiver that speaks plain HTTP at an https address", async () => {
    const { port } = await receiver()
    const answer = await post(insecure, at(port, "/", "https"))
    expect(answer).toEqual(unreachable("TLS: the handshake failed"))
  })
})

describe("where a webhook may go is checked at every connection [W5]", () => {
  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "::1",
    "::ffff:127.0.0.1",
    "fd00::1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::"
  ])("a name that resolves to %s is refused without a connection", async (address) => {
    const { connections, port } = await receiver()
    const { resolver } = resolvesTo(address)
    expect(await post({ allowInsecure: false, resolver }, at(port, "/", "https"))).toEqual(NOT_PUBLIC)
    expect(connections()).toBe(0)
  })

  it("one private address among public ones is enough", async () => {
    const { resolver } = resolvesTo("93.184.216.34", "2606:4700::1111", "10.0.0.1")
    expect(await post({ allowInsecure: false, resolver }, "https://hooks.example.com/")).toEqual(NOT_PUBLIC)
  })

  it("plain http is refused, also to a public address that was registered when it was allowed [§4.7-url-https]", async () => {
    const { resolver } = resolvesTo("93.184.216.34")
    expect(await post({ allowInsecure: false, resolver }, "http://hooks.example.com/")).toEqual(
      unreachable("the address is not https")
    )
  })

  it("a name without any address is refused", async () => {
    const { resolver } = resolvesTo()
    expect(await post({ allowInsecure: false, resolver }, "https://hooks.example.com/")).toEqual(NOT_PUBLIC)
  })

  it.each([
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "①②⑦.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]"
  ])("the address %s written in the URL is refused, although no name is looked up", async (host) => {
    const { connections, port } = await receiver()
    const { asked, resolver } = resolvesTo("93.184.216.34")
    for (const scheme of ["http", "https"]) {
      expect(await post({ allowInsecure: false, resolver }, `${scheme}://${host}:${port}/`)).toEqual(NOT_PUBLIC)
    }
    expect([connections(), asked]).toEqual([0, []])
  })

  it("a name that is rebound between registration and delivery is caught", async () => {
    const { connections, port } = await receiver()
    let lookups = 0
    const resolver: Resolver.Resolver = () =>
      Promise.resolve([{ address: lookups++ === 0 ? "93.184.216.34" : "127.0.0.1", family: 4 }])
    await withSender({ allowInsecure: false, resolver }, (sender) =>
      Effect.gen(function* () {
        const url = at(port, "/", "https")
        expect(yield* sender.checkUrl(url)).toBeUndefined()
        expect(yield* sender.post(EndpointUrl.EndpointUrl.make(url), HEADERS, "{}")).toEqual(NOT_PUBLIC)
      })
    )
    expect([lookups, connections()]).toEqual([2, 0])
  })

  it("a name that is rebound between two deliveries is caught as soon as a new connection is needed [W5-connection]", async () => {
    const { connections, port } = await receiver((_, response) =>
      response.writeHead(200, { connection: "close" }).end()
    )
    let lookups = 0
    const resolver: Resolver.Resolver = () =>
      Promise.resolve([{ address: lookups++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }])
    const answers = await withSender({ allowInsecure: true, resolver }, (sender) =>
      Effect.forEach([1, 2], () => sender.post(EndpointUrl.EndpointUrl.make(at(port)), HEADERS, "{}"))
    )
    expect(answers).toMatchObject([{ _tag: "Answered", status: 200, snippet: "" }, NOT_PUBLIC])
    expect(connections()).toBe(1)
  })

  it("the address that was checked is the one that is connected to: nothing is looked up twice", async () => {
    const { port } = await receiver()
    const { asked, resolver } = resolvesTo("127.0.0.1")
    expect(await post({ allowInsecure: true, resolver }, at(port))).toMatchObject({ status: 200 })
    expect(asked).toEqual(["hooks.example.com"])
  })
})

describe("whose fault a failed look-up is [W3]", () => {
  it("a name that does not exist is the receiver's", async () => {
    const resolver = () => Promise.reject(new Resolver.LookupFailed("theirs", "the host name does not exist"))
    expect(await post({ allowInsecure: false, resolver }, "https://hooks.example.com/")).toEqual(
      unreachable("the host name must resolve to public addresses only")
    )
  })

  it("a resolver that does not work is ours: nothing was sent", async () => {
    const resolver = () => Promise.reject(new Resolver.LookupFailed("ours", "name look-up is not working"))
    expect(await post({ allowInsecure: false, resolver }, "https://hooks.example.com/")).toEqual({
      _tag: "NotSent",
      detail: "name look-up is not working"
    })
  })

  it("an unexpected error of a resolver tells nothing of itself", async () => {
    const resolver = () => Promise.reject(new Error("queryA ESERVFAIL hooks.example.com via 10.1.2.3"))
    expect(await post({ allowInsecure: false, resolver }, "https://hooks.example.com/")).toEqual(
      unreachable("connection failed")
    )
  })
})
