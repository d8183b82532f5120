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
import { Context, Effect, Option, ParseResult, Schema } from "effect"
import * as Json from "../wire/Json.js"
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
  const { handler } = item
  const [read, write] = [reader(item), writer(item.endpoint)]
  const program = Effect.flatMap(read, (asked) =>
    Effect.flatMap(handler(asked), (answer) =>
      HttpServerResponse.isServerResponse(answer) ? Effect.succeed(answer) : write(answer)
    )
  )
  return guards.reduce(
    (inner, { check, provides }) =>
      Effect.flatMap(check, (found) => (provides === undefined ? inner : providing(provides, found)(inner))),
    Services.over(services)(program)
  )
}

const providing =
  (key: string, service: unknown) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) => {
      Services.put(fiber.currentContext, key, service)
      return self
    })

/** Takes the request apart as the endpoint declares it. */
const reader = ({ endpoint, isRaw }: Item): Effect.Effect<Asked, unknown, Request> => {
  const path = decoder(endpoint.pathSchema)
  const payload = isRaw ? undefined : decoder(endpoint.payloadSchema)
  const headers = decoder(endpoint.headersSchema)
  const urlParams = decoder(endpoint.urlParamsSchema)
  return Effect.gen(function* () {
    const given = yield* Effect.context<Request>()
    const request = Context.get(given, HttpServerRequest.HttpServerRequest)
    const search = Context.get(given, HttpServerRequest.ParsedSearchParams)
    const asked: Record<string, unknown> = { request }
    if (path !== undefined) asked["path"] = yield* path(Context.get(given, HttpRouter.RouteContext).params)
    if (payload !== undefined) asked["payload"] = yield* payload(yield* body(request, search))
    if (headers !== undefined) asked["headers"] = yield* headers(request.headers)
    if (urlParams !== undefined) asked["urlParams"] = yield* urlParams(search)
    return asked
  }).pipe(
    Effect.catchAll((error) =>
      ParseResult.isParseError(error) ? HttpApiError.HttpApiDecodeError.refailParseError(error) : Effect.fail(error)
    )
  )
}

type Decode = (value: unknown) => Effect.Effect<unknown, ParseResult.ParseError>

const decoder = (schema: Option.Option<Schema.Schema.All>): Decode | undefined =>
  Option.getOrUndefined(
    Option.map(schema, (found) => Schema.decodeUnknown(found as Schema.Schema<unknown>) as unknown as Decode)
  )

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
  const all = others.reduce((one, next) => (found) => Effect.catchAll(one(found), () => next(found)), first)
  return (found) => Effect.orDie(all(found))
}

const write = (schema: Schema.Schema.Any): ((found: unknown) => Effect.Effect<Response, ParseResult.ParseError>) => {
  const status = HttpApiSchema.getStatusSuccessAST(schema.ast)
  const empty = HttpServerResponse.empty({ status })
  const encode = Schema.encodeUnknown(schema as Schema.Schema<unknown>)
  return HttpApiSchema.isVoid(schema.ast)
    ? (found) => Effect.as(encode(found), empty)
    : (found) => Effect.map(encode(found), (encoded) => Json.response(encoded, { status }))
}
