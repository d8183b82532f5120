import { connect, createServer, type Server, type Socket } from "node:net"
import { freePort } from "./freePort.js"

/** Stands between a process and PostgreSQL, so that a test can cut or silence what goes between them. */
export interface TcpProxy {
  /** The database's address, by way of the proxy. */
  readonly url: string
  /** Accepts connections; until then they are refused, as by a machine that runs no PostgreSQL. */
  readonly listen: () => Promise<void>
  /**
   * Connections that are open stay open, and nothing is forwarded on them any more, as when a firewall forgets them. `newOnesToo`: those
   * that are opened later are accepted and go nowhere either.
   */
  readonly silence: (newOnesToo?: boolean) => void
  /** Connections that are opened from now on are forwarded. Those that were silenced stay silent. */
  readonly resume: () => void
  /** How many connections are open. */
  readonly size: () => number
  readonly close: () => void
}

export const tcpProxy = async (databaseUrl: string): Promise<TcpProxy> => {
  const target = new URL(databaseUrl)
  const port = await freePort()
  const url = new URL(databaseUrl)
  url.hostname = "127.0.0.1"
  url.port = String(port)
  const open = new Set<Socket>()
  let isSilent = false
  let server: Server | undefined

  const forward = (client: Socket): void => {
    open.add(client)
    client.on("error", () => undefined).once("close", () => open.delete(client))
    if (isSilent) return void client.resume()
    const database = connect(Number(target.port || "5432"), target.hostname)
    database.on("error", () => undefined).once("close", () => client.destroy())
    client.once("close", () => database.destroy())
    client.pipe(database)
    database.pipe(client)
    silencers.set(client, () => {
      client.unpipe(database).resume()
      database.unpipe(client).resume()
    })
  }
  const silencers = new WeakMap<Socket, () => void>()

  return {
    url: url.href,
    listen: () =>
      new Promise((resolve) => {
        server = createServer(forward).listen(port, "127.0.0.1", resolve)
      }),
    silence: (newOnesToo = false) => {
      isSilent = newOnesToo
      for (const client of open) silencers.get(client)?.()
    },
    resume: () => {
      isSilent = false
    },
    size: () => open.size,
    close: () => {
      server?.close()
      for (const client of open) client.destroy()
    }
  }
}
