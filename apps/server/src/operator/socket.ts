import { CannotStart } from "@place-access/worker"
import { Clock, Effect, Either, FiberSet, Option, Schema } from "effect"
import { chmod, rm } from "node:fs/promises"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import type { SqlClient } from "@effect/sql/SqlClient"
import { type OperatorCommand, type Output, Reply, Request } from "./AccountCommand.js"
import { type AccountPorts, performAny, type ServerFacts } from "./perform.js"

// Lets an operator's commands work while a server runs on the embedded database, which only one process can open at a
// time. The server listens on a Unix socket in DATA_DIR, which only the owner of the folder can open. A command sends
// one line of JSON (`OperatorCommand`) and gets one line back (`Reply`). Decision staff-4.

const pathIn = (dataDir: string): string => join(dataDir, "control.sock")

/**
 * The server closes a connection that has sent more characters than this without the end of a line. No command needs
 * more.
 */
const LINE_MAX = 4_096
/**
 * A time-out in milliseconds. The server closes a connection on which no command arrives for this time, or whose client
 * does not take the answer. A command waits this long for its answer, except the commands in `LONG`.
 */
const PATIENCE_MILLIS = 30_000

/**
 * The commands that wait for their answer without a limit: they may take minutes, and the server sends nothing
 * meanwhile.
 */
const LONG: ReadonlyArray<OperatorCommand["_tag"]> = ["Backup", "KeysReencrypt"]

/**
 * The value with which a Node.js socket has no time-out. Even so, a command does not wait forever: when the server's
 * process ends, the connection ends too.
 */
const FOREVER = 0

/** How long a server that stops waits for commands that it is carrying out. Then it interrupts them. */
const FINISH_MILLIS = 3_000

/** Answers commands until the scope closes, and then removes the socket. The caller has the lock of the data folder. */
export const listen = (server: ServerFacts, patienceMillis = PATIENCE_MILLIS) =>
  Effect.gen(function* () {
    const path = pathIn(server.dataDir)
    const run = yield* FiberSet.makeRuntimePromise<AccountPorts | SqlClient, string>()
    const answer: Answer = (line) => run(Effect.catchAllCause(replyTo(line, server), broken))
    yield* Effect.acquireRelease(
      Effect.tryPromise(() => open(path, answer, patienceMillis)),
      close(path)
    ).pipe(
      Effect.catchAll((error) =>
        Effect.logWarning(`Commands of operators do not reach this server: ${path} cannot be used`, error.cause)
      )
    )
  })

const replyTo = (line: string, server: ServerFacts) =>
  Schema.decodeUnknown(Request)(line).pipe(
    Effect.mapError(() => new CannotStart({ message: "The server does not know this command." })),
    Effect.flatMap((command) => performAny(command, server)),
    Effect.map((output) => ({ output })),
    Effect.catchTag("CannotStart", ({ message }) => Effect.succeed({ refused: message })),
    Effect.flatMap((reply) => Effect.orDie(Schema.encode(Reply)(reply)))
  )

const broken = (cause: unknown) =>
  Effect.as(
    Effect.logError("A command of an operator failed", cause),
    JSON.stringify({ refused: "The server could not do it; its log says why." })
  )

type Answer = (line: string) => Promise<string>

/**
 * The socket's server, and for each open connection whether the server is carrying out a command of this connection.
 */
interface Listening {
  readonly server: Server
  readonly connections: Map<Socket, { isBusy: boolean }>
}

const open = async (path: string, answer: Answer, patienceMillis: number): Promise<Listening> => {
  // Only one process has the lock of the folder, so a socket file that exists belonged to a process that died.
  await rm(path, { force: true })
  const connections: Listening["connections"] = new Map()
  const server = createServer((socket) => {
    const state = { isBusy: false }
    connections.set(socket, state)
    socket.once("close", () => connections.delete(socket))
    serve(socket, patienceMillis, (line) => {
      state.isBusy = true
      return answer(line)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  await chmod(path, 0o600)
  return { server, connections }
}

const serve = (socket: Socket, patienceMillis: number, answer: Answer): void => {
  let text = ""
  socket.setEncoding("utf8")
  socket.setTimeout(patienceMillis, () => socket.destroy())
  socket.on("error", () => socket.destroy())
  socket.on("data", (piece: string) => {
    text += piece
    const end = text.indexOf("\n")
    if (end < 0) {
      if (text.length > LINE_MAX) socket.destroy()
      return
    }
    socket.pause()
    // From here on the client waits for the server, so the connection may be silent.
    socket.setTimeout(FOREVER)
    answer(text.slice(0, end)).then(
      (reply) => socket.setTimeout(patienceMillis).end(`${reply}\n`),
      // The server stops, and has interrupted the command.
      () => socket.destroy()
    )
  })
}

/**
 * Accepts no more commands, and closes the connections without a command. Commands that are being carried out may take
 * `FINISH_MILLIS` more; after this function, `listen` interrupts the commands that are left.
 */
const close =
  (path: string) =>
  ({ connections, server }: Listening): Effect.Effect<void> =>
    Effect.async<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const [socket, { isBusy }] of connections) if (!isBusy) socket.destroy()
    }).pipe(
      Effect.interruptible,
      Effect.timeoutOption(FINISH_MILLIS),
      // Sockets run in real time, even when the program's `Clock` is a simulated one.
      Effect.withClock(Clock.make()),
      Effect.zipRight(
        Effect.promise(() => {
          for (const socket of connections.keys()) socket.destroy()
          return rm(path, { force: true })
        })
      )
    )

/** Sends a command to the server that uses the data folder. Returns None when no server listens in the folder. */
export const send = (
  dataDir: string,
  command: OperatorCommand,
  patienceMillis = PATIENCE_MILLIS
): Effect.Effect<Option.Option<Output>, CannotStart> =>
  Effect.gen(function* () {
    const line = yield* Effect.orDie(Schema.encode(Request)(command))
    const patience = LONG.includes(command._tag) ? FOREVER : patienceMillis
    const answered = yield* Effect.promise(() => ask(pathIn(dataDir), line, patience))
    if (answered === undefined) return Option.none()
    const reply = Schema.decodeUnknownEither(Reply)(answered)
    if (Either.isLeft(reply)) {
      return yield* new CannotStart({ message: "The running server gave no answer. Look into its log." })
    }
    if ("refused" in reply.right) return yield* new CannotStart({ message: reply.right.refused })
    return Option.some(reply.right.output)
  })

/**
 * Sends a line and returns the answer. Returns undefined when it cannot connect, for example because there is no
 * socket, or only one that a killed process left behind.
 */
const ask = (path: string, line: string, patienceMillis: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = ""
    let isConnected = false
    const socket = connect(path)
    const done = () => {
      socket.destroy()
      resolve(isConnected ? text : undefined)
    }
    socket.setEncoding("utf8")
    socket.setTimeout(patienceMillis, done)
    socket.once("connect", () => {
      isConnected = true
      socket.write(`${line}\n`)
    })
    socket.on("data", (piece: string) => (text += piece))
    socket.once("error", done)
    socket.once("close", done)
  })
