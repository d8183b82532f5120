import { type OutgoingHttpHeaders, request } from "node:http"
import { connect } from "node:net"
import { text as textOf } from "node:stream/consumers"

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

/**
 * `fetch` that follows no redirect and reads the body. The `request_id` and `doc_url` of an error body are checked and
 * left out.
 */
export const call = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { redirect: "manual", ...init })
  const sent = await response.text()
  const json = parse(sent)
  const text = isError(json) ? JSON.stringify(withoutHelp(json, response)) : sent
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

interface ErrorBody {
  readonly error: string
  readonly request_id?: string
  readonly doc_url?: string
}

const isError = (json: unknown): json is ErrorBody =>
  typeof json === "object" && json !== null && "statusCode" in json && "error" in json

/**
 * Every error body has `doc_url`, the address of the code's page. Every error body except that of `invalid_token` also
 * has the request's id (decision wire-4). The id differs between requests and the address between servers, so tests
 * compare only the other fields.
 */
const withoutHelp = ({ doc_url, request_id, ...rest }: ErrorBody, { headers }: Response): unknown => {
  const expected = rest.error === "invalid_token" ? undefined : headers.get("x-request-id")
  if (request_id !== expected) throw new Error("An error body without the id of its request")
  if (doc_url?.endsWith(`/docs/errors/${rest.error}`) !== true) throw new Error("An error body without its doc_url")
  return rest
}

export const jsonBody = (value: unknown): RequestInit => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value)
})

/** Writes bytes to the socket, for requests that `fetch` would not make. Resolves with everything that came back. */
export const raw = (url: string, lines: ReadonlyArray<string>, body = ""): Promise<string> =>
  rawKept(url, [...lines, "connection: close"], body)

/** Like `raw`, but the client keeps the connection open until the server closes it. */
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

/**
 * Sends a request without the last byte of its body. The returned function sends this byte, and resolves with the
 * status of the answer, the header `Location` and the body.
 */
export const holdBack = async (
  url: string,
  { body, headers, method }: { readonly method: string; readonly headers: OutgoingHttpHeaders; readonly body: string }
): Promise<() => Promise<Released>> => {
  const sending = request(url, {
    method,
    headers: { ...headers, "content-length": Buffer.byteLength(body), expect: "100-continue" }
  })
  const answered = new Promise<Released>((resolve, reject) =>
    sending.once("error", reject).once("response", (answer) => {
      const { headers, statusCode: status } = answer
      textOf(answer).then((text) => resolve({ status, location: headers.location, text }), reject)
    })
  )
  sending.flushHeaders()
  await new Promise((resolve) => sending.once("continue", resolve))
  sending.write(body.slice(0, -1))
  return () => {
    sending.end(body.slice(-1))
    return answered
  }
}

interface Released {
  readonly status: number | undefined
  readonly location: string | undefined
  readonly text: string
}
