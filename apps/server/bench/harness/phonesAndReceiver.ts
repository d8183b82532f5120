import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as People from "./People.js"
import * as Phones from "./Phones.js"
import * as Connection from "./load/Connection.js"
import { request } from "./load/Script.js"

// Runs the phones and the webhook receiver in one process, so that one clock measures the time from the answer to an
// upload until the two webhooks of its firing have arrived.

export interface Order {
  readonly port: number
  readonly from: number
  readonly people: number
  readonly clients: number
  readonly ratePerS: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

export type Heard =
  | { readonly _tag: "Listening"; readonly port: number }
  | { readonly _tag: "Ended"; readonly latenciesMs: ReadonlyArray<number>; readonly missing: number }
  | { readonly _tag: "Failed"; readonly reason: string }

const tell = (message: Heard): void => void process.send?.(message)

interface Upload {
  readonly isCounted: boolean
  answeredAt: number | undefined
  readonly arrivedAt: Array<number>
}

/** The uploads by capture time. No two uploads have the same capture time. */
const uploads = new Map<number, Upload>()

const receiver = createServer((incoming, response) => {
  const chunks: Array<Buffer> = []
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
  incoming.on("end", () => {
    const now = performance.now()
    response.writeHead(204).end()
    const { occurred_at } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { readonly occurred_at: string }
    uploads.get(Date.parse(occurred_at))?.arrivedAt.push(now)
  })
})

const broken = (error: Error): void => tell({ _tag: "Failed", reason: String(error) })

const run = async ({ clients, from, people, port, ratePerS, seconds, warmUpSeconds }: Order) => {
  uploads.clear()
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(port, broken)))
  const startMs = Date.now() - Phones.BEHIND_MS
  const begin = performance.now()
  const count = Math.floor((warmUpSeconds + seconds) * ratePerS)
  const send = async (connection: Connection.Connection, index: number) => {
    const n = from + (index % people)
    const step = Math.floor(index / people)
    // Each person starts at another millisecond, so that no two uploads have the same capture time. The receiver finds
    // the upload of a webhook by this time.
    const start = startMs + (index % people)
    const upload: Upload = { isCounted: index >= warmUpSeconds * ratePerS, answeredAt: undefined, arrivedAt: [] }
    uploads.set(start + step * Phones.STEP_MS, upload)
    const headers = [`authorization: Bearer ${People.deviceToken(n)}`, "content-type: application/json"]
    const message = request("POST", "/v1/phone/locations", headers, Phones.arrival(start, step))
    const status = await new Promise((resolve) => connection.send(message, (answer) => resolve(answer.status)))
    upload.answeredAt = performance.now()
    if (status !== 200) throw new Error(`an upload was answered ${String(status)}`)
  }
  await Promise.all(
    connections.map(async (connection, client) => {
      for (let index = client; index < count; index += clients) {
        const early = begin + (index * 1_000) / ratePerS - performance.now()
        if (early > 0) await sleep(early)
        await send(connection, index)
      }
    })
  )
  const isWhole = () => [...uploads.values()].every(({ arrivedAt }) => arrivedAt.length >= Phones.ENDPOINTS)
  for (let waited = 0; waited < 150 && !isWhole(); waited++) await sleep(100)
  for (const connection of connections) connection.close()
  const counted = [...uploads.values()].filter(({ isCounted }) => isCounted)
  tell({
    _tag: "Ended",
    // A webhook may arrive before the answer to its upload; then its latency counts as 0.
    latenciesMs: counted.flatMap(({ answeredAt = 0, arrivedAt }) =>
      arrivedAt.map((at) => Math.max(0, at - answeredAt))
    ),
    missing: counted.reduce((sum, { arrivedAt }) => sum + Math.max(0, Phones.ENDPOINTS - arrivedAt.length), 0)
  })
}

receiver.keepAliveTimeout = 60_000
receiver.listen(0, "127.0.0.1", () => tell({ _tag: "Listening", port: (receiver.address() as AddressInfo).port }))
process.on("message", (order: Order) => {
  run(order).catch(broken)
})
