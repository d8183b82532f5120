import { type Done, measured, type Order, post, webhook } from "./post.js"

/**
 * The cost of sending without a queue: the same bodies to the same endpoints, signed, with `undici` on kept
 * connections, as many at once as a worker has in flight.
 */
const sendAll = (order: Order): Promise<Done> => {
  let next = 0
  const lane = async () => {
    while (next < order.requests) await post(webhook(order, next++))
  }
  return measured(async () => void (await Promise.all(Array.from({ length: order.atOnce }, lane))))
}

// An unhandled rejection ends the process, and the harness notices that.
process.on("message", async (order: Order) => {
  const done = await sendAll(order)
  process.send?.(done)
})
