import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** One execution of a statement, as it was sent. */
export interface Executed {
  readonly text: string
  /** The statement's parameters in their text form. The value null stays null. */
  readonly values: ReadonlyArray<string | null>
  /** The name that the program gives its connections, such as `place-access worker`. */
  readonly program: string
  readonly connection: number
}

/** A notice of the server, for example one that `citus.log_remote_commands` causes. */
export interface Noticed {
  readonly message: string
  readonly detail: string
  readonly program: string
  readonly connection: number
}

export interface Recorder {
  /** The address for programs: it leads to the database through the recorder. */
  readonly url: string
  /** The executions in the order of their arrival. The test may empty the list. */
  readonly executed: Array<Executed>
  /** The notices in the order of their arrival. */
  readonly noticed: Array<Noticed>
  readonly close: () => Promise<void>
}

/**
 * A proxy between programs and PostgreSQL that records every execution of a statement, including prepared statements.
 * The proxy reads PostgreSQL's protocol, so it records everything even when the driver changes how it sends statements.
 */
export const startRecorder = async (databaseUrl: string): Promise<Recorder> => {
  const target = new URL(databaseUrl)
  const executed: Array<Executed> = []
  const noticed: Array<Noticed> = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const connection = ++connections
    let program = ""
    const read = reader((one) => {
      program = one.program
      executed.push({ ...one, connection })
    })
    client.on("data", read)
    const listen = noticeReader((one) => void noticed.push({ ...one, program, connection }))
    upstream.on("data", listen)
    client.pipe(upstream)
    upstream.pipe(client)
    for (const [own, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(own)
      own.on("error", () => other.destroy())
      own.on("close", () => {
        sockets.delete(own)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // `unref` lets the process end when a test fails before it closes the recorder.
  server.unref()
  const url = new URL(databaseUrl)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    executed,
    noticed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
  }
}

const SSL_REQUEST = 80_877_103

/** Reads the bytes that a client sends, in pieces of any size. */
const reader = (executes: (one: Omit<Executed, "connection">) => void) => {
  const prepared = new Map<string, string>()
  let program = ""
  let isStarted = false
  let pending: Buffer = Buffer.alloc(0)

  const message = (type: string, body: Buffer): void => {
    const at = { offset: 0 }
    if (type === "Q") executes({ text: text(body, at), values: [], program })
    if (type === "P") {
      const name = text(body, at)
      prepared.set(name, text(body, at))
    }
    if (type === "B") {
      text(body, at)
      const statement = prepared.get(text(body, at))
      if (statement === undefined) throw new Error("a statement was executed that nobody prepared")
      executes({ text: statement, values: boundValues(body, at), program })
    }
  }

  return (chunk: Buffer): void => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const head = isStarted ? 1 : 0
      if (pending.length < head + 4) return
      const end = head + pending.readInt32BE(head)
      if (pending.length < end) return
      const body = pending.subarray(head + 4, end)
      if (isStarted) message(String.fromCharCode(pending[0] ?? 0), body)
      else if (body.readInt32BE(0) !== SSL_REQUEST) {
        isStarted = true
        const parts = body.subarray(4).toString("utf8").split("\0")
        program = parts[parts.indexOf("application_name") + 1] ?? ""
      }
      pending = pending.subarray(end)
    }
  }
}

/** Reads the notices among the bytes that a server sends, in pieces of any size. */
const noticeReader = (hear: (one: Pick<Noticed, "message" | "detail">) => void) => {
  let pending: Buffer = Buffer.alloc(0)
  let isStarted = false
  return (chunk: Buffer): void => {
    pending = Buffer.concat([pending, chunk])
    // The server's answer to a request for TLS is one letter without a length, so it is skipped.
    if (!isStarted && pending[0] === 0x4e && pending.length === 1) return void (pending = Buffer.alloc(0))
    isStarted = true
    while (pending.length >= 5) {
      const end = 1 + pending.readInt32BE(1)
      if (pending.length < end) return
      if (pending[0] === 0x4e) hear(noticeOf(pending.subarray(5, end)))
      pending = pending.subarray(end)
    }
  }
}

/** Parses a notice of PostgreSQL: a list of fields, each a letter and a text. */
const noticeOf = (body: Buffer): Pick<Noticed, "message" | "detail"> => {
  const fields = new Map(
    body
      .toString("utf8")
      .split("\0")
      .map((field) => [field.slice(0, 1), field.slice(1)])
  )
  return { message: fields.get("M") ?? "", detail: fields.get("D") ?? "" }
}

interface Position {
  offset: number
}

const text = (body: Buffer, at: Position): string => {
  const end = body.indexOf(0, at.offset)
  const found = body.toString("utf8", at.offset, end)
  at.offset = end + 1
  return found
}

const boundValues = (body: Buffer, at: Position): ReadonlyArray<string | null> => {
  const formats = body.readInt16BE(at.offset)
  at.offset += 2 + 2 * formats
  const count = body.readInt16BE(at.offset)
  at.offset += 2
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at.offset)
    at.offset += 4
    if (length < 0) return null
    const value = body.toString("utf8", at.offset, at.offset + length)
    at.offset += length
    return value
  })
}
