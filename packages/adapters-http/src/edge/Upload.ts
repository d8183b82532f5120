import type { HttpServerRequest } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option, Stream } from "effect"
import * as Multipasta from "multipasta"
import type { IncomingMessage } from "node:http"
import * as Errors from "../wire/Errors.js"
import { letGo } from "./Body.js"
import * as Admission from "./Admission.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as Patience from "./Patience.js"

/**
 * Reads bodies that are too large for memory. The bytes are passed on as they arrive, no faster than the route takes
 * them. A route uses this module only when it knows the caller, because the body may then take half an hour.
 */

export type Refused = typeof Errors.InvalidRequest.Type | typeof Errors.PayloadTooLarge.Type

type Pull = Effect.Effect<Uint8Array, Option.Option<Refused>>

const endedEarly = Errors.invalidRequest("The body ended too early")
const noForm = Errors.invalidRequest("The body is not a form with a file")

/** Takes the next bytes. Fails with None at the end of the body. */
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
 * Refuses a body whose declared length is above `most`, without reading it. The route counts the bytes of other bodies.
 * Afterwards, whatever the outcome, the rest of the body is read and dropped, so that the client can read our answer.
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

/** A form with a file: the fields before the file, and the bytes of the file. */
export interface Posted {
  readonly value: (name: string) => string
  readonly fileName: string
  readonly bytes: Stream.Stream<Uint8Array, Refused>
}

const MAX_PARTS = 16
const MAX_FIELD_BYTES = 4_096
/** The bytes allowed around the file: the other fields and the headers of the parts. */
const MAX_FRAME_BYTES = 65_536

interface PostedFile {
  readonly name: string
  isWhole: boolean
}

/** The state of reading a form. */
interface Progress {
  readonly fields: Map<string, string>
  file: PostedFile | undefined
  /** Bytes of the file that were parsed and not taken yet. */
  readonly waiting: Array<Uint8Array>
  isBroken: boolean
}

const parserFor = (headers: Readonly<Record<string, string>>, progress: Progress) =>
  Multipasta.make({
    headers: { ...headers },
    maxParts: MAX_PARTS,
    maxFieldSize: MAX_FIELD_BYTES,
    onField: (info, value) => {
      if (progress.file === undefined) progress.fields.set(info.name, Multipasta.decodeField(info, value))
    },
    onFile: (info) => {
      if (progress.file !== undefined) return () => {}
      const file = { name: info.filename ?? "", isWhole: false }
      progress.file = file
      return (bytes) => {
        if (bytes === null) file.isWhole = true
        else progress.waiting.push(bytes)
      }
    },
    onError: () => void (progress.isBroken = true),
    onDone: () => {}
  })

/**
 * Reads `multipart/form-data`, as a browser sends it. Fields that the route decides by must come before the file; later
 * parts are dropped.
 */
export const form = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  use: (posted: Posted) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refused, R> =>
  withSource(request, most + MAX_FRAME_BYTES, (pull) =>
    Effect.gen(function* () {
      const progress: Progress = { fields: new Map(), file: undefined, waiting: [], isBroken: false }
      const parser = parserFor(request.headers, progress)
      const write = (bytes: Uint8Array) =>
        Effect.suspend(() => {
          try {
            parser.write(bytes)
          } catch {
            // The file name cannot be decoded.
            progress.isBroken = true
          }
          return progress.isBroken ? Effect.fail(noForm) : Effect.void
        })
      const readOn = (atTheEnd: Refused) =>
        Effect.flatMap(
          Effect.mapError(
            pull,
            Option.getOrElse(() => atTheEnd)
          ),
          write
        )

      const untilFile: Effect.Effect<PostedFile, Refused> = Effect.suspend(() =>
        progress.file === undefined
          ? Effect.zipRight(readOn(noForm), untilFile)
          : Effect.succeed<PostedFile>(progress.file)
      )
      if (progress.isBroken) return yield* Effect.fail(noForm)
      const file = yield* untilFile

      const next: Pull = Effect.suspend(() => {
        const bytes = progress.waiting.shift()
        if (bytes !== undefined) return Effect.succeed(bytes)
        if (file.isWhole) return Effect.fail(Option.none())
        return Effect.zipRight(Effect.mapError(readOn(endedEarly), Option.some), next)
      })
      return yield* use({
        value: (name) => progress.fields.get(name) ?? "",
        fileName: file.name,
        bytes: Stream.repeatEffectOption(next)
      })
    })
  )
