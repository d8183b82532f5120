import { setTimeout as sleep } from "node:timers/promises"
import { percentile } from "../percentile.js"
import * as Connection from "./Connection.js"
import type { Message, Order, Outcome } from "./Order.js"
import type { Answer, Client, Open } from "./Script.js"

/** The process that makes the load: one for all connections of a side, apart from what is measured and from the harness. */

const tell = (message: Message): void => void process.send?.(message)

const run = async (order: Order): Promise<Outcome> => {
  const { default: open } = (await import(order.script)) as { readonly default: Open<unknown> }
  const connections = await Promise.all(
    Array.from({ length: order.clients }, (_, index) => Connection.open(order.ports[index % order.ports.length] ?? 0))
  )
  const clients = connections.map((connection, index) => ({
    connection,
    client: open(order.options, index, order.clients)
  }))
  const latenciesMs: Array<number> = []
  const begin = performance.now()
  const start = begin + order.warmUpSeconds * 1_000
  const end = start + order.seconds * 1_000
  const note = (fromMs: number, nowMs: number) => {
    if (nowMs >= start && nowMs < end) latenciesMs.push(nowMs - fromMs)
  }
  const marker = sleep(order.warmUpSeconds * 1_000).then(() => tell({ _tag: "Started" }))
  const { ratePerS } = order
  await Promise.all(
    clients.map(({ client, connection }, index) =>
      ratePerS === undefined
        ? asFastAsAnswered(connection, client, end, note)
        : atRate(connection, client, end, note, begin + (index * 1_000) / ratePerS, (order.clients * 1_000) / ratePerS)
    )
  )
  await marker
  for (const connection of connections) connection.close()
  latenciesMs.sort((a, b) => a - b)
  return {
    operations: latenciesMs.length,
    seconds: order.seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99)
  }
}

type Note = (fromMs: number, nowMs: number) => void

const ask = async (connection: Connection.Connection, client: Client, last: Answer | undefined): Promise<Answer> => {
  const answer = await connection.send(client.next(last))
  // An error is answered faster than the work is done: it would look like speed.
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`answered ${answer.status}: ${answer.body.toString("utf8").slice(0, 500)}`)
  }
  return answer
}

const asFastAsAnswered = async (connection: Connection.Connection, client: Client, end: number, note: Note) => {
  let last: Answer | undefined
  for (let from = performance.now(); from < end;) {
    last = await ask(connection, client, last)
    const now = performance.now()
    note(from, now)
    from = now
  }
}

/** Counted from when it was due: what waits for its turn behind a slow answer waits like a user. */
const atRate = async (
  connection: Connection.Connection,
  client: Client,
  end: number,
  note: Note,
  firstMs: number,
  everyMs: number
) => {
  let last: Answer | undefined
  for (let due = firstMs; due < end; due += everyMs) {
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    last = await ask(connection, client, last)
    note(due, performance.now())
  }
}

process.once("message", (order: Order) => {
  run(order)
    .then((outcome) => tell({ _tag: "Ended", outcome }))
    .catch((error: unknown) => tell({ _tag: "Failed", reason: String(error) }))
    .finally(() => process.disconnect())
})
