/** What the load client sends. A row has a module with `open` as its default export; the load process imports it. */

export interface Answer {
  readonly status: number
  /** Of the answer, as it came. */
  readonly body: Buffer
}

/** One kept-alive connection, which sends its next request when the last is answered. */
export interface Client {
  /** A whole HTTP/1.1 request; `last` is the answer to the one before. */
  readonly next: (last: Answer | undefined) => string
}

/** `options` came with the order, as JSON. */
export type Open<Options> = (options: Options, index: number, clients: number) => Client

const CRLF = "\r\n"

export const request = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    "",
    body ?? ""
  ].join(CRLF)
