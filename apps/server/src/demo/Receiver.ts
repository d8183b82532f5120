import { type Verification, verify } from "@place-access/adapters-webhook/verify"
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"

/** A webhook that the demo's app received, and the result of checking its signature. */
export interface Received {
  readonly at: number
  readonly header: string
  readonly body: string
  readonly verification: Verification
}

/** The app's server: receives webhooks, checks their signatures, and answers 200 to genuine ones. */
export interface DemoReceiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Sets the endpoint's secret, which the demo learns only after it has made the endpoint. */
  readonly trust: (secret: string) => void
}

/** Listens on a free port of this machine until the scope closes. `now` is the clock of the service. */
export const start = (
  now: () => number,
  onReceived: (received: Received) => void
): Effect.Effect<DemoReceiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    let secret = ""

    const take = async (request: IncomingMessage): Promise<number> => {
      const header = String(request.headers["x-service-signature"])
      const payload = await buffer(request)
      const at = now()
      const verification = await verify({ payload, header, secrets: secret, now: at })
      const one = { at, header, body: payload.toString("utf8"), verification }
      received.push(one)
      onReceived(one)
      return verification.ok ? 200 : 400
    }

    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          take(request).then(
            (status) => response.writeHead(status).end(),
            () => response.destroy()
          )
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      url: `http://127.0.0.1:${port}/webhooks`,
      received,
      trust: (known) => {
        secret = known
      }
    }
  })
