import { connect } from "node:net"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON. Undefined if it is not JSON. */
  readonly json: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `fetch` that follows no redirect and reads the body. */
export const call = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { redirect: "manual", ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

export const jsonBody = (value: unknown): RequestInit => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value)
})

/** Writes bytes to the socket, for requests that `fetch` would not make. Resolves with everything that came back. */
export const raw = (url: string, lines: ReadonlyArray<string>, body = ""): Promise<string> =>
  rawKept(url, [...lines, "connection: close"], body)

/** As `raw`, but only the server closes the connection. */
export const rawKept = (url: string, lines: ReadonlyArray<string>, body = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let received = ""
    const socket = connect(Number(port), hostname, () => {
      socket.write([...lines, "", body].join("\r\n"))
    })
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")))
    socket.on("end", () => resolve(received))
    socket.on("close", () => resolve(received))
    socket.on("error", (error) => (received === "" ? reject(error) : resolve(received)))
  })
