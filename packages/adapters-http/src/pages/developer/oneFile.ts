import { HttpServerRequest } from "@effect/platform"
import { checkFormToken } from "@place-access/domain/accounts"
import { Effect, Stream } from "effect"
import * as Upload from "../../edge/Upload.js"
import { HttpOptions } from "../../HttpOptions.js"
import * as Credentials from "../../security/Credentials.js"
import * as Errors from "../../wire/Errors.js"
import * as Visitor from "../kit/Visitor.js"

/** What a route does with the one small file of its form. */
export interface OneFile<A, E, R> {
  /** The file may have at most this number of bytes. */
  readonly most: number
  /** `value` gives the fields before the file, such as the revision that the form showed. */
  readonly use: (bytes: Uint8Array, value: (name: string) => string) => Effect.Effect<A, E, R>
  /** The answer to a form without a file. */
  readonly missing: Effect.Effect<A, E, R>
  readonly tooLarge: Effect.Effect<A, E, R>
}

/**
 * Receives a form with one small file. In the form, the field of the form token must come before the field of the file,
 * because the token is checked before the file is read.
 */
export const receive = <A, E, R>(visitor: Visitor.Visitor, { missing, most, tooLarge, use }: OneFile<A, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!/^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "")) {
      yield* Visitor.checked(visitor.cookie)
      return yield* missing
    }
    yield* Credentials.checkOrigin(request, yield* HttpOptions)
    const uploaded = Upload.form(request, most, ({ bytes, fileName, value }) =>
      Effect.gen(function* () {
        if (!(yield* checkFormToken(visitor.cookie, value("form_token"), ""))) return yield* Effect.fail(Visitor.stale)
        // When nobody chose a file, a browser sends the field without a file name and without bytes.
        return fileName === "" ? yield* missing : yield* use(yield* whole(bytes, most), value)
      })
    )
    return yield* Effect.catchAll(uploaded, (error) => (isTooLarge(error) ? tooLarge : Effect.fail(error)))
  })

/** All bytes of the file. Fails with `payload_too_large` when the file has more than `most` bytes. */
const whole = <E>(bytes: Stream.Stream<Uint8Array, E>, most: number) =>
  Effect.gen(function* () {
    const parts: Array<Uint8Array> = []
    let size = 0
    yield* Stream.runForEach(bytes, (part) => {
      size += part.length
      parts.push(part)
      return size > most ? Effect.fail(Errors.payloadTooLarge(most)) : Effect.void
    })
    return Buffer.concat(parts)
  })

const isTooLarge = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "statusCode" in error && error.statusCode === 413
