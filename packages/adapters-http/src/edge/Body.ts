import type { HttpServerRequest } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Data, Effect, Exit, RuntimeFlags } from "effect"
import type { IncomingMessage } from "node:http"
import * as Errors from "../wire/Errors.js"
import type { Cell } from "./CurrentRequest.js"
import { NodeRequest } from "./NodeRequest.js"

const MIB = 1_048_576
/** Bytes of a request body (decisions §5). */
export const limitFor = (url: string): number => (url.startsWith("/v1/phone/") ? 8 * MIB : MIB)

/**
 * Entries of all lists of a JSON body together: not fewer than there are locations in 8 MiB, of which the shortest has 54 bytes. Each
 * entry that is wrong is told of, and to find that out costs a hundred times its bytes: three million of them would end the process.
 */
const entriesFor = (url: string): number => (url.startsWith("/v1/phone/") ? 160_000 : 20_000)

/** A body that can't be used, with the answer it gets. Travels as a defect: the platform dies of body errors. */
export class BodyRefused extends Data.TaggedError("BodyRefused")<{ readonly answer: Errors.WireError }> {}

/** The client may send the body again, whole. */
const ENDED_EARLY = Errors.invalidRequest("The body ended too early")

/** A body that was sent and stays unusable, however often it is sent again. */
export const isHopeless = (defect: unknown): boolean => defect instanceof BodyRefused && defect.answer !== ENDED_EARLY

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"

/**
 * The request with a body that is read within bounds: declared content type only, UTF-8, at most `limitFor` bytes counted
 * as they come. The platform itself limits nothing, takes any content type, and resets the connection of a body that
 * passes its own limit. Reading stays lazy: nothing is read before the caller is known and allowed.
 */
export const bounded = (
  request: HttpServerRequest.HttpServerRequest,
  cell: Cell
): HttpServerRequest.HttpServerRequest => {
  if (request.method === "GET" || request.method === "HEAD") return request
  return new BoundedRequest(request, cell)
}

/** A class, not an object made from the request: of such there is one shape for each request, and the engine looks up each anew. */
class BoundedRequest extends NodeRequest {
  override readonly text: Effect.Effect<string>
  override readonly json: Effect.Effect<unknown>
  override readonly arrayBuffer: Effect.Effect<never>
  override readonly multipart: Effect.Effect<never>

  constructor(request: HttpServerRequest.HttpServerRequest, cell: Cell) {
    super(NodeHttpServerRequest.toIncomingMessage(request))
    this.text = text(request, cell)
    this.json = Effect.flatMap(this.text, (text) => parseJson(text, entriesFor(request.url)))
    this.arrayBuffer = Effect.suspend(() => Effect.die(new BodyRefused({ answer: unsupported(cell) })))
    this.multipart = this.arrayBuffer
  }
}

const unsupported = (cell: Cell): Errors.WireError => Errors.unsupportedMediaType(Array.from(cell.reads))

/** However often it is asked for. Nobody asks while it is being read: a request is one fibre. */
const text = (request: HttpServerRequest.HttpServerRequest, cell: Cell): Effect.Effect<string> => {
  let known: Exit.Exit<string> | undefined
  return Effect.withFiberRuntime((_, { runtimeFlags }) => {
    if (known !== undefined) return known
    const type = acceptable(request, cell)
    if (Exit.isFailure(type)) return (known = type)
    const read = (bytes: Exit.Exit<Buffer>) =>
      (known = Exit.flatMap(bytes, (whole) => decodeUtf8(whole, type.value === FORM_TYPE)))
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const limit = limitFor(request.url)
    if (isThere(source, limit)) return read(Exit.succeed(takeAll(source)))
    return Effect.async<string>((resume) => {
      const stop = receive(source, limit, (bytes) => resume(read(bytes)))
      // To be ready for an interruption takes the fibre eight steps: nobody is who cannot be interrupted.
      return RuntimeFlags.interruptible(runtimeFlags) ? Effect.sync(stop) : undefined
    })
  })
}

/** The content type of a body that the matched route reads; any other is refused. */
export const acceptable = (request: HttpServerRequest.HttpServerRequest, cell: Cell): Exit.Exit<string> => {
  const type = mediaType(request.headers["content-type"]) ?? JSON_TYPE
  const encoding = request.headers["content-encoding"] ?? "identity"
  return cell.reads.has(type) && encoding.toLowerCase() === "identity"
    ? Exit.succeed(type)
    : Exit.die(new BodyRefused({ answer: unsupported(cell) }))
}

