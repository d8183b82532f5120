import { HttpServerRequest } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Data, Effect, Exit, Option } from "effect"
import type { IncomingMessage } from "node:http"
import * as Errors from "../wire/Errors.js"
import * as Admission from "./Admission.js"
import * as CurrentRequest from "./CurrentRequest.js"
import { NodeRequest } from "../engine/NodeRequest.js"
import * as Slices from "./Slices.js"

/**
 * A body that cannot be used, with the answer for the client. The refusal is a defect and not an error, because the
 * platform turns errors of a body into defects.
 */
export class BodyRefused extends Data.TaggedError("BodyRefused")<{ readonly answer: Errors.WireError }> {}

/**
 * The answer when the body ended too early, for example because the connection broke. The client may send the whole
 * body again.
 */
const ENDED_EARLY = Errors.invalidRequest("The body ended too early")

/** Whether the service would refuse the same body again, so that a retry cannot help. */
export const isHopeless = (defect: unknown): boolean => defect instanceof BodyRefused && defect.answer !== ENDED_EARLY

/** Turns the defect of a refused body into an error, for a handler that writes the answer itself. */
export const refusalAsError = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | Errors.WireError, R> =>
  Effect.catchSomeDefect(self, (defect) =>
    defect instanceof BodyRefused ? Option.some(Effect.fail(defect.answer)) : Option.none()
  )

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"

/**
 * Limits the request's body: it must have a content type that the route reads, be UTF-8, not be compressed, and be
 * within the route's `BodyBounds`. A form may have as many fields as a JSON body may have entries. A form with a NUL
 * character is refused too, and so is JSON that `STRICT` refuses.
 * Bytes are counted while they arrive. The body is not read before a guard or a handler asks for it.
 *
 * Without this function, the platform would accept any content type and any length. The platform's own limit does not
 * help: for a longer body the platform resets the connection, and the client gets no answer.
 */
export const bounded = (
  request: HttpServerRequest.HttpServerRequest,
  cell: CurrentRequest.Cell
): HttpServerRequest.HttpServerRequest => {
  if (request.method === "GET" || request.method === "HEAD") return request
  return new BoundedRequest(request, cell)
}

class BoundedRequest extends NodeRequest {
  override readonly text: Effect.Effect<string>
  override readonly json: Effect.Effect<unknown>
  override readonly arrayBuffer: Effect.Effect<never>
  override readonly multipart: Effect.Effect<never>

  constructor(request: HttpServerRequest.HttpServerRequest, cell: CurrentRequest.Cell) {
    super(NodeHttpServerRequest.toIncomingMessage(request))
    this.text = text(request, cell)
    this.json = Effect.flatMap(this.text, (text) => parseJson(text, cell.route.bounds.entries, STRICT))
    this.arrayBuffer = Effect.suspend(() => Effect.die(new BodyRefused({ answer: unsupported(cell) })))
    this.multipart = this.arrayBuffer
  }
}

const unsupported = (cell: CurrentRequest.Cell): Errors.WireError =>
  Errors.unsupportedMediaType(Array.from(cell.route.reads))

/** Reads the body once and keeps the result for later calls. No two calls overlap, because one fiber runs a request. */
const text = (request: HttpServerRequest.HttpServerRequest, cell: CurrentRequest.Cell): Effect.Effect<string> => {
  let known: Exit.Exit<string> | undefined
  return Effect.suspend(() => {
    if (known !== undefined) return known
    const type = acceptable(request, cell)
    if (Exit.isFailure(type)) return (known = type)
    const read = (bytes: Exit.Exit<Buffer>) =>
      (known = Exit.flatMap(bytes, (whole) =>
        Exit.flatMap(decodeUtf8(whole), (text) =>
          type.value === FORM_TYPE ? checkedForm(text, cell.route.bounds.entries) : Exit.succeed(text)
        )
      ))
    return Effect.async<string>((resume) => {
      const source = NodeHttpServerRequest.toIncomingMessage(request)
      const hasArrived = Admission.duringBody(cell.place)
      const stop = receive(source, cell.route.bounds.bytes, (bytes) => {
        hasArrived()
        resume(read(bytes))
      })
      return Effect.sync(() => {
        hasArrived()
        stop()
      })
    })
  })
}

