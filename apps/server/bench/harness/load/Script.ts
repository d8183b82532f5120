/**
 * The interface of a load script: a module whose default export is `open`. Each benchmark that loads the product over
 * HTTP has a load script, and the load process imports it.
 */

/**
 * An answer of the server. A script may use the answer only inside the call of `next` that received it, because the
 * next answer overwrites its bytes.
 */
export interface Answer {
  readonly status: number
  /**
   * Returns the decoded body. Decodes it only when the script calls this function, because most scripts do not read
   * bodies.
   */
  readonly body: () => string
}

/**
 * The requests of one keep-alive connection, which sends the next request when the answer to the previous request has
 * arrived.
 */
export interface Client {
  /**
   * Returns the next request as HTTP/1.1 text. `last` is the answer to the previous request; undefined for the first
   * request and after a 503.
   */
  readonly next: (last: Answer | undefined) => string
}

/** Makes client number `index` of `clients`. `options` come from the `Order`, which the harness sent as JSON. */
export type Open<Options> = (options: Options, index: number, clients: number) => Client

/**
 * A whole HTTP/1.1 request. `headers`: header lines without line ends. `body` must be ASCII, because its length in
 * characters is sent as its length in bytes.
 */
export const request = (method: string, path: string, headers: ReadonlyArray<string> = [], body?: string): string => {
  let head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n`
  for (const header of headers) head += `${header}\r\n`
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${body.length}\r\n\r\n${body}`
}
