import { type Done, measured, type Order, post, webhook } from "./post.js"

/**
 * Measures the cost of sending webhooks without a queue. The process posts the product's signed bodies to the same
 * endpoints, with `undici` on keep-alive connections, and has as many requests in flight as a worker.
 */
const sendAll = (order: Order): Promise<Done> => {
  let next = 0
  const lane = async () => {
    while (next < order.requests) await post(webhook(order, next++))
  }
  return measured(async () => void (await Promise.all(Array.from({ length: order.atOnce }, lane))))
}

// If sending fails, the rejected promise ends the process, and the harness notices that the process has ended.
process.on("message", async (order: Order) => {
  const done = await sendAll(order)
  process.send?.(done)
})
