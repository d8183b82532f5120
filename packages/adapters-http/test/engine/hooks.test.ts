import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { Chunk, Context, Effect, FiberRef, Layer, Option, Runtime, RuntimeFlags, Schema, Stream } from "effect"
import { describe, expect, it } from "vitest"

/**
 * Tests of the parts of `effect` and `@effect/platform` on which `engine/` depends. Each test calls only the library.
 * So a failure shows that an upgrade changed a part, and the test's name says which row of engine/README.md to read.
 */
const SEE = "see packages/adapters-http/src/engine/README.md"

class One extends Context.Tag("test/One")<One, string>() {}
class Two extends Context.Tag("test/Two")<Two, string>() {}

/** A map that records the keys that are read. */
class RecordingMap extends Map<string, unknown> {
  readonly asked: Array<string> = []
  override get(key: string): unknown {
    this.asked.push(key)
    return super.get(key)
  }
}

describe("effect", () => {
  it("makes a context of the map that it is given, and looks services up in that very map", () => {
    const map = new RecordingMap([[One.key, "one"]])
    const context = Context.unsafeMake<One>(map)
    expect(context.unsafeMap, `Context.unsafeMake copies its map: ${SEE}`).toBe(map)
    expect(Context.unsafeGet(context, One)).toBe("one")
    expect(
      Effect.runSync(
        Effect.provide(
          One,
          Context.empty().pipe(() => context)
        )
      )
    ).toBe("one")
    expect(map.asked, `Context no longer asks unsafeMap.get: ${SEE}`).toContain(One.key)
  })

  it("runs a fibre in the very context of its runtime, and reads it anew for each service", () => {
    const map = new Map<string, unknown>()
    const context = Context.unsafeMake<One | Two>(map)
    const program = Effect.withFiberRuntime<string, never, One | Two>((fiber) => {
      expect(fiber.currentContext, `A fibre's context is a copy: ${SEE}`).toBe(context)
      map.set(One.key, "added")
      map.set(Two.key, "added too")
      return Effect.zipWith(One, Two, (one, two) => `${one}, ${two}`)
    })
    const runtime = Runtime.make({ ...Runtime.defaultRuntime, context })
    expect(Runtime.runSync(runtime, program), `A fibre keeps what it found in its context: ${SEE}`).toBe(
      "added, added too"
    )
  })

  it("begins a fibre uninterruptible when its runtime's flags say so", () => {
    const { context, fiberRefs, runtimeFlags } = Runtime.defaultRuntime
    const flags = RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption)
    const runtime = Runtime.make({ context, fiberRefs, runtimeFlags: flags })
    const isInterruptible = Effect.withFiberRuntime<boolean>((_, status) =>
      Effect.succeed(RuntimeFlags.interruptible(status.runtimeFlags))
    )
    expect(Runtime.runSync(runtime, isInterruptible), `Flags of a runtime are ignored: ${SEE}`).toBe(false)
  })

  it("leaves a context alone that equals the one that is set, and takes an empty one", () => {
    const [first, same] = [Context.make(One, "one"), Context.make(One, "one")]
    const program = Effect.gen(function* () {
      yield* FiberRef.set(FiberRef.currentContext, first as Context.Context<never>)
      yield* FiberRef.set(FiberRef.currentContext, Context.empty() as Context.Context<never>)
      yield* FiberRef.set(FiberRef.currentContext, same as Context.Context<never>)
      return yield* FiberRef.get(FiberRef.currentContext)
    })
    expect(Effect.runSync(program), `FiberRef.currentContext cannot be replaced in two steps: ${SEE}`).toBe(same)
  })

  it("runs an effect in the very context that is set for it, and then goes on in the fibre's own", () => {
    const own = Context.make(One, "one")
    const current = Effect.withFiberRuntime<unknown>((fiber) => Effect.succeed(fiber.currentContext))
    const program = Effect.all([current, Effect.locally(current, FiberRef.currentContext, own), current])
    const [before, during, after] = Effect.runSync(Effect.provide(program, Context.make(Two, "two")))
    expect(during, `Effect.locally copies FiberRef.currentContext: ${SEE}`).toBe(own)
    expect(after, `Effect.locally does not give FiberRef.currentContext back: ${SEE}`).toBe(before)
  })
})

