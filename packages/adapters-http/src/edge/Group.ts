import {
  HttpApiBuilder,
  type HttpApiEndpoint,
  HttpApiError,
  type HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse,
  UrlParams
} from "@effect/platform"
import { Context, Effect, Either, Exit, Option, ParseResult, type Schema } from "effect"
import * as Json from "../wire/Json.js"
import * as Idempotency from "./Idempotency.js"
import * as Routes from "./Routes.js"
import * as Services from "./Services.js"

/**
 * `HttpApiBuilder.group`, for less: what can be known of an endpoint is worked out once, when the server starts, and what its handler
 * needs is put together once a request. The platform's own does both again and again, and copies every service there is each time.
 */
export const group = ((api: Api, name: string, build: (handlers: Handlers) => Handlers | Effect.Effect<Handlers>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<never>()
      const group = api.groups[name]
      if (group === undefined) return yield* Effect.dieMessage(`The API has no group ${name}`)
      const items: Array<Item> = []
      const built = build(collect(group, items))
      if (Effect.isEffect(built)) yield* built
      const routes = items.map((item) => {
        const { method, middlewares, path } = item.endpoint
        const guards = Array.from(new Set([...group.middlewares, ...middlewares]), (tag) => guardOf(tag, services))
        return HttpRouter.makeRoute(method, path, answer(item, guards, services), item.options)
      })
      yield* router.concat(HttpRouter.fromIterable(routes))
    })
  )) as unknown as typeof HttpApiBuilder.group

interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.HttpApiGroup.AnyWithProps>>
}

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
type Request = HttpRouter.HttpRouter.Provided
type Response = HttpServerResponse.HttpServerResponse

/** What a handler is called with: `path`, `payload`, `headers` and `urlParams` as the endpoint declares them, and `request`. */
type Asked = Readonly<Record<string, unknown>>
type Handler = (asked: Asked) => Effect.Effect<unknown, unknown>

interface Options {
  readonly uninterruptible?: boolean
}

interface Item {
  readonly endpoint: Endpoint
  readonly handler: Handler
  /** The handler reads the body by itself. */
  readonly isRaw: boolean
  readonly options: Options | undefined
}

interface Handlers {
  readonly handle: (name: string, handler: Handler, options?: Options) => Handlers
  readonly handleRaw: (name: string, handler: Handler, options?: Options) => Handlers
}

const collect = ({ endpoints }: HttpApiGroup.HttpApiGroup.AnyWithProps, items: Array<Item>): Handlers => {
  const add =
    (isRaw: boolean): Handlers["handle"] =>
    (name, handler, options) => {
      const endpoint = endpoints[name]
      if (endpoint === undefined) throw new Error(`The group has no endpoint ${name}`)
      items.push({ endpoint: endpoint as Endpoint, handler, isRaw, options })
      return handlers
    }
  const handlers = { handle: add(false), handleRaw: add(true) }
  return handlers
}

/** Lets a request through, or fails. `provides`: whom it let through. */
interface Guard {
  readonly check: Effect.Effect<unknown, unknown, Request>
  readonly provides: string | undefined
}

const guardOf = (tag: HttpApiMiddleware.TagClassAny, services: Context.Context<never>): Guard => {
  const made: unknown = Context.unsafeGet(services, tag as unknown as Context.Tag<never, unknown>)
  const provides = tag.provides?.key
  if (!HttpApiMiddleware.isSecurity(tag)) return { check: made as Guard["check"], provides }
  const ways = Object.keys(tag.security).map((name) => {
    const check = (made as Readonly<Record<string, () => Guard["check"]>>)[name]
    if (check === undefined) throw new Error(`${tag.key} has nothing that checks ${name}`)
    // The platform takes what stands behind any scheme for a bearer's token: ours read the header themselves.
    if (check.length > 0) throw new Error(`${tag.key} would be given no credential`)
    return check()
  })
  return { check: ways.reduce((first, next) => Effect.catchAll(first, () => next)), provides }
}

/** The guards, the last first, each with the request and its own services; then the endpoint, with all of `services` and what they provide. */
const answer = (
  item: Item,
  guards: ReadonlyArray<Guard>,
  services: Context.Context<never>
): Effect.Effect<Response, unknown, Request> => {
  const [ask, write] = [asker(item), writer(item.endpoint)]
  const { method, path, payloadSchema } = item.endpoint
  const once = Idempotency.around(Routes.label(method, path), Option.isSome(payloadSchema))
  const endpoint: Step = (own) => {
    Services.lay(own, services)
    const run = Effect.flatMap(ask(own), (answer) =>
      HttpServerResponse.isServerResponse(answer) ? Effect.succeed(answer) : write(answer)
    )
    return once === undefined ? run : once(own, run)
  }
  const first = guards.reduce<Step>(
    (next, { check, provides }) =>
      (own) =>
        Effect.flatMap(check, (found) => {
          if (provides !== undefined) Services.put(own, provides, found)
          return next(own)
        }),
    endpoint
  )
  return Effect.withFiberRuntime((fiber) => first(fiber.currentContext as Context.Context<never>))
}

