import { connect, createServer, type Server, type Socket } from "node:net"
import { freePort } from "./freePort.js"

/** A proxy between a process and PostgreSQL, with which a test can cut or silence connections. */
export interface TcpProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Begins to accept connections. Before that, connections are refused, as on a machine without PostgreSQL. */
  readonly listen: () => Promise<void>
  /**
   * Stops forwarding on open connections and leaves them open, as when a firewall forgets a connection. With
   * `newOnesToo`, the proxy also accepts later connections and forwards nothing on them.
   */
  readonly silence: (newOnesToo?: boolean) => void
  /** Forwards later connections again. Connections that were silenced stay silent. */
  readonly resume: () => void
  /** The number of open connections. */
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
