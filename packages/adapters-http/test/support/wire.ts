import { connect } from "node:net"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `fetch` without following redirects, with the body read. */
export const call = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { redirect: "manual", ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

export const jsonBody = (value: unknown): RequestInit => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value)
})

/** Bytes as they are onto the socket, for requests that `fetch` would not make. Resolves with all that came back. */
export const raw = (url: string, lines: ReadonlyArray<string>, body = ""): Promise<string> =>
  rawKept(url, [...lines, "connection: close"], body)

/** As `raw`; only the server closes the connection. */
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