/** Lower-case type without parameters; undefined when there is none; "" when it can't be read or is not UTF-8. */
const mediaType = (header: string | undefined): string | undefined => {
  if (header === undefined || header.trim() === "") return undefined
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length)
  return charset === undefined || /^"?(?:utf-?8|us-ascii)"?$/.test(charset) ? type : ""
}

/** Whether all of it has come by now, as of most that were let in only after a look into the database. */
const isThere = (source: IncomingMessage, limit: number): boolean =>
  source.complete && !source.destroyed && source.readableLength <= limit && declared(source) <= limit

const takeAll = (source: IncomingMessage): Buffer => {
  const bytes: unknown = source.read()
  return Buffer.isBuffer(bytes) ? bytes : NOTHING
}

const NOTHING = Buffer.alloc(0)

const declared = (source: IncomingMessage): number => Number(source.headers["content-length"] ?? 0)

/** Tells `done` what has come, once. Ends when the function that it returns is called. */
const receive = (source: IncomingMessage, limit: number, done: (bytes: Exit.Exit<Buffer>) => void): (() => void) => {
  const answer = () => done(Exit.die(new BodyRefused({ answer: Errors.payloadTooLarge(limit) })))
  const refuse = (alreadyRead: number) => {
    discard(source, alreadyRead, answer)
    if (!closesAfterwards(source)) answer()
  }
  const chunks: Array<Buffer> = []
  let size = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size <= limit) return void chunks.push(chunk)
    stop()
    refuse(size)
  }
  const onEnd = () => {
    stop()
    done(Exit.succeed(Buffer.concat(chunks, size)))
  }
  const onError = () => {
    stop()
    done(Exit.die(new BodyRefused({ answer: ENDED_EARLY })))
  }
  const stop = () => void source.off("data", onData).off("end", onEnd).off("error", onError)
  if (declared(source) > limit) refuse(0)
  else source.on("data", onData).once("end", onEnd).once("error", onError)
  return stop
}

/** Node closes such a connection as soon as it has answered. */
const closesAfterwards = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === "1.0" || /\bclose\b/i.test(headers.connection ?? "")

/**
 * Lets a client that is still sending read the answer, within reason; then the connection is closed on it. A connection that is
 * closed while data arrives is reset, and the answer is lost with it: there the answer waits for `done`.
 */
const discard = (source: IncomingMessage, alreadyRead: number, done: () => void): void => {
  let size = alreadyRead
  source.on("error", done)
  source.once("end", done)
  source.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= 64 * MIB) return
    done()
    source.destroy()
  })
}

/** What is left of a body that somebody has begun to read is passed over. Ends when the answer may be sent. */
export const letGo = (source: IncomingMessage): Effect.Effect<void> =>
  Effect.async((resume) => {
    const answer = () => resume(Effect.void)
    if (source.readableEnded || source.destroyed) return answer()
    discard(source, 0, answer)
    source.once("close", answer)
    source.resume()
    if (!closesAfterwards(source)) answer()
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decodeUtf8 = (bytes: Buffer, isForm: boolean): Exit.Exit<string> => {
  try {
    const text = utf8.decode(bytes)
    return isForm && /%00|\0/.test(text) ? unreadable("The form holds a NUL character") : Exit.succeed(text)
  } catch {
    return unreadable("The body is not valid UTF-8")
  }
}

const parseJson = (text: string, entriesMax: number): Exit.Exit<unknown> => {
  try {
    const value: unknown = text === "" ? null : JSON.parse(text)
    // An entry has a character and a comma.
    if (text.length > 2 * entriesMax && holdsMore(value, entriesMax)) {
      return Exit.die(new BodyRefused({ answer: Errors.tooManyEntries(entriesMax) }))
    }
    // PostgreSQL has no NUL in text: better refused here than failed there.
    return text.includes("\\u0000") && holdsNul(value)
      ? unreadable("The JSON holds a NUL character")
      : Exit.succeed(value)
  } catch {
    return unreadable("The body is not valid JSON")
  }
}

const holdsMore = (body: unknown, entriesMax: number): boolean => {
  const left: Array<unknown> = [body]
  let entries = 0
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== "object" || value === null) continue
    if (Array.isArray(value)) entries += value.length
    if (entries > entriesMax) return true
    for (const inner of Object.values(value)) left.push(inner)
  }
  return false
}

const holdsNul = (value: unknown): boolean =>
  typeof value === "string"
    ? value.includes("\0")
    : typeof value === "object" && value !== null && Object.entries(value).some((pair) => pair.some(holdsNul))

const unreadable = (message: string) => Exit.die(new BodyRefused({ answer: Errors.invalidRequest(message) }))