const Guard = HttpApiSecurity.bearer
class Secured extends HttpApiMiddleware.Tag<Secured>()("test/Secured", {
  provides: One,
  security: { token: Guard }
}) {}
class Plain extends HttpApiMiddleware.Tag<Plain>()("test/Plain", {}) {}
/** The tags with the types under which `engine/` reads them. */
const tags = [Secured, Plain] as unknown as readonly [HttpApiMiddleware.TagClassAny, HttpApiMiddleware.TagClassAny]

const group = HttpApiGroup.make("things")
  .add(
    HttpApiEndpoint.post("make", "/things/:id")
      .setPath(Schema.Struct({ id: Schema.String }))
      .setPayload(Schema.Struct({ label: Schema.String }))
      .setHeaders(Schema.Struct({ "x-of": Schema.String }))
      .setUrlParams(Schema.Struct({ limit: Schema.String }))
      .addSuccess(Schema.Struct({ ok: Schema.Boolean }), { status: 201 })
      .addSuccess(Schema.Void.annotations(HttpApiSchema.annotations({ status: 204 })))
      .middleware(Plain)
  )
  .middleware(Secured)
const Api = HttpApi.make("test").add(group)

describe("@effect/platform", () => {
  it("keeps of a group its endpoints and middlewares, and of an endpoint its schemas, where handlers are made from them", () => {
    const { endpoints, middlewares } = (
      Api as unknown as { groups: Record<string, HttpApiGroup.HttpApiGroup.AnyWithProps> }
    ).groups["things"]!
    const endpoint = endpoints["make"] as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
    expect([endpoint.method, endpoint.path], `Endpoints of a group have moved: ${SEE}`).toEqual(["POST", "/things/:id"])
    const declared = [endpoint.pathSchema, endpoint.payloadSchema, endpoint.headersSchema, endpoint.urlParamsSchema]
    expect(declared.map(Option.isSome), `Schemas of an endpoint have moved: ${SEE}`).toEqual([true, true, true, true])
    expect([...middlewares, ...endpoint.middlewares], `Middlewares have moved: ${SEE}`).toEqual([Secured, Plain])
    const answers = new Set<Schema.Schema.Any>()
    HttpApiSchema.deunionize(answers, endpoint.successSchema)
    expect(
      Array.from(answers, ({ ast }) => [HttpApiSchema.getStatusSuccessAST(ast), HttpApiSchema.isVoid(ast)]),
      `Answers of an endpoint are declared another way: ${SEE}`
    ).toEqual([
      [201, false],
      [204, true]
    ])
  })

  it("says of a middleware whether it is about security, its ways, and what it provides", () => {
    expect(tags.map(HttpApiMiddleware.isSecurity), SEE).toEqual([true, false])
    expect(Object.keys((Secured as unknown as { security: object }).security), SEE).toEqual(["token"])
    expect(
      tags.map(({ provides }) => provides?.key),
      SEE
    ).toEqual([One.key, undefined])
  })

  it("takes routes into the router of the API from any layer, and gives them back in order", async () => {
    const routes = Effect.flatMap(HttpApiBuilder.Router.router, (router) =>
      Effect.succeed(Chunk.toReadonlyArray(router.routes))
    )
    const add = HttpApiBuilder.Router.use((router) =>
      router.concat(HttpRouter.fromIterable([HttpRouter.makeRoute("GET", "/one", HttpServerResponse.empty())]))
    )
    const found = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(Layer.build(Layer.provideMerge(add, HttpApiBuilder.Router.Live)), (context) =>
          Effect.provide(routes, context)
        )
      )
    )
    expect(
      found.map(({ method, path, prefix, uninterruptible }) => [method, path, prefix._tag, uninterruptible]),
      SEE
    ).toEqual([["GET", "/one", "None", false]])
  })

  it("takes the handlers of a group by name, and calls a handler with the decoded parts of the request", async () => {
    const seen: Array<unknown> = []
    const made = HttpApiBuilder.group(Api, "things", (handlers) => {
      seen.push(typeof handlers.handleRaw)
      return handlers.handle(
        "make",
        ({ request, ...parts }) => {
          seen.push(request.method, parts)
          return Effect.succeed({ ok: true })
        },
        { uninterruptible: true }
      )
    })
    const guards = Layer.merge(
      Layer.succeed(Secured, { token: () => Effect.succeed("one") }),
      Layer.succeed(Plain, Effect.void)
    )
    const layer = made.pipe(Layer.provide(guards), Layer.provideMerge(HttpApiBuilder.Router.Live))
    const request = HttpServerRequest.fromWeb(
      new Request("http://x/things/a?limit=2", {
        method: "POST",
        headers: { "content-type": "application/json", "x-of": "b" },
        body: JSON.stringify({ label: "c" })
      })
    )
    const answer = Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      const router = yield* Effect.provide(HttpApiBuilder.Router.router, context)
      for (const { method, path, uninterruptible } of router.routes) seen.push([method, path, uninterruptible])
      const app = yield* HttpRouter.toHttpApp(router)
      return yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
    })
    const { status } = await Effect.runPromise(
      Effect.scoped(answer) as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>
    )
    const parts = { path: { id: "a" }, payload: { label: "c" }, headers: { "x-of": "b" }, urlParams: { limit: "2" } }
    expect([...seen, status], `HttpApiBuilder.group calls handlers in another way: ${SEE}`).toEqual([
      "function",
      ["POST", "/things/:id", true],
      "POST",
      parts,
      201
    ])
  })

  it("finds the route of a request in its services, by the names that are put there", async () => {
    const seen: Array<unknown> = []
    const handler = Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse>((fiber) => {
      const route = fiber.currentContext.unsafeMap.get(HttpRouter.RouteContext.key) as HttpRouter.RouteContext
      const search = fiber.currentContext.unsafeMap.get(HttpServerRequest.ParsedSearchParams.key)
      seen.push(Object.keys(route).toSorted(), HttpRouter.RouteContextTypeId in route, route.params, search)
      return Effect.succeed(HttpServerResponse.empty())
    })
    const app = await Effect.runPromise(
      HttpRouter.toHttpApp(HttpRouter.empty.pipe(HttpRouter.get("/things/:id", handler)))
    )
    const request = HttpServerRequest.fromWeb(new Request("http://x/things/a%20b?x=1&x=2"))
    await Effect.runPromise(
      Effect.provideService(app, HttpServerRequest.HttpServerRequest, request) as Effect.Effect<unknown>
    )
    expect(seen, `The platform's router provides a route in another way: ${SEE}`).toEqual([
      ["params", "route"].concat([]).toSorted(),
      true,
      { id: "a b" },
      { x: ["1", "2"] }
    ])
  })

  it("has of an answer the parts that are written to the socket", () => {
    const text = HttpServerResponse.raw("text", { status: 201, contentType: "text/plain", contentLength: 4 })
    expect([text.status, text.headers["content-type"], text.headers["content-length"]], SEE).toEqual([
      201,
      "text/plain",
      "4"
    ])
    const bodies = [
      text,
      HttpServerResponse.empty(),
      HttpServerResponse.uint8Array(new Uint8Array(1)),
      HttpServerResponse.text("text"),
      HttpServerResponse.html("<p>"),
      HttpServerResponse.stream(Stream.empty)
    ].map(({ body }) => body._tag)
    expect(bodies, `Bodies of answers have other kinds: ${SEE}`).toEqual([
      "Raw",
      "Empty",
      "Uint8Array",
      "Uint8Array",
      "Uint8Array",
      "Stream"
    ])
  })
})
