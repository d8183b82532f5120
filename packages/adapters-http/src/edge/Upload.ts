import type { HttpServerRequest } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option, Stream } from "effect"
import * as Multipasta from "multipasta"
import type { IncomingMessage } from "node:http"
import * as Errors from "../wire/Errors.js"
import { letGo } from "./Body.js"
import * as Admission from "./Admission.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as FileName from "./FileName.js"
import * as Patience from "./Patience.js"

// This module reads bodies that are too large for memory. The bytes are passed on as they arrive, no faster than the
// route reads them. A route uses this module only after it has authenticated the caller, because a body that is read
// here may take half an hour.

export type Refused = typeof Errors.InvalidRequest.Type | typeof Errors.PayloadTooLarge.Type

type Pull = Effect.Effect<Uint8Array, Option.Option<Refused>>

const endedEarly = Errors.invalidRequest("The body ended too early")
const noForm = Errors.invalidRequest("The body is not a form with a file")

/** Takes the next bytes of the body. Fails with None at the end of the body, and with Some when the body broke off. */
const pullFrom = (source: IncomingMessage): Pull =>
  Effect.async((resume) => {
    const attempt = () => {
      const chunk: unknown = source.read()
      if (chunk instanceof Uint8Array) settle(Effect.succeed(chunk))
      else if (source.readableEnded) settle(Effect.fail(Option.none()))
    }
    const onError = () => settle(Effect.fail(Option.some(endedEarly)))
    const settle = (how: Pull) => {
      source.off("readable", attempt).off("end", attempt).off("error", onError).off("close", onError)
      resume(how)
    }
    if (source.errored !== null || (source.destroyed && !source.readableEnded)) return onError()
    source.on("readable", attempt).on("end", attempt).on("error", onError).on("close", onError)
    attempt()
  })

/**
 * Refuses a body whose declared length is above `most`, without reading it. A body without a declared length is not
 * limited here: the route must count its bytes. Afterwards, whatever the outcome, the rest of the body is read and
 * dropped, so that the client can read our answer.
 */
const withSource = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  use: (pull: Pull) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refused, R> => {
  const source = NodeHttpServerRequest.toIncomingMessage(request)
  const used: Effect.Effect<A, E | Refused, R> =
    Number(source.headers["content-length"] ?? 0) > most
      ? Effect.fail(Errors.payloadTooLarge(most))
      : Effect.suspend(() => {
          Patience.extend(source)
          return use(pullFrom(source))
        })
  const inTheEnd = Effect.ensuring(used, letGo(source))
  return CurrentRequest.cellWith(({ place }) => Admission.aside(place, inTheEnd))
}