/** `own`: the request's services, which change in place. */
type Step = (own: Context.Context<never>) => Effect.Effect<Response, unknown, Request>

/** Takes the request apart as the endpoint declares it, and asks its handler. */
const asker = ({ endpoint, handler, isRaw }: Item) => {
  const readPath = reader(endpoint.pathSchema)
  const readPayload = reader(isRaw ? Option.none() : endpoint.payloadSchema)
  const readHeaders = reader(endpoint.headersSchema)
  const readUrlParams = reader(endpoint.urlParamsSchema)
  const readsBody = !isRaw && Option.isSome(endpoint.payloadSchema)
  return (own: Context.Context<never>): Effect.Effect<unknown, unknown> => {
    const request = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest)
    const search = Context.unsafeGet(own, HttpServerRequest.ParsedSearchParams)
    const { params } = Context.unsafeGet(own, HttpRouter.RouteContext)
    return readPath(params, (path) => {
      const withPayload = (payload: unknown) =>
        readHeaders(request.headers, (headers) =>
          readUrlParams(search, (urlParams) => handler({ request, path, payload, headers, urlParams }))
        )
      return readsBody
        ? Effect.flatMap(body(request, search), (sent) => readPayload(sent, withPayload))
        : withPayload(undefined)
    })
  }
}

type Next = (read: unknown) => Effect.Effect<unknown, unknown>

/** Goes on with what `schema` makes of a value; with nothing when the endpoint declares none. */
const reader = (schema: Option.Option<Schema.Schema.All>): ((value: unknown, next: Next) => ReturnType<Next>) => {
  if (Option.isNone(schema)) return (_, next) => next(undefined)
  const decode = ParseResult.decodeUnknown(schema.value as Schema.Schema<unknown>)
  return (value, next) => {
    const read = decode(value)
    // Most schemas need nothing but the value: they have read it by now, and it takes no step of the fibre.
    if (!Either.isEither(read)) return Effect.matchEffect(read, { onFailure: refuse, onSuccess: next })
    return Either.isRight(read) ? next(read.right) : refuse(read.left as ParseResult.ParseIssue)
  }
}

const refuse = (issue: ParseResult.ParseIssue): Effect.Effect<never, HttpApiError.HttpApiDecodeError> =>
  HttpApiError.HttpApiDecodeError.refailParseError(ParseResult.parseError(issue))

/** In the encoding that its content type names; the edge refuses what the endpoint does not read (`Body.acceptable`). */
const body = (
  request: HttpServerRequest.HttpServerRequest,
  search: (typeof HttpServerRequest.ParsedSearchParams)["Service"]
): Effect.Effect<unknown> => {
  if (request.method === "GET" || request.method === "HEAD") return Effect.succeed(search)
  return (request.headers["content-type"] ?? "").toLowerCase().includes("x-www-form-urlencoded")
    ? Effect.map(Effect.orDie(request.urlParamsBody), UrlParams.toRecord)
    : Effect.orDie(request.json)
}

/**
 * What a handler found, as it is sent. An answer that does not fit what the endpoint declares is a fault of ours. Of several
 * declared answers it is the first that fits.
 */
const writer = ({ successSchema }: Endpoint): ((found: unknown) => Effect.Effect<Response>) => {
  const declared = new Set<Schema.Schema.Any>()
  HttpApiSchema.deunionize(declared, successSchema)
  const statuses = new Set(Array.from(declared, ({ ast }) => HttpApiSchema.getStatusSuccessAST(ast)))
  const isOneJson = statuses.size === 1 && Array.from(declared).every(({ ast }) => !HttpApiSchema.isVoid(ast))
  const [first, ...others] = (isOneJson ? [successSchema] : Array.from(declared)).map(write)
  if (first === undefined) return () => Effect.dieMessage("The endpoint declares no answer")
  const all = others.reduce(
    (one, next) => (found) => {
      const sent = one(found)
      return isDone(sent) ? sent : Effect.catchAll(sent, () => next(found))
    },
    first
  )
  return (found) => {
    const sent = all(found)
    return isDone(sent) ? sent : Effect.orDie(sent)
  }
}

type Sent = Effect.Effect<Response, ParseResult.ParseError>

/** What is there already takes no step of the fibre. */
const isDone = (sent: Sent): sent is Exit.Success<Response, never> => Exit.isExit(sent) && Exit.isSuccess(sent)

const write = (schema: Schema.Schema.Any): ((found: unknown) => Sent) => {
  const status = HttpApiSchema.getStatusSuccessAST(schema.ast)
  const empty = HttpServerResponse.empty({ status })
  const encode = ParseResult.encodeUnknown(schema as Schema.Schema<unknown>)
  const send = HttpApiSchema.isVoid(schema.ast) ? () => empty : (encoded: unknown) => Json.response(encoded, { status })
  return (found) => {
    const encoded = encode(found)
    return Either.isEither(encoded) && Either.isRight(encoded)
      ? Effect.succeed(send(encoded.right))
      : Effect.mapBoth(encoded, { onFailure: ParseResult.parseError, onSuccess: send })
  }
}
