import { type Done, measured, type Order, post } from "./post.js"

/**
 * What sending costs when there is no queue: the same bodies to the same endpoints, signed, with `undici` on connections that are
 * kept, as many at once as a worker has under way.
 */
const sendAll = (order: Order): Promise<Done> => {
  let next = 0
  const lane = async () => {
    while (next < order.requests) await post(order, next++)
  }
  return measured(async () => void (await Promise.all(Array.from({ length: order.atOnce }, lane))))
}

// A rejection that nobody handles ends the process, which the harness sees.
process.on("message", async (order: Order) => {
  const done = await sendAll(order)
  process.send?.(done)
})
