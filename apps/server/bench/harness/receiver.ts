import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"

/**
 * Receives webhooks over https and answers each one with 200 at once. It is a process of its own and as light as
 * possible, so that the benchmark measures the sender and not the receiver. It reports its port, and the number of
 * requests when the awaited number has arrived.
 */

export type Heard =
  | { readonly _tag: "Listening"; readonly port: number }
  /** `signed`: the number of requests with a signature. */
  | { readonly _tag: "Received"; readonly requests: number; readonly signed: number }

/** Resets the count; the receiver reports when `requests` requests have arrived. */
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
const tell = (heard: Heard): void => void process.send?.(heard)

const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (socket) => {
  let pending = ""
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  // One byte is one character, because lengths are counted in bytes.
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
