/** What the load client sends. A row has a module with `open` as its default export; the load process imports it. */

/** Holds only until whoever it was given to returns: the bytes are overwritten by the next answer. */
export interface Answer {
  readonly status: number
  /** Made when asked for: most scripts have no use for it. */
  readonly body: () => string
}

/** One kept-alive connection, which sends its next request when the last is answered. */
export interface Client {
  /** A whole HTTP/1.1 request; `last` is the answer to the one before. */
  readonly next: (last: Answer | undefined) => string
}

/** `options` came with the order, as JSON. */
export type Open<Options> = (options: Options, index: number, clients: number) => Client

/** `headers`: lines without their ends. Bodies are ASCII: one character is one byte. */
export const request = (method: string, path: string, headers: ReadonlyArray<string> = [], body?: string): string => {
  let head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n`
  for (const header of headers) head += `${header}\r\n`
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${body.length}\r\n\r\n${body}`
}
