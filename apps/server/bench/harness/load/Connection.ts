import { connect, type Socket } from "node:net"
import type { Answer } from "./Script.js"

/**
 * A keep-alive connection that has one request under way at most: as little HTTP as an answer of ours needs, so that the client
 * takes little of the two cores.
 */
export interface Connection {
  readonly send: (request: string) => Promise<Answer>
  readonly close: () => void
}

const HEAD_END = Buffer.from("\r\n\r\n")
const NOTHING = Buffer.alloc(0)

export const open = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    socket.once("error", reject)
    socket.once("connect", () => {
      socket.off("error", reject)
      resolve(over(socket))
    })
  })

const over = (socket: Socket): Connection => {
  let waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void } | undefined
  let pending: Buffer = NOTHING
  let isClosing = false

  const fail = (error: Error) => {
    const waiter = waiting
    waiting = undefined
    waiter?.reject(error)
  }
  socket.on("error", fail)
  socket.on("close", () => {
    if (!isClosing) fail(new Error("the server closed the connection"))
  })
  socket.on("data", (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const answer = parse(pending)
    if (answer === undefined) return
    pending = NOTHING
    const waiter = waiting
    waiting = undefined
    waiter?.resolve(answer)
  })
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request, "latin1")
      }),
    close: () => {
      isClosing = true
      socket.destroy()
    }
  }
}

/** Undefined until all of it has come. */
const parse = (bytes: Buffer): Answer | undefined => {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = bytes.toString("latin1", 0, end)
  const status = Number(head.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined && status !== 204) throw new Error(`an answer without a length:\n${head}`)
  const total = end + HEAD_END.length + Number(length ?? 0)
  return bytes.length < total ? undefined : { status, body: bytes.subarray(end + HEAD_END.length, total) }
}
