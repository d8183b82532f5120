import {
  HttpApiBuilder,
  type HttpApiEndpoint,
  type HttpApiGroup,
  HttpApiMiddleware,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { Context, Effect } from "effect"
import { writer } from "./Answer.js"
import { type Around, AroundEndpoints, wrapped } from "./Around.js"
import * as Decode from "./Decode.js"
import * as Services from "./Services.js"

/**
 * Replaces `HttpApiBuilder.group` for requests on `NodeServer`. It makes the decoders, encoders and guards of an
 * endpoint once, when the server starts. It changes the request's context in place to add the services that the handler
 * needs. The platform makes some of the decoders, encoders and guards anew for each request, and copies the context for
 * each service.
 */
export const group = ((api: Api, name: string, build: (handlers: Handlers) => Handlers | Effect.Effect<Handlers>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<never>()
      const around = yield* AroundEndpoints
      const group = api.groups[name]
      if (group === undefined) return yield* Effect.dieMessage(`The API has no group ${name}`)
      const items: Array<Item> = []
      const built = build(collect(group, items))
      if (Effect.isEffect(built)) yield* built
      const routes = items.map((item) => {
        const { method, middlewares, path } = item.endpoint
        const guards = Array.from(new Set([...group.middlewares, ...middlewares]), (tag) => guardOf(tag, services))
        return HttpRouter.makeRoute(
          method,
          path,
          answer(item, guards, services, around(wrapped(group, item.endpoint))),
          item.options
        )
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

/**
 * The argument of a handler: `path`, `payload`, `headers` and `urlParams` as the endpoint declares them, and `request`.
 */
type HandlerArgument = Readonly<Record<string, unknown>>
type Handler = (argument: HandlerArgument) => Effect.Effect<unknown, unknown>

interface Options {
  readonly uninterruptible?: boolean
}

interface Item {
  readonly endpoint: Endpoint
  readonly handler: Handler
  /** True when the handler reads the body by itself. */
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

/** Lets a request through, or fails. `provides`: the key of the service that the guard provides, such as the caller. */
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
    // The platform cuts the credential out of the header without checking the scheme (such as `Bearer`). So our guards
    // read the header themselves. A guard that expects the credential as its argument is a mistake, and throws here.
    if (check.length > 0) throw new Error(`${tag.key} would be given no credential`)
    return check()
  })
  return { check: ways.reduce((first, next) => Effect.catchAll(first, () => next)), provides }
}

/**
 * Runs the guards, the last guard first, and then the endpoint. A guard has only the services of the request. The
 * endpoint also has `services`, and the services that the guards provide.
 */
const answer = (
  item: Item,
  guards: ReadonlyArray<Guard>,
  services: Context.Context<never>,
  wrap: ReturnType<Around>
): Effect.Effect<Response, unknown, Request> => {
  const [ask, write] = [asker(item), writer(item.endpoint)]
  const endpoint: Step = (own) => {
    Services.lay(own, services)
    const run = Effect.flatMap(ask(own), (answer) =>
      HttpServerResponse.isServerResponse(answer) ? Effect.succeed(answer) : write(answer)
    )
    return wrap === undefined ? run : wrap(own, run)
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

/** One step of answering a request. `own`: the request's services; a step may add services to it in place. */
type Step = (own: Context.Context<never>) => Effect.Effect<Response, unknown, Request>

/** Decodes the parts of the request that the endpoint declares, and calls its handler. */
const asker = ({ endpoint, handler, isRaw }: Item) => {
  const readPath = Decode.part(endpoint.pathSchema)
  const readPayload = isRaw ? undefined : Decode.payload(endpoint)
  const readHeaders = Decode.part(endpoint.headersSchema)
  const readUrlParams = Decode.part(endpoint.urlParamsSchema)
  return (own: Context.Context<never>): Effect.Effect<unknown, unknown> => {
    const request = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest)
    const search = Context.unsafeGet(own, HttpServerRequest.ParsedSearchParams)
    const { params } = Context.unsafeGet(own, HttpRouter.RouteContext)
    return readPath(params, (path) => {
      const withPayload = (payload: unknown) =>
        readHeaders(request.headers, (headers) =>
          readUrlParams(search, (urlParams) => handler({ request, path, payload, headers, urlParams }))
        )
      return readPayload === undefined ? withPayload(undefined) : readPayload(own, withPayload)
    })
  }
}
