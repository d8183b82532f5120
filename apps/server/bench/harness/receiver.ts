import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"

// Receives webhooks over https and answers each one immediately with 200. The receiver is a separate process and uses
// little processor time, so that the benchmark measures the sender. The receiver reports its port, and later that the
// requested number of webhooks has arrived.

export type Heard =
  | { readonly _tag: "Listening"; readonly port: number }
  /** `signed`: the number of requests with a signature. */
  | { readonly _tag: "Received"; readonly requests: number; readonly signed: number }

/** Resets the count. The receiver then reports when `requests` requests have arrived. */
export interface Await {
  readonly requests: number
}

const [keyFile = "", certFile = ""] = process.argv.slice(2)
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
const HEAD_END = "\r\n\r\n"
const LENGTH = /\r\ncontent-length: (\d+)/i
const SIGNATURE = /\r\nx-service-signature: t=\d+,v1=[0-9a-f]{64}\r\n/i

let awaited = Infinity
let requests = 0
let signed = 0
const tell = (message: Heard): void => void process.send?.(message)

const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (socket) => {
  let pending = ""
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  // In latin1 one byte is one character, so lengths in characters are lengths in bytes.
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    pending += chunk
    for (;;) {
      const end = pending.indexOf(HEAD_END)
      if (end < 0) return
      const head = pending.slice(0, end + 2)
      const whole = end + HEAD_END.length + Number(LENGTH.exec(head)?.[1] ?? 0)
      if (pending.length < whole) return
      pending = pending.slice(whole)
      socket.write(OK)
      requests++
      if (SIGNATURE.test(head)) signed++
      if (requests === awaited) tell({ _tag: "Received", requests, signed })
    }
  })
})

process.on("message", (order: Await) => {
  requests = 0
  signed = 0
  awaited = order.requests
})
server.listen(0, "127.0.0.1", () => tell({ _tag: "Listening", port: (server.address() as AddressInfo).port }))
