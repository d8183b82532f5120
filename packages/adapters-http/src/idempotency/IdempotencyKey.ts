import { HttpApiError, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { WebhookSender } from "@place-access/domain/endpoints"
import { WorkSignal } from "@place-access/domain/events"
import { Idempotency, type Work } from "@place-access/domain/idempotency"
import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import type { UserId } from "@place-access/domain/shared"
import type { Role } from "@place-access/domain/teams"
import { Cause, Context, Effect, Exit, FiberRef, Option, Predicate, Schema } from "effect"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import type { Around, HandledRequest } from "../engine/Around.js"
import * as RateLimit from "../limits/RateLimit.js"
import { BearerCaller } from "../security/BearerAuth.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { afterCommit } from "./afterCommit.js"
import { answerKeyed } from "./answerKeyed.js"
import { lookUpBefore } from "./lookUpBefore.js"
import * as RepeatAction from "./RepeatAction.js"
import { LooksUpUrl, SeveralCommits, WithoutKey } from "./WithoutKey.js"

/**
 * `Idempotency-Key` makes a POST repeatable. `around` wraps all that an endpoint does after its guards, so one
 * transaction commits the endpoint's writes and the stored answer. Every POST reads the header, except for endpoints
 * with the annotation `WithoutKey`. The writes of an endpoint with `SeveralCommits` are committed before the answer.
 */
export const around: Around = ({ annotations, endpoint }) => {
  if (endpoint.method !== "POST" || Option.isSome(Context.getOption(annotations, WithoutKey))) return undefined
  const keyed = {
    readsBody: Option.isSome(endpoint.payloadSchema),
    looksUpUrl: Option.isSome(Context.getOption(annotations, LooksUpUrl)),
    severalCommits: Option.isSome(Context.getOption(annotations, SeveralCommits)),
    action: Context.getOption(annotations, RepeatAction.RepeatAction)
  }
  return (own, run) => {
    const key = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest).headers["idempotency-key"]
    return key === undefined ? run : once(own, { ...keyed, key }, run)
  }
}

type Response = HttpServerResponse.HttpServerResponse

type Done = Work<Exit.Exit<Response, unknown>>

interface Keyed {
  readonly readsBody: boolean
  readonly looksUpUrl: boolean
  readonly severalCommits: boolean
  readonly action: Option.Option<Role.Action>
  readonly key: string
}

const once = (
  own: Context.Context<never>,
  { action, key, looksUpUrl, readsBody, severalCommits }: Keyed,
  run: HandledRequest
): HandledRequest =>
  Effect.gen(function* () {
    const request = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest)
    if (!isKey(key)) return yield* Effect.fail(Errors.validationFailed([INVALID]))
    const owner = subjectOf(own)
    // The request is counted before the transaction of the endpoint's work begins, because a roll-back must not undo
    // the count.
    const taken = RateLimit.takeFurther(Subject.keyed(owner.subject), Rate.KEYED)
    yield* Effect.provide(taken, own as Context.Context<LimitStore>)
    const cell = yield* FiberRef.get(CurrentRequest.ref)
    const body = readsBody ? yield* request.text : ""
    const signal = afterCommit(Context.unsafeGet(own as Context.Context<WorkSignal>, WorkSignal))
    const services = looksUpUrl ? yield* lookUp(own, yield* request.json) : Context.empty()
    const prepared = Effect.provide(run, Context.add(services, WorkSignal, signal.inside))
    const work = Effect.flatMap(Effect.exit(prepared), (exit): Effect.Effect<Done, unknown> => {
      if (Exit.isSuccess(exit)) return Effect.succeed({ answer: kept(exit.value, cell.disclosed), value: exit })
      // A refusal is not stored, so the service decides anew about a repeated request. What the refused request wrote
      // before the refusal is committed. After any other failure, such as a bug or a 503, all writes of the request are
      // rolled back.
      return isRefusal(exit.cause) ? Effect.succeed({ answer: null, value: exit }) : Effect.failCause(exit.cause)
    })
    const content = `${request.method} ${request.url}\n${body}`
    const asked = { ...owner, key, content }
    const answered = yield* Effect.ensuring(answerKeyed(asked, work, severalCommits), signal.pass)
    if (answered._tag === "Worked") return yield* answered.value
    yield* RepeatAction.check(own, action)
    cell.disclosed = answered.answer.disclosed
    return replayed(answered.answer)
  }).pipe(Effect.mapError(toWire)) as HandledRequest

export const isKey = Schema.is(Idempotency.IdempotencyKey)

export const INVALID = "Idempotency-Key must be 1 to 255 visible ASCII characters"

/**
 * The caller that the guard let through. A key belongs to its caller, so two callers never see each other's answers.
 */
const subjectOf = (
  own: Context.Context<never>
): { readonly userId: UserId; readonly subject: Idempotency.IdempotencySubject } => {
  const connection = Context.getOption(own as Context.Context<BearerCaller>, BearerCaller)
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

const kept = ({ body, headers, status }: Response, disclosed: string | null): Idempotency.StoredAnswer => {
  const contentType = headers["content-type"] ?? null
  if (body._tag === "Empty") return { status, contentType: null, body: "", disclosed }
  if (body._tag === "Raw" && typeof body.body === "string") return { status, contentType, body: body.body, disclosed }
  throw new Error(`An answer of the kind ${body._tag} cannot be kept`)
}

const REPLAYED = { "idempotent-replayed": "true" }

const replayed = ({ body, contentType, status }: Idempotency.StoredAnswer): Response =>
  contentType === null
    ? HttpServerResponse.empty({ status, headers: REPLAYED })
    : HttpServerResponse.raw(body, { status, contentType, contentLength: Buffer.byteLength(body), headers: REPLAYED })

/**
 * The `WebhookSender` for the endpoint's work. When the body has a `url`, this function looks up its host, before the
 * transaction begins.
 */
const lookUp = (own: Context.Context<never>, body: unknown): Effect.Effect<Context.Context<WebhookSender>> => {
  const sender = Context.unsafeGet(own as Context.Context<WebhookSender>, WebhookSender)
  const url = Predicate.hasProperty(body, "url") && typeof body.url === "string" ? body.url : undefined
  const prepared = url === undefined ? Effect.succeed(sender) : lookUpBefore(sender, url)
  return Effect.map(prepared, (one) => Context.make(WebhookSender, one))
}