/**
 * Waits until the whole JSON body or form has arrived. The checks of sessions, access tokens and client secrets wait
 * with this effect first: otherwise the sender could hold back the end of a body until the session or connection has
 * ended (decisions accounts-23 and tokens-5). This effect does not fail for a refused body: the refusal comes when the
 * handler reads the body, after the checks of the caller. This effect does not wait for a file, because `Upload` reads
 * files.
 */
export const arrived: Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    CurrentRequest.cellWith(({ route }) =>
      request.method === "GET" || request.method === "HEAD" || takesFile(route)
        ? Effect.void
        : Effect.asVoid(Effect.exit(request.text))
    )
)

const takesFile = ({ reads }: CurrentRequest.Route): boolean =>
  Array.from(reads).some((type) => type !== JSON_TYPE && type !== FORM_TYPE)

/** Limits the request's body to `bytes`, for a guard that reads the body before it knows the caller. */
export const atMost = (bytes: number): Effect.Effect<void> =>
  CurrentRequest.cellWith((cell) => {
    cell.route = { ...cell.route, bounds: { ...cell.route.bounds, bytes } }
    return Effect.void
  })

/** The body's content type (default JSON). Refuses compressed bodies and types that the route does not read. */
export const acceptable = (
  request: HttpServerRequest.HttpServerRequest,
  cell: CurrentRequest.Cell
): Exit.Exit<string> => {
  const type = mediaType(request.headers["content-type"]) ?? JSON_TYPE
  const isPlain = (request.headers["content-encoding"] ?? "identity").toLowerCase() === "identity"
  if (isPlain && cell.route.reads.has(type)) return Exit.succeed(type)
  const answer = unsupported(cell)
  // RFC 9110 §15.5.16: the header `Accept-Encoding` tells the client that the service refused the encoding of the body.
  return Exit.die(
    new BodyRefused({ answer: isPlain ? answer : Errors.withHeaders(answer, { "accept-encoding": "identity" }) })
  )
}

/**
 * The type in lower case, without parameters. Undefined when the header is missing or empty; "" when the header names
 * another charset than UTF-8 or US-ASCII.
 */
const mediaType = (header: string | undefined): string | undefined => {
  if (header === undefined || header.trim() === "") return undefined
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length)
  return charset === undefined || /^"?(?:utf-?8|us-ascii)"?$/.test(charset) ? type : ""
}

const declared = (source: IncomingMessage): number => Number(source.headers["content-length"] ?? 0)

/**
 * Whether the source failed or was closed before its end. Such a source may emit no further event, so a listener that
 * is added after the failure could wait forever.
 */
const isBrokenOff = (source: IncomingMessage): boolean =>
  source.errored !== null || (source.destroyed && !source.readableEnded)

/**
 * Reads the body and calls `done` once, with the bytes or a refusal. The returned function stops the reading.
 *
 * When a request takes too long, `Patience` destroys the request, and Node emits only `close`, not `error`. So `close`
 * ends the reading too. Otherwise the fiber, which may be uninterruptible, would wait forever and keep the received
 * bytes.
 */
const receive = (source: IncomingMessage, limit: number, done: (bytes: Exit.Exit<Buffer>) => void): (() => void) => {
  let isDone = false
  const answer = () => {
    if (isDone) return
    // `discard` calls `answer` a second time when the rest of the body ends, perhaps long after the request was
    // answered. The second call must do nothing.
    isDone = true
    done(Exit.die(new BodyRefused({ answer: Errors.payloadTooLarge(limit) })))
  }
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
  const onClose = () => {
    stop()
    done(Exit.die(new BodyRefused({ answer: ENDED_EARLY })))
  }
  const stop = () => void source.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose)
  if (isBrokenOff(source)) onClose()
  else if (declared(source) > limit) refuse(0)
  else source.on("data", onData).once("end", onEnd).once("error", onClose).once("close", onClose)
  return () => {
    isDone = true
    stop()
  }
}