/** Reads a body that is one file. */
export const raw = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  use: (bytes: Stream.Stream<Uint8Array, Refused>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refused, R> => withSource(request, most, (pull) => use(Stream.repeatEffectOption(pull)))

/** A posted form with a file: the fields that came before the file, and the bytes of the file. */
export interface Posted {
  readonly value: (name: string) => string
  readonly fileName: string
  readonly bytes: Stream.Stream<Uint8Array, Refused>
}

/**
 * The service reads at most this number of parts of a form. This is enough for a few fields, and for more files than
 * the queue of one person's imports can have (`Import.MAX_OPEN`).
 */
const MAX_PARTS = 64
const MAX_FIELD_BYTES = 4_096
/** How many bytes a form may have beside its files: the other fields, and the headers of all parts. */
const MAX_FRAME_BYTES = 65_536

interface PostedFile {
  readonly name: string
  /** The bytes of the file that were parsed and that the route has not read yet. */
  readonly waiting: Array<Uint8Array>
  isWhole: boolean
}

/** What the parser of a form has found so far. */
interface Progress {
  readonly fields: Map<string, string>
  /** The files whose first bytes were parsed and which the route has not got yet. */
  readonly files: Array<PostedFile>
  hasFile: boolean
  /** The form has more than `MAX_PARTS` parts. Later parts are not read. */
  isCut: boolean
  isBroken: boolean
  isDone: boolean
}

const parserFor = (headers: Readonly<Record<string, string>>, progress: Progress) =>
  Multipasta.make({
    headers: { ...headers },
    maxParts: MAX_PARTS,
    maxFieldSize: MAX_FIELD_BYTES,
    isFile: FileName.isFile,
    onField: (info, value) => {
      if (!progress.hasFile) progress.fields.set(info.name, Multipasta.decodeField(info, value))
    },
    onFile: (info) => {
      if (progress.isCut) return () => {}
      const file: PostedFile = { name: FileName.fileNameOf(info) ?? "", waiting: [], isWhole: false }
      progress.hasFile = true
      progress.files.push(file)
      return (bytes) => {
        if (bytes === null) file.isWhole = true
        else file.waiting.push(bytes)
      }
    },
    onError: (error) => {
      // The parser only reports its limit of parts and goes on: it passes on later parts too, and `onFile` drops them.
      if (error._tag === "ReachedLimit" && error.limit === "MaxParts") progress.isCut = true
      else progress.isBroken = true
    },
    onDone: () => void (progress.isDone = true)
  })

/**
 * Reads `multipart/form-data` with one file, as a browser sends it. The fields that the route needs must come before
 * the file: later parts are dropped.
 */
export const form = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  use: (posted: Posted) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refused, R> =>
  withSource(request, most + MAX_FRAME_BYTES, (pull) =>
    Effect.gen(function* () {
      const file = yield* nextFile(reading(request, pull))
      return file === undefined ? yield* Effect.fail(noForm) : yield* use(file)
    })
  )

/** The results of the files of a form, in the order of the files. */
interface Results<A> {
  readonly results: ReadonlyArray<A>
  /**
   * Whether the form has more than `MAX_PARTS` parts. The route does not get the files after the first `MAX_PARTS`
   * parts.
   */
  readonly isCut: boolean
}

/**
 * Like `form`, for several files. The route gets one file after the other. `use` must turn the error of a file into a
 * result: a failure of `use` ends the reading, and the route does not get the files after it.
 */
export const forms = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  use: (posted: Posted) => Effect.Effect<A, E, R>
): Effect.Effect<Results<A>, E | Refused, R> =>
  withSource(request, most + MAX_FRAME_BYTES, (pull) =>
    Effect.gen(function* () {
      const source = reading(request, pull)
      const results: Array<A> = []
      for (;;) {
        const file = yield* nextFile(source)
        if (file === undefined) {
          return results.length === 0 ? yield* Effect.fail(noForm) : { results, isCut: source.progress.isCut }
        }
        results.push(yield* use(file))
        // The bytes of this file that the route has not read are read and dropped, so that the next file begins.
        yield* Stream.runDrain(file.bytes)
      }
    })
  )

interface Source {
  readonly progress: Progress
  /** Reads and parses the next bytes. False at the end of the body. */
  readonly more: Effect.Effect<boolean, Refused>
}

const reading = (request: HttpServerRequest.HttpServerRequest, pull: Pull): Source => {
  const progress: Progress = {
    fields: new Map(),
    files: [],
    hasFile: false,
    isCut: false,
    isBroken: false,
    isDone: false
  }
  const parser = parserFor(request.headers, progress)
  const write = (bytes: Uint8Array) =>
    Effect.suspend(() => {
      try {
        parser.write(bytes)
      } catch {
        // The parser throws an error when it cannot decode a file name. The form then counts as broken.
        progress.isBroken = true
      }
      return progress.isBroken ? Effect.fail(noForm) : Effect.succeed(true)
    })
  const more = pull.pipe(
    Effect.flatMap(write),
    Effect.catchAll((end) => {
      if (!Option.isOption(end)) return Effect.fail(end)
      return Option.isSome(end) ? Effect.fail(end.value) : Effect.succeed(false)
    })
  )
  return {
    progress,
    more: Effect.suspend(() => {
      if (progress.isBroken) return Effect.fail(noForm)
      return progress.isCut ? Effect.succeed(false) : more
    })
  }
}

/** The next file of the form; undefined when there is none. */
const nextFile = ({ more, progress }: Source): Effect.Effect<Posted | undefined, Refused> =>
  Effect.gen(function* () {
    while (progress.files.length === 0 && !progress.isDone) if (!(yield* more)) break
    const file = progress.files.shift()
    if (file === undefined) return undefined
    const next: Pull = Effect.suspend(() => {
      const bytes = file.waiting.shift()
      if (bytes !== undefined) return Effect.succeed(bytes)
      if (file.isWhole) return Effect.fail(Option.none())
      return Effect.flatMap(Effect.mapError(more, Option.some), (isMore) =>
        isMore ? next : Effect.fail(Option.some(endedEarly))
      )
    })
    return {
      value: (name) => progress.fields.get(name) ?? "",
      fileName: file.name,
      bytes: Stream.repeatEffectOption(next)
    }
  })
