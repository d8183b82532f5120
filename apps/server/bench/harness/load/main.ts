import { percentile } from "../percentile.js"
import * as Connection from "./Connection.js"
import { type Message, type Order, type Outcome, RETRY_MS } from "./Order.js"
import type { Answer, Client, Open } from "./Script.js"

/**
 * The load process: one process for all connections of a benchmark, separate from the measured process and the harness.
 * The process runs until the last round has ended, so that V8 has compiled the client's code after the warm-up rounds.
 */

const tell = (message: Message): void => void process.send?.(message)

const run = async (order: Order): Promise<Outcome> => {
  const { default: open } = (await import(order.script)) as { readonly default: Open<unknown> }
  let fail: (error: Error) => void = () => undefined
  const failed = new Promise<never>((_, reject) => (fail = reject))
  const opening = Array.from({ length: order.clients }, (_, index) =>
    Connection.open(order.ports[index % order.ports.length] ?? 0, (error) => fail(error))
  )
  const connections = await Promise.race([Promise.all(opening), failed])
  const [latenciesMs, refusedMs]: [Array<number>, Array<number>] = [[], []]
  const begin = performance.now()
  const start = begin + order.warmUpSeconds * 1_000
  const end = start + order.seconds * 1_000
  let cpu = process.cpuUsage()
  const marker = setTimeout(() => {
    cpu = process.cpuUsage()
    tell({ _tag: "Started" })
  }, order.warmUpSeconds * 1_000)
  try {
    const lanes = connections.map(
      (connection, index) =>
        new Promise<void>((ended) =>
          ask(connection, open(order.options, index, order.clients), {
            start,
            end,
            latenciesMs,
            refusedMs: order.mayBeRefused === true ? refusedMs : undefined,
            ended,
            ...(order.ratePerS === undefined
              ? {}
              : {
                  firstDue: begin + (index * 1_000) / order.ratePerS,
                  everyMs: (order.clients * 1_000) / order.ratePerS
                })
          })
        )
    )
    await Promise.race([Promise.all(lanes), failed])
  } finally {
    clearTimeout(marker)
    for (const connection of connections) connection.close()
  }
  const { system, user } = process.cpuUsage(cpu)
  for (const times of [latenciesMs, refusedMs]) times.sort((a, b) => a - b)
  return {
    operations: latenciesMs.length,
    seconds: order.seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p95Ms: percentile(latenciesMs, 0.95),
    p99Ms: percentile(latenciesMs, 0.99),
    refused: refusedMs.length,
    refusedP99Ms: percentile(refusedMs, 0.99),
    clientCpuMicrosPerOp: (system + user) / latenciesMs.length
  }
}

interface Lane {
  /** An answer counts if it arrives between `start` and `end`. */
  readonly start: number
  readonly end: number
  readonly latenciesMs: Array<number>
  /** The latencies of answers with 503; undefined when 503 is an error. */
  readonly refusedMs: Array<number> | undefined
  readonly ended: () => void
  /**
   * For requests at a fixed rate: `firstDue` is the time at which this client sends its first request, `everyMs` the
   * time between two of its requests.
   */
  readonly firstDue?: number
  readonly everyMs?: number
}

/**
 * Sends the requests of one client over its connection, each as soon as the previous answer has arrived. At a fixed
 * rate, a request also waits until it is due. The function uses callbacks, because a promise for each request would be
 * a large part of the client's cost.
 */
const ask = (connection: Connection.Connection, client: Client, lane: Lane): void => {
  const { end, ended, everyMs, firstDue, latenciesMs, refusedMs, start } = lane
  let from = firstDue ?? performance.now()
  const answered = (answer: Answer): void => {
    if (answer.status === 503 && refusedMs !== undefined) {
      const now = performance.now()
      if (now >= start && now < end) refusedMs.push(now - from)
      if (now + RETRY_MS >= end) return ended()
      return void setTimeout(() => {
        from = performance.now()
        connection.send(client.next(undefined), answered)
      }, RETRY_MS)
    }
    // An answer outside 2xx ends the round with an error. A server answers an error faster than it does the work, so
    // counted errors would make the server look faster than it is.
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`answered ${answer.status}: ${answer.body().slice(0, 500)}`)
    }
    const now = performance.now()
    if (now >= start && now < end) latenciesMs.push(now - from)
    if (now >= end) return ended()
    from = everyMs === undefined ? now : from + everyMs
    const request = client.next(answer)
    if (from <= now) connection.send(request, answered)
    else setTimeout(() => connection.send(request, answered), from - now)
  }
  const first = client.next(undefined)
  if (firstDue === undefined) connection.send(first, answered)
  else setTimeout(() => connection.send(first, answered), firstDue - performance.now())
}

process.on("message", (order: Order) => {
  run(order)
    .then((outcome) => tell({ _tag: "Ended", outcome }))
    .catch((error: unknown) => tell({ _tag: "Failed", reason: String(error) }))
})
