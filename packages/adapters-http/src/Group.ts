import type { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware } from "@effect/platform"
import { Effect, type Layer, type Scope } from "effect"
import * as CurrentRequest from "./edge/CurrentRequest.js"
import * as EngineGroup from "./engine/Group.js"
import { BearerAuth } from "./security/BearerAuth.js"

/**
 * The result of a handler that an app calls with an access token: the answer for the app, and a text for the user's
 * access log.
 */
export interface DisclosedAnswer<A> {
  readonly answer: A
  /**
   * What the app learned about the user, as a text for the access log, such as "2 shared places". Null when the app
   * learned nothing. The text never contains coordinates.
   */
  readonly disclosed: string | null
}

/** An endpoint whose handler returns a `DisclosedAnswer`. */
type Disclosing<Endpoint> =
  Endpoint extends HttpApiEndpoint.HttpApiEndpoint<
    infer Name,
    infer Method,
    infer Path,
    infer UrlParams,
    infer Payload,
    infer Headers,
    infer Success,
    infer Error,
    infer R,
    infer RE
  >
    ? HttpApiEndpoint.HttpApiEndpoint<
        Name,
        Method,
        Path,
        UrlParams,
        Payload,
        Headers,
        DisclosedAnswer<Success>,
        Error,
        R,
        RE
      >
    : never

type HandlersOf<ApiError, ApiR, Group extends HttpApiGroup.HttpApiGroup.Any> = HttpApiBuilder.Handlers<
  ApiError | HttpApiGroup.HttpApiGroup.Error<Group>,
  HttpApiMiddleware.HttpApiMiddleware.ExtractProvides<ApiR> | HttpApiGroup.HttpApiGroup.Provides<Group>,
  never,
  [Extract<HttpApiGroup.HttpApiGroup.Middleware<Group>, BearerAuth>] extends [never]
    ? HttpApiGroup.HttpApiGroup.Endpoints<Group>
    : Disclosing<HttpApiGroup.HttpApiGroup.Endpoints<Group>>
>

/**
 * Replaces `HttpApiBuilder.group`. In a group behind `BearerAuth`, every handler must return a `DisclosedAnswer`: a
 * handler that does not say what the app learned does not compile.
 */
export const group = ((api: Api, name: string, build: (handlers: Handlers) => Built) => {
  const isBehindBearer = api.groups[name]?.middlewares.has(BearerAuth as never) === true
  const plain = EngineGroup.group as unknown as (
    api: Api,
    name: string,
    build: (handlers: Handlers) => Built
  ) => unknown
  return plain(
    api,
    name,
    isBehindBearer
      ? (handlers) => {
          const built = build(disclosing(handlers))
          return Effect.isEffect(built) ? Effect.map(built, innerOf) : innerOf(built)
        }
      : build
  )
}) as unknown as <
  ApiId extends string,
  Groups extends HttpApiGroup.HttpApiGroup.Any,
  ApiError,
  ApiR,
  const Name extends HttpApiGroup.HttpApiGroup.Name<Groups>,
  Return
>(
  api: HttpApi.HttpApi<ApiId, Groups, ApiError, ApiR>,
  name: Name,
  build: (
    handlers: HandlersOf<ApiError, ApiR, HttpApiGroup.HttpApiGroup.WithName<Groups, Name>>
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>
) => Layer.Layer<
  HttpApiGroup.ApiGroup<ApiId, Name>,
  HttpApiBuilder.Handlers.Error<Return>,
  Exclude<
    HttpApiBuilder.Handlers.Context<Return> | HttpApiGroup.HttpApiGroup.MiddlewareWithName<Groups, Name>,
    Scope.Scope
  >
>

interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.HttpApiGroup.AnyWithProps>>
}

type Handler<A> = (request: unknown) => Effect.Effect<A, unknown, unknown>

/** `HttpApiBuilder.Handlers` of the platform, without the types of the endpoints. */
interface Handlers {
  readonly handle: (name: string, handler: Handler<unknown>, options?: unknown) => Handlers
  readonly handleRaw: (name: string, handler: Handler<unknown>, options?: unknown) => Handlers
}

interface DisclosingHandlers extends Handlers {
  readonly inner: Handlers
}

type Built = Handlers | Effect.Effect<Handlers, unknown, unknown>

const innerOf = (built: Handlers): Handlers => (built as DisclosingHandlers).inner

const disclosing = (inner: Handlers): DisclosingHandlers => ({
  inner,
  handle: (name, handler, options) =>
    disclosing(inner.handle(name, withoutDisclosure(handler as Handler<DisclosedAnswer<unknown>>), options)),
  handleRaw: (name, handler, options) =>
    disclosing(inner.handleRaw(name, withoutDisclosure(handler as Handler<DisclosedAnswer<unknown>>), options))
})

/**
 * Makes an ordinary handler from a handler that returns a `DisclosedAnswer`. The ordinary handler returns only the
 * answer, and stores the text `disclosed` in the request's `CurrentRequest.Cell`. `Edge` writes the text into the
 * access log before it sends the answer.
 */
const withoutDisclosure =
  (handler: Handler<DisclosedAnswer<unknown>>): Handler<unknown> =>
  (request) =>
    CurrentRequest.cellWith((cell) =>
      Effect.map(handler(request), ({ answer, disclosed }) => {
        cell.disclosed = disclosed
        return answer
      })
    )
