/**
 * The messages of PostgreSQL's protocol (version 3) that a connection inside one process needs. A message is a type
 * byte, a 32-bit length that counts itself, and a body; start-up messages have no type byte.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

/** Types of messages from a client. */
export const Client = {
  query: 0x51, // Q
  parse: 0x50, // P
  close: 0x43, // C
  sync: 0x53, // S
  flush: 0x48, // H
  copyDone: 0x63, // c
  copyFail: 0x66, // f
  terminate: 0x58 // X
} as const

/** Types of messages from a server. */
const Server = {
  authentication: 0x52, // R
  parameterStatus: 0x53, // S
  readyForQuery: 0x5a, // Z
  commandComplete: 0x43, // C
  errorResponse: 0x45, // E
  notification: 0x41 // A
} as const

export const SSL_REQUEST = 80_877_103
export const GSS_REQUEST = 80_877_104
export const CANCEL_REQUEST = 80_877_102

/**
 * The state of the session in ReadyForQuery: I no transaction, T a transaction is open, E the open transaction failed.
 */
export type TransactionStatus = "I" | "T" | "E"

const message = (type: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const text = (...parts: ReadonlyArray<string>): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(""), "utf8")

export const readyForQuery = (status: TransactionStatus): Buffer =>
  message(Server.readyForQuery, Buffer.from(status, "latin1"))

export const sync: Buffer = message(Client.sync, Buffer.alloc(0))

/** The message that closes a prepared statement. */
export const closeStatement = (name: string): Buffer => message(Client.close, text(`S${name}`))

export const query = (sql: string): Buffer => message(Client.query, text(sql))

/** The answer to a start-up message. It says that the client is signed in, and has the parameters that drivers read. */
export const welcome = (serverVersion: string): Buffer => {
  const parameters = {
    server_version: serverVersion,
    server_encoding: "UTF8",
    client_encoding: "UTF8",
    DateStyle: "ISO, MDY",
    TimeZone: "UTC",
    integer_datetimes: "on",
    standard_conforming_strings: "on"
  }
  return Buffer.concat([
    message(Server.authentication, Buffer.alloc(4)),
    ...Object.entries(parameters).map(([name, value]) => message(Server.parameterStatus, text(name, value))),
    readyForQuery("I")
  ])
}

/** The messages that say that a statement succeeded, and that the server is ready for the next statement. */
export const completed = (tag: string): Buffer =>
  Buffer.concat([message(Server.commandComplete, text(tag)), readyForQuery("I")])

/** The messages that say that a statement failed, and that the server is ready for the next statement. */
export const refused = (sqlState: string, reason: string): Buffer =>
  Buffer.concat([
    message(Server.errorResponse, Buffer.concat([text("SERROR", `C${sqlState}`, `M${reason}`), Buffer.alloc(1)])),
    readyForQuery("I")
  ])

/** Splits a request into its messages. */
export const messages = (request: Buffer): ReadonlyArray<Buffer> => {
  const found: Array<Buffer> = []
  for (let at = 0; at + 5 <= request.length;) {
    const end = at + 1 + request.readInt32BE(at + 1)
    found.push(request.subarray(at, end))
    at = end
  }
  return found
}

const STATEMENT = 0x53 // The letter S, which means a statement in a Close message; P means a portal

/** The name of the statement that a client's message prepares or closes; undefined for other messages. */
export const statementName = (message: Buffer): string | undefined => {
  const at = message[0] === Client.parse ? 5 : message[0] === Client.close && message[5] === STATEMENT ? 6 : undefined
  return at === undefined ? undefined : message.toString("utf8", at, message.indexOf(0, at))
}

export interface WireAnswer {
  /**
   * The status in the last ReadyForQuery message. Undefined: there was no such message, and the server waits for the
   * rest of the request.
   */
  readonly status: TransactionStatus | undefined
  readonly notifications: ReadonlyArray<Buffer>
  readonly hasFailed: boolean
}

/** Reads the status, the notifications and whether there was an error, from whole messages of the server. */
export const readAnswer = (bytes: Buffer): WireAnswer => {
  let status: TransactionStatus | undefined
  let hasFailed = false
  const notifications: Array<Buffer> = []
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (bytes[at] === Server.readyForQuery) status = bytes.toString("latin1", at + 5, at + 6) as TransactionStatus
    else if (bytes[at] === Server.errorResponse) hasFailed = true
    else if (bytes[at] === Server.notification) notifications.push(bytes.subarray(at, end))
    at = end
  }
  return { status, notifications, hasFailed }
}
