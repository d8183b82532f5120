import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createHttps } from "node:https"
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net"
import { HttpWebhookSender, type Resolver } from "@place-access/adapters-webhook"
import { WebhookSender } from "@place-access/domain/endpoints"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Effect } from "effect"
import { afterEach } from "vitest"
import type { Certificate } from "../../../domain/test/support/certificate.js"

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer
}

export interface Receiver {
  readonly port: number
  readonly received: ReadonlyArray<Received>
  /** How many connections the receiver has accepted. */
  readonly connections: () => number
}

const running: Array<() => Promise<void>> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()))
})

const listen = async (server: Server): Promise<{ readonly port: number; readonly connections: () => number }> => {
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on("connection", (socket) => {
    accepted++
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  running.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, connections: () => accepted }
}

export type Reply = (request: Received, response: ServerResponse) => void

export const ok: Reply = (_, response) => response.writeHead(200).end("ok")

/** An HTTP receiver on loopback. With a certificate it uses TLS. */
export const receiver = async (reply: Reply = ok, tls?: Certificate): Promise<Receiver> => {
  const received: Array<Received> = []
  const listener: RequestListener = (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", rawHeaders, url = "" } = request
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks) }
      received.push(one)
      reply(one, response)
    })
  }
  const server = tls === undefined ? createHttp(listener) : createHttps(tls, listener)
  return { received, ...(await listen(server)) }
}

/** A receiver without HTTP: the test reads and writes the bytes of the socket. */
export const rawReceiver = async (onConnection: (socket: Socket) => void): Promise<Receiver> => {
  const server = createTcp(onConnection)
  return { received: [], ...(await listen(server)) }
}

/** A port of this machine on which no program listens. */
export const closedPort = async (): Promise<number> => {
  const server = createTcp()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A resolver that returns the same addresses for every name, and records the names. */
export const resolvesTo = (...addresses: ReadonlyArray<string>) => {
  const hostnames: Array<string> = []
  const resolver: Resolver.Resolver = (hostname) => {
    hostnames.push(hostname)
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
  }
  return { resolver, asked: hostnames }
}

export const HEADERS = [
  ["content-type", "application/json"],
  ["X-Service-Signature", "t=1,v1=00"]
] as const

/** Runs a test with one sender, and closes the sender's connections afterwards. */
export const withSender = <A>(
  options: HttpWebhookSender.SenderOptions,
  use: (sender: typeof WebhookSender.Service) => Effect.Effect<A>
): Promise<A> =>
  Effect.runPromise(Effect.flatMap(WebhookSender, use).pipe(Effect.provide(HttpWebhookSender.layer(options))))

/** Makes one POST with a new sender. */
export const post = (options: HttpWebhookSender.SenderOptions, url: string, body = "{}"): Promise<WebhookAnswer> =>
  withSender(options, (sender) => sender.post(EndpointUrl.EndpointUrl.make(url), HEADERS, body))

/** The settings for development: http and loopback are allowed. */
export const insecure = { allowInsecure: true, resolver: resolvesTo("127.0.0.1").resolver }
