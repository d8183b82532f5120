import { connect, createServer, type Socket } from "node:net"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

export interface LossyProxy {
  /** The database's address, by way of the proxy. */
  readonly url: string
  /** The server gets the next COMMIT; its answer is lost, and the client's connection breaks. */
  readonly loseNextCommit: () => void
  /** How many answers were lost. */
  readonly lost: () => number
  readonly close: () => void
}

/** Between a client and PostgreSQL. Passes everything on, until it is told to lose something. */
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
      // By its text, or by the name that it is prepared under.
      if (isArmed && /commit/i.test(chunk.toString("latin1"))) {
        isArmed = false
        isLosing = true
      }
      upstream.write(chunk)
    })
    upstream.on("data", (chunk) => {
      if (!isLosing) return void client.write(chunk)
      // The answer to the COMMIT says so; what comes before it may be the answer to an earlier statement.
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
