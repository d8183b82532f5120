import { Effect, type Scope } from "effect"
import { createServer } from "node:http"
import type { CannotStart } from "../CannotStart.js"
import * as Listening from "../process/Listening.js"
import type { HealthAnswer, WorkerHealth } from "./WorkerHealth.js"
import * as Prometheus from "./Prometheus.js"

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/**
 * Serves `GET /metrics` on a separate port, until the scope closes. On the port of the service, the metrics would be
 * public unless the proxy hid them. With `health`, this port also serves `GET /healthz`, because a worker has no other
 * port.
 */
export const listen = (
  address: Listening.ListeningAddress,
  read: () => void,
  health?: WorkerHealth["answer"]
): Effect.Effect<void, CannotStart, Scope.Scope> =>
  Effect.gen(function* () {
    const answers: Readonly<Record<string, () => Answer>> = {
      "/metrics": () => {
        read()
        return { status: 200, type: Prometheus.CONTENT_TYPE, text: Prometheus.render() }
      },
      ...(health === undefined ? {} : { "/healthz": () => asJson(health()) })
    }
    const server = createServer((request, response) => {
      const path = (request.url ?? "").replace(/[?#].*$/s, "")
      const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
      if (answer === undefined || (request.method !== "GET" && request.method !== "HEAD")) {
        response.writeHead(answer === undefined ? 404 : 405, { "content-length": 0 }).end()
        return
      }
      const { status, text, type } = answer()
      response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(text),
        "cache-control": "no-store"
      })
      response.end(request.method === "HEAD" ? undefined : text)
    })
    yield* Effect.acquireRelease(
      Listening.listen(server, address, { host: "METRICS_HOST", port: "METRICS_PORT" }),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
  })

const asJson = ({ body, status }: HealthAnswer): Answer => ({
  status,
  type: "application/json",
  text: JSON.stringify(body)
})
