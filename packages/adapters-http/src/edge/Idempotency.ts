import { HttpApiError, type HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { WebhookSender } from "@place-access/domain/deliveries"
import { answerOnce, Idempotency, type Work } from "@place-access/domain/idempotency"
import type { UserId } from "@place-access/domain/shared"
import { Cause, Context, Effect, Exit, FiberRef, Option, Predicate, Schema } from "effect"
import { Caller } from "../security/BearerAuth.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as Services from "./Services.js"

/**
 * `Idempotency-Key`: a POST that can be repeated. Behind the endpoint's guard, around all that the endpoint does: what it writes and the
 * answer that is kept are one transaction. The header is read on every POST but those below, so a new endpoint has it from the start.
 */

/** POSTs that do not read the header, each with the reason why it need not. */
export const WITHOUT: Readonly<Record<string, string>> = {
  "POST /v1/accounts": "an e-mail address has one account: the second request learns that it is taken",
  "POST /v1/session": "the answer is a cookie; a session that nobody holds ends by itself",
  "POST /v1/oauth/token": "codes and refresh tokens can be repeated for 30 seconds, without a key",
  "POST /v1/oauth/revoke": "revoking twice is revoking once",
  "POST /v1/answers/verify-zone": "it only asks, and makes nothing",
  "POST /v1/phone/locations": "readings are known by their times: sent twice they are stored once",
  "POST /v1/phone/overland": "readings are known by their times: sent twice they are stored once",
  "POST /v1/phone/owntracks": "readings are known by their times: sent twice they are stored once",
  "POST /v1/phone/osmand": "readings are known by their times: sent twice they are stored once",
  "POST /v1/user/imports": "what a file holds is stored once, however often the file is imported",
  "POST /v1/developer/apps/{app_id}/webhooks/{endpoint_id}/test":
    "it waits for the receiver's answer, which no transaction may do; a second ping harms nobody",
  "POST /v1/developer/apps/{app_id}/listen": "the answer is a stream"
}

/** Whether the endpoint of this label (`Routes.label`) reads the header. */
export const takesKey = (label: string): boolean => label.startsWith("POST ") && !(label in WITHOUT)

/** Endpoints that look up the host of the body's `url`. They do so before the transaction begins: it would hold its locks while the network is slow. */
const LOOKS_UP_URL: ReadonlySet<string> = new Set([
  "POST /v1/developer/apps/{app_id}/webhooks",
  "POST /v1/subscriptions"
])

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpRouter.HttpRouter.Provided
type Run = Effect.Effect<Response, unknown, Request>

/** Goes around what the endpoint does; undefined for an endpoint that does not read the header. `own`: the request's services. */
export const around = (
  label: string,
  readsBody: boolean
): ((own: Context.Context<never>, run: Run) => Run) | undefined =>
  takesKey(label)
    ? (own, run) => {
        const key = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest).headers["idempotency-key"]
        return key === undefined ? run : once(own, { label, readsBody, key }, run)
      }
    : undefined

type Done = Work<Exit.Exit<Response, unknown>>

interface Keyed {
  readonly label: string
  readonly readsBody: boolean
  readonly key: string
}

const once = (own: Context.Context<never>, { key, label, readsBody }: Keyed, run: Run): Run =>
  Effect.gen(function* () {
    const request = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest)
    if (!isKey(key)) return yield* Effect.fail(Errors.validationFailed([INVALID]))
    const cell = yield* FiberRef.get(CurrentRequest.ref)
    const body = readsBody ? yield* request.text : ""
    if (LOOKS_UP_URL.has(label)) yield* lookUp(own, yield* request.json)
    const work = Effect.flatMap(Effect.exit(run), (exit): Effect.Effect<Done, unknown> => {
      if (Exit.isSuccess(exit)) return Effect.succeed({ answer: kept(exit.value, cell.disclosed), value: exit })
      // A refusal is decided anew the next time; what it has written, such as a budget's count, stays. A fault of ours leaves nothing.
      return isRefusal(exit.cause) ? Effect.succeed({ answer: null, value: exit }) : Effect.failCause(exit.cause)
    })
    const content = `${request.method} ${request.url}\n${body}`
    const answered = yield* answerOnce({ ...subjectOf(own), key, content }, work)
    if (answered._tag === "Worked") return yield* answered.value
    cell.disclosed = answered.answer.disclosed
    return again(answered.answer)
  }).pipe(Effect.mapError(toWire)) as Run

const isKey = Schema.is(Idempotency.Key)

const INVALID = "Idempotency-Key must be 1 to 255 visible ASCII characters"

/** The caller whom the guard let through. Keys belong to a caller: two callers never see each other's answers. */
const subjectOf = (own: Context.Context<never>): { readonly userId: UserId; readonly subject: Idempotency.Subject } => {
  const connection = Context.getOption(own as Context.Context<Caller>, Caller)
  if (Option.isSome(connection)) {
    const { id, userId } = connection.value.connection
    return { userId, subject: Idempotency.connection(id) }
  }
  const { id } = Context.unsafeGet(own as Context.Context<SignedIn>, SignedIn)
  return { userId: id, subject: Idempotency.account(id) }
}

const isRefusal = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return (Errors.isWireError(error) && error.statusCode < 500) || error instanceof HttpApiError.HttpApiDecodeError
}

const toWire = (error: unknown): unknown =>
  error instanceof Idempotency.KeyReused
    ? Errors.idempotencyKeyReused
    : error instanceof Idempotency.KeyInUse
      ? Errors.idempotencyKeyInUse
      : error

const kept = ({ body, headers, status }: Response, disclosed: string | null): Idempotency.Answer => {
  const contentType = headers["content-type"] ?? null
  if (body._tag === "Empty") return { status, contentType: null, body: "", disclosed }
  if (body._tag === "Raw" && typeof body.body === "string") return { status, contentType, body: body.body, disclosed }
  throw new Error(`An answer of the kind ${body._tag} cannot be kept`)
}

const REPLAYED = { "idempotent-replayed": "true" }

const again = ({ body, contentType, status }: Idempotency.Answer): Response =>
  contentType === null
    ? HttpServerResponse.empty({ status, headers: REPLAYED })
    : HttpServerResponse.raw(body, { status, contentType, contentLength: Buffer.byteLength(body), headers: REPLAYED })

/** Looks the host of the body's `url` up, and remembers the finding for the rest of the request. */
const lookUp = (own: Context.Context<never>, body: unknown): Effect.Effect<void> => {
  const sender = Context.unsafeGet(own as Context.Context<WebhookSender>, WebhookSender)
  const url = Predicate.hasProperty(body, "url") && typeof body.url === "string" ? body.url : undefined
  if (url === undefined) return Effect.void
  return Effect.map(sender.checkUrl(url), (reason) => {
    const remembering: typeof WebhookSender.Service = {
      ...sender,
      checkUrl: (asked) => (asked === url ? Effect.succeed(reason) : sender.checkUrl(asked))
    }
    Services.put(own, WebhookSender.key, remembering)
  })
}
