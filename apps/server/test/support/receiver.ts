import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Stripe } from "stripe"
import { until } from "./until.js"

/** A POST that the receiver got. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The raw body, because a signature is over the bytes. */
  readonly body: Buffer
  readonly receivedAt: number
}

/** The answer to a request: a status, or a promise of a status when the receiver does not answer immediately. */
type Behaviour = (received: Received, index: number) => number | Promise<number>

/** An app's webhook endpoint on the loopback interface. */
export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Sets how later requests are answered. Until then, every answer is 200. */
  readonly answer: (behaviour: Behaviour) => void
  /** Waits until `enough` returns true, and then returns the requests that arrived so far. */
  readonly until: (
    what: string,
    enough: (received: ReadonlyArray<Received>) => boolean,
    patienceMs?: number
  ) => Promise<ReadonlyArray<Received>>
  readonly close: () => Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Array<Received> = []
  let behaviour: Behaviour = () => 200
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bytes(request)
      const one = { path: request.url ?? "", headers: request.headers, body, receivedAt: Date.now() }
      const index = received.push(one) - 1
      response.writeHead(await behaviour(one, index)).end()
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    answer: (next) => void (behaviour = next),
    until: (what, enough, patienceMs) => until(what, () => (enough(received) ? [...received] : undefined), patienceMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const bytes = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const signatureOf = (received: Received): string => String(received.headers["x-service-signature"])

/**
 * Checks Spec §6.4.2 with independent code: Stripe's libraries verify the same header. Throws when no `v1` matches, or
 * when `t` is more than a minute before the receipt.
 */
export const verifyWithStripe = (received: Received, secret: string): void => {
  const { signature } = Stripe.webhooks
  if (signature === null) throw new Error("This build of stripe checks no signatures")
  signature.verifyHeader(received.body, signatureOf(received), secret, 60, undefined, received.receivedAt)
}
