import {
  HttpApiBuilder,
  type HttpApiEndpoint,
  type HttpApiGroup,
  type HttpApp,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { writer } from "./Answer.js"
import { type Around, AroundEndpoints, wrapped } from "./Around.js"
import * as Decode from "./Decode.js"
import { Engine, type EngineParts } from "./Engine.js"

/**
 * Runs the service's endpoints on the server, router and handlers of `@effect/platform`, in place of the engine of this
 * folder. The HTTP tests pass on the platform's parts too (`STOCK=1`). So when an upgrade of the platform breaks the
 * engine, a service can still run with `Layer.provide(Stock.layer)` below `HttpLive.layer`.
 */

/** The edge must begin uninterruptible, as on `NodeServer`; the platform begins a request's fiber interruptible. */
const listener: EngineParts["listener"] = (app) => NodeHttpServer.makeHandler(Effect.uninterruptible(app)) as never

const routed: EngineParts["routed"] = (router, onRoute) => {
  const known = new Map<string, ReturnType<typeof onRoute>>()
  const noting = (handler: HttpApp.Default<unknown, unknown>) =>
    Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse, unknown, unknown>((fiber) => {
      const context = fiber.currentContext as Context.Context<never>
      const { method, path } = Context.unsafeGet(context, HttpRouter.RouteContext).route
      const label = `${method} ${path}`
      const note = known.get(label) ?? onRoute({ method, path })
      known.set(label, note)
      return note(fiber, Context.unsafeGet(context, HttpServerRequest.HttpServerRequest).url) ?? handler
    })
  return HttpRouter.toHttpApp(HttpRouter.use(router, noting as never)) as never
}

type HandlerArgument = Readonly<Record<string, unknown>>
type Handler = (argument: HandlerArgument) => Effect.Effect<unknown, unknown, unknown>
type Add = (name: string, handler: Handler, options?: object) => Handlers

/** The object `handlers` that the platform passes to the function `build` of a group. */
interface Handlers {
  readonly handle: Add
  readonly handleRaw: Add
}

/**
 * Passes a group's handlers on to the platform, with two changes for which the platform has no hook. First, the wrapper
 * of an endpoint (`Around`) also wraps the reading of its body. Second, an answer that does not fit its schema is a
 * defect. The platform alone fails with the same error for such an answer and for a wrong request, and only the text of
 * the error differs.
 */
class Wrapping implements Handlers {
  readonly inner: Handlers
  private readonly wrap: Wrap

  constructor(inner: Handlers, wrap: Wrap) {
    this.inner = inner
    this.wrap = wrap
  }

  handle(...[name, handler, options]: Parameters<Add>): Handlers {
    return new Wrapping(this.inner.handleRaw(name, this.wrap(name, handler, false), options), this.wrap)
  }

  handleRaw(...[name, handler, options]: Parameters<Add>): Handlers {
    return new Wrapping(this.inner.handleRaw(name, this.wrap(name, handler, true), options), this.wrap)
  }
}

type Wrap = (name: string, handler: Handler, isRaw: boolean) => Handler

const wrapIn =
  (around: Around, group: HttpApiGroup.HttpApiGroup.AnyWithProps): Wrap =>
  (name, handler, isRaw) => {
    const endpoint = group.endpoints[name] as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
    const [wrap, write] = [around(wrapped(group, endpoint)), writer(endpoint)]
    const readPayload = isRaw ? undefined : Decode.payload(endpoint)
    return (argument) =>
      Effect.flatMap(Effect.context<never>(), (own) => {
        const ask = (payload: unknown) => handler({ ...argument, payload }) as Effect.Effect<unknown, unknown>
        const run = Effect.flatMap(readPayload === undefined ? ask(undefined) : readPayload(own, ask), (value) =>
          HttpServerResponse.isServerResponse(value) ? Effect.succeed(value) : write(value)
        )
        return wrap === undefined ? run : wrap(own, run)
      })
  }

interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.HttpApiGroup.AnyWithProps>>
}

type Build = (handlers: Handlers) => Handlers | Effect.Effect<Handlers>

const innerOf = (built: Handlers): Handlers => (built instanceof Wrapping ? built.inner : built)

const group = ((api: Api, name: string, build: Build) =>
  Layer.unwrapEffect(
    Effect.map(AroundEndpoints, (around) => {
      const group = api.groups[name]
      if (group === undefined) throw new Error(`The API has no group ${name}`)
      return HttpApiBuilder.group(
        api as never,
        name as never,
        ((handlers: Handlers) => {
          const built = build(new Wrapping(handlers, wrapIn(around, group)))
          return Effect.isEffect(built) ? Effect.map(built, innerOf) : innerOf(built)
        }) as never
      )
    })
  )) as unknown as typeof HttpApiBuilder.group

export const layer: Layer.Layer<never> = Layer.succeed(Engine, { listener, routed, group })
