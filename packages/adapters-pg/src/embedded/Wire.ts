/**
 * The few messages of PostgreSQL's protocol (version 3) that an in-process connection must know. A message is a type byte,
 * a 32-bit length that counts itself, and a body; start-up messages have no type byte.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

/** What a client sends. */
export const Client = {
  query: 0x51, // Q
  sync: 0x53, // S
  flush: 0x48, // H
  copyDone: 0x63, // c
  copyFail: 0x66, // f
  terminate: 0x58 // X
} as const

/** What a server answers. */
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

/** Whether the session is inside a transaction, as ReadyForQuery reports it: idle, in one, in one that failed. */
export type Status = "I" | "T" | "E"

const message = (type: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const text = (...parts: ReadonlyArray<string>): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(""), "utf8")

export const readyForQuery = (status: Status): Buffer => message(Server.readyForQuery, Buffer.from(status, "latin1"))

export const sync: Buffer = message(Client.sync, Buffer.alloc(0))

export const query = (sql: string): Buffer => message(Client.query, text(sql))

/** The answer to a start-up message: signed in, and the parameters that drivers look at. */
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

/** A statement that succeeded, and ready for the next. */
export const completed = (tag: string): Buffer =>
  Buffer.concat([message(Server.commandComplete, text(tag)), readyForQuery("I")])

/** A statement that was refused, and ready for the next. */
export const refused = (sqlState: string, reason: string): Buffer =>
  Buffer.concat([
    message(Server.errorResponse, Buffer.concat([text("SERROR", `C${sqlState}`, `M${reason}`), Buffer.alloc(1)])),
    readyForQuery("I")
  ])

export interface Answer {
  /** From the last ReadyForQuery; undefined when there was none: the server waits for more of the same request. */
  readonly status: Status | undefined
  readonly notifications: ReadonlyArray<Buffer>
}

/** What a run of whole server messages says about the session. */
export const readAnswer = (bytes: Buffer): Answer => {
  let status: Status | undefined
  const notifications: Array<Buffer> = []
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (bytes[at] === Server.readyForQuery) status = bytes.toString("latin1", at + 5, at + 6) as Status
    else if (bytes[at] === Server.notification) notifications.push(bytes.subarray(at, end))
    at = end
  }
  return { status, notifications }
}
