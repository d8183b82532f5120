import { connect, createServer, type Socket } from "node:net"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

export interface LossyProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Lets the next COMMIT reach the server, drops its answer, and breaks the client's connection. */
  readonly loseNextCommit: () => void
  /** The number of dropped answers. */
  readonly lost: () => number
  readonly close: () => void
}

/**
 * A proxy between a client and PostgreSQL. It passes every byte on, except an answer that `loseNextCommit` tells it to
 * drop.
 */
export const startLossyProxy = async (database: string): Promise<LossyProxy> => {
  const target = new URL(database)
  const open = new Set<Socket>()
  let isArmed = false
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isLosing = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => open.delete(socket))
    }
    client.on("data", (chunk) => {
      // The proxy recognizes a COMMIT by its text, or by the name of its prepared statement.
      if (isArmed && /commit/i.test(chunk.toString("latin1"))) {
        isArmed = false
        isLosing = true
      }
      upstream.write(chunk)
    })
    upstream.on("data", (chunk) => {
      if (!isLosing) return void client.write(chunk)
      // The answer to a COMMIT contains the word COMMIT. An earlier chunk may be the answer to an earlier statement.
      if (!chunk.toString("latin1").includes("COMMIT")) return
      lost++
      client.destroy()
      upstream.destroy()
    })
    client.on("end", () => upstream.end())
    upstream.on("end", () => client.end())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(database)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    loseNextCommit: () => void (isArmed = true),
    lost: () => lost,
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    }
  }
}
