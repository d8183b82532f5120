import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpRouter, HttpServer } from "@effect/platform"
import { type Scope } from "@place-access/domain/shared"
import * as Edge from "@place-access/adapters-http/edge/Edge"
import * as Routes from "@place-access/adapters-http/edge/Routes"
import { HttpOptions } from "@place-access/adapters-http/HttpOptions"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import * as BearerAuthLive from "@place-access/adapters-http/security/BearerAuthLive"
import { RequiredScope } from "@place-access/adapters-http/security/RequiredScope"
import { Effect, Layer, Schema } from "effect"
import { serve, type Served } from "./serve.js"
import type { Ports } from "./stores.js"
import type { World } from "./World.js"

const endpoint = <const Name extends string>(name: Name, scope: Scope.Scope) =>
  HttpApiEndpoint.get(name, `/v1/${scope}`)
    .addSuccess(Schema.Struct({ ok: Schema.Boolean }))
    .middleware(BearerAuth)
    .annotate(RequiredScope, scope)

const Api = HttpApi.make("probe").add(
  HttpApiGroup.make("scopes")
    .add(endpoint("current", "location.place.current"))
    .add(endpoint("visits", "location.visits.read"))
    .add(endpoint("latest", "location.latest.read"))
    .add(endpoint("history", "location.history.read"))
    .add(endpoint("lookup", "location.lookup"))
)

const ok = Effect.succeed({ ok: true })
const Handlers = HttpApiBuilder.group(Api, "scopes", (handlers) =>
  handlers
    .handle("current", () => ok)
    .handle("visits", () => ok)
    .handle("latest", () => ok)
    .handle("history", () => ok)
    .handle("lookup", () => ok)
)

/** `GET /v1/{scope}` for scopes of both tiers, guarded as the API's own endpoints are, over the world's stores and clock. */
export const serveScopes = async (world: World): Promise<Served> => {
  const stores = await world.run(Effect.context<Ports>())
  return serve((url) =>
    Layer.unwrapEffect(
      Effect.gen(function* () {
        const router = yield* HttpApiBuilder.Router.router
        const known: Edge.Known = { allowed: Routes.allowed(router.routes), contentTypes: Routes.contentTypes(Api) }
        const routed = yield* HttpRouter.toHttpApp(HttpRouter.use(router, Edge.around(known.contentTypes)))
        return HttpServer.serve(yield* Edge.make(routed, known))
      })
    ).pipe(
      Layer.provide(HttpApiBuilder.api(Api).pipe(Layer.provide(Handlers), Layer.provide(BearerAuthLive.layer(Api)))),
      Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
      Layer.provide(
        Layer.succeed(HttpOptions, {
          baseUrl: url,
          authUrl: url,
          userPortalUrl: `${url}/portal`,
          signUp: "open",
          trustProxy: false,
          rateLimitPerMinute: 1_000_000,
          tileUrl: null,
          hasMailbox: false,
          version: "test"
        })
      ),
      Layer.provide(Layer.succeedContext(stores)),
      Layer.provide(world.clock.layer)
    )
  )
}
