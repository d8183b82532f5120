import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

/**
 * The statements that a program of the product sends to PostgreSQL, as it sends them: baselines run these and none that somebody
 * wrote down from memory. The program is pointed at a port of ours, which passes everything on and reads what goes by.
 */
export interface Statement {
  readonly text: string
  /** Parameters in their text form; null is null. */
  readonly values: ReadonlyArray<string | null>
}

export interface Recorder {
  /** DATABASE_URL for the program that is listened to. */
  readonly url: string
  /** What was sent while `use` ran, in order; transaction control is among it. */
  readonly during: (use: () => Promise<unknown>) => Promise<ReadonlyArray<Statement>>
  readonly close: () => Promise<void>
}

export const record = async (databaseUrl: string): Promise<Recorder> => {
  const target = new URL(databaseUrl)
  let heard: Array<Statement> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on("error", () => one.destroy())
    }
    socket.on("close", () => upstream.destroy())
    upstream.on("close", () => socket.destroy())
    const read = reader((statement) => heard.push(statement))
    socket.on("data", (chunk) => {
      read(chunk)
      upstream.write(chunk)
    })
    upstream.on("data", (chunk) => socket.write(chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href
  return {
    url,
    during: async (use) => {
      heard = []
      await use()
      return heard
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** Reads the frontend's half of the protocol (PostgreSQL: "Message Formats"): Query, Parse and Bind are all that matters here. */
const reader = (found: (statement: Statement) => void): ((chunk: Buffer) => void) => {
  const named = new Map<string, string>()
  let pending = Buffer.alloc(0)
  let isStarted = false

  const take = (type: string, body: Buffer) => {
    const cursor = { at: 0 }
    if (type === "Q") found({ text: text(body, cursor), values: [] })
    else if (type === "P") {
      const name = text(body, cursor)
      named.set(name, text(body, cursor))
    } else if (type === "B") {
      text(body, cursor)
      const name = text(body, cursor)
      cursor.at += 2 + 2 * body.readInt16BE(cursor.at)
      const count = body.readInt16BE(cursor.at)
      cursor.at += 2
      const values = Array.from({ length: count }, () => {
        const length = body.readInt32BE(cursor.at)
        cursor.at += 4
        if (length < 0) return null
        cursor.at += length
        return body.toString("utf8", cursor.at - length, cursor.at)
      })
      found({ text: named.get(name) ?? "", values })
    }
  }

  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const headLength = isStarted ? 1 : 0
      if (pending.length < headLength + 4) return
      const length = pending.readInt32BE(headLength)
      if (pending.length < headLength + length) return
      if (isStarted) take(String.fromCharCode(pending[0] ?? 0), pending.subarray(5, 1 + length))
      isStarted = true
      pending = pending.subarray(headLength + length)
    }
  }
}

const text = (body: Buffer, cursor: { at: number }): string => {
  const end = body.indexOf(0, cursor.at)
  const found = body.toString("utf8", cursor.at, end)
  cursor.at = end + 1
  return found
}