/** Whether Node closes the connection as soon as it has sent the answer. */
const closesAfterwards = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === "1.0" || /\bclose\b/i.test(headers.connection ?? "")

const DISCARDED_MAX = 64 * 1_048_576

/**
 * Reads and drops the rest of the body, so that a client that is still sending can read the answer. After
 * `DISCARDED_MAX` bytes the connection is closed.
 *
 * When a connection is closed while data arrives, the connection is reset and the client never gets the answer. For
 * some requests Node closes the connection right after the answer (`closesAfterwards`). The caller answers these
 * requests only after `done`.
 */
const discard = (source: IncomingMessage, alreadyRead: number, done: () => void): void => {
  let size = alreadyRead
  source.on("error", done)
  source.once("end", done)
  // When `Patience` destroys a slow request, Node emits only `close`, not `error`.
  source.once("close", done)
  source.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= DISCARDED_MAX) return
    done()
    source.destroy()
  })
}

/** Reads and drops the part of a body that was not read yet. Returns when the answer may be sent. */
export const letGo = (source: IncomingMessage): Effect.Effect<void> =>
  Effect.async((resume) => {
    const answer = () => resume(Effect.void)
    if (source.readableEnded || source.destroyed) return answer()
    discard(source, 0, answer)
    source.resume()
    if (!closesAfterwards(source)) answer()
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decodeUtf8 = (bytes: Buffer): Exit.Exit<string> => {
  try {
    return Exit.succeed(utf8.decode(bytes))
  } catch {
    return unreadable("The body is not valid UTF-8")
  }
}

const checkedForm = (text: string, entriesMax: number): Exit.Exit<string> =>
  hasMoreFields(text, entriesMax)
    ? tooManyEntries(entriesMax)
    : /%00|\0/.test(text)
      ? unreadable("The form holds a NUL character")
      : Exit.succeed(text)

/** Whether a form has more than `most` fields. Decoding millions of fields would block other requests for a second. */
export const hasMoreFields = (form: string, most: number): boolean => {
  let at = -1
  for (let fields = 1; fields <= most; fields++) {
    at = form.indexOf("&", at + 1)
    if (at < 0) return false
  }
  return true
}

/**
 * Parses the body that a phone's app sent as JSON. A body that is not JSON or is nested too deeply yields undefined
 * instead of a refusal, and NUL characters are kept (decisions devices-7 and devices-12). A body with more entries than
 * the route allows is refused.
 */
export const lenientJson = (text: string): Effect.Effect<unknown> =>
  CurrentRequest.cellWith((cell) => parseJson(text, cell.route.bounds.entries, LENIENT))

/**
 * What the parser does with a body that is not JSON, with a body that is nested too deeply, and with NUL characters.
 * `STRICT` refuses all three, `LENIENT` refuses none of them.
 */
interface Strictness {
  readonly noJson: Exit.Exit<unknown>
  readonly tooDeep: Exit.Exit<unknown>
  readonly refusesNul: boolean
}

const parseJson = (text: string, entriesMax: number, strictness: Strictness): Effect.Effect<unknown> =>
  Slices.isLong(text) ? parseLong(text, entriesMax, strictness) : parseShort(text, entriesMax, strictness)

/**
 * Does the same as `parseShort`, but in slices, between which other requests run. Also refuses a body with too many
 * values in one slice (`Slices.TooManyValues`).
 */
const parseLong = (text: string, entriesMax: number, strictness: Strictness): Effect.Effect<unknown> => {
  let entries = 0
  const mayHoldNul = strictness.refusesNul && text.includes("\\u0000")
  const parsed = Slices.parse(text, (part) => {
    const size = sizeOf(part, entriesMax)
    entries += size.entries
    if (entries > entriesMax) return tooManyEntries(entriesMax)
    if (size.levels > LEVELS) return Effect.fail(TOO_DEEP)
    return mayHoldNul && holdsNul(part) ? NUL : Effect.void
  })
  return Effect.catchAll(parsed, (fault) => {
    if (fault === TOO_DEEP) return strictness.tooDeep
    return fault instanceof Slices.TooManyValues ? TOO_MANY_VALUES : strictness.noJson
  })
}

const parseShort = (text: string, entriesMax: number, strictness: Strictness): Exit.Exit<unknown> => {
  try {
    const value: unknown = text === "" ? null : JSON.parse(text)
    // A text of at most 2 × `LEVELS` characters cannot have too many levels or entries: each level needs two brackets,
    // and each entry a character and a comma.
    if (text.length > 2 * LEVELS) {
      const { entries, levels } = sizeOf(value, entriesMax)
      if (entries > entriesMax) return tooManyEntries(entriesMax)
      if (levels > LEVELS) return strictness.tooDeep
    }
    // PostgreSQL cannot store NUL in a text. The refusal `NUL` names this fault. Without the refusal, the SQL statement
    // would fail and the client would get 500.
    return strictness.refusesNul && text.includes("\\u0000") && holdsNul(value) ? NUL : Exit.succeed(value)
  } catch {
    return strictness.noJson
  }
}

/**
 * Values in a body may be nested at most this number of levels deep. Some functions call themselves for each level,
 * such as `holdsNul` and the functions that describe a wrong value. Without the limit, a body with many thousands of
 * levels would overflow the stack in these functions.
 */
const LEVELS = 100
const TOO_DEEP = "too deep"

/** The first members of an object, up to this number, are not entries. A reading of a phone's app has fewer members. */
const UNCOUNTED_MEMBERS = 64

/**
 * The levels of a body, and the number of its entries. The elements of all lists are entries, and so are the members of
 * an object beyond the first `UNCOUNTED_MEMBERS`. Counting stops when one of the two numbers is too large.
 */
const sizeOf = (body: unknown, entriesMax: number): { readonly entries: number; readonly levels: number } => {
  let level: ReadonlyArray<unknown> = [body]
  let [entries, levels] = [0, 0]
  while (level.length > 0 && levels <= LEVELS) {
    levels++
    const next: Array<unknown> = []
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue
      const members: ReadonlyArray<unknown> = Object.values(value)
      entries += Array.isArray(value) ? members.length : Math.max(0, members.length - UNCOUNTED_MEMBERS)
      if (entries > entriesMax) return { entries, levels }
      for (const inner of members) next.push(inner)
    }
    level = next
  }
  return { entries, levels }
}

const holdsNul = (value: unknown): boolean =>
  typeof value === "string"
    ? value.includes("\0")
    : typeof value === "object" && value !== null && Object.entries(value).some((pair) => pair.some(holdsNul))

/** The refusal of a body with more than `most` entries. */
export const tooManyEntries = (most: number): Exit.Exit<never> =>
  Exit.die(new BodyRefused({ answer: Errors.tooManyEntries(most) }))

const TOO_MANY_VALUES = Exit.die(new BodyRefused({ answer: Errors.tooManyValues(Slices.VALUES) }))

const unreadable = (message: string) => Exit.die(new BodyRefused({ answer: Errors.invalidRequest(message) }))

const NUL = unreadable("The JSON holds a NUL character")

const STRICT: Strictness = {
  noJson: unreadable("The body is not valid JSON"),
  tooDeep: unreadable(`The JSON is nested more than ${LEVELS} levels deep`),
  refusesNul: true
}
const LENIENT: Strictness = { noJson: Exit.void, tooDeep: Exit.void, refusesNul: false }
