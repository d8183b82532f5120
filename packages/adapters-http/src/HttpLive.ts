import {
  Etag,
  FileSystem,
  HttpApiBuilder,
  type HttpApp,
  HttpMiddleware,
  HttpPlatform,
  HttpServer,
  Path
} from "@effect/platform"
import { IdempotencyStore } from "@place-access/domain/idempotency"
import type { AccountStore } from "@place-access/domain/accounts"
import type { Vault } from "@place-access/domain/shared"
import { Context, Effect, Layer, Scope } from "effect"
import * as AccountsHttp from "./accounts/AccountsHttp.js"
import * as SessionHttp from "./accounts/SessionHttp.js"
import * as DeletionHttp from "./deletions/DeletionHttp.js"
import * as HistoryHttp from "./history/HistoryHttp.js"
import * as AdminHttp from "./admin/AdminHttp.js"
import * as AnswersHttp from "./answers/AnswersHttp.js"
import { Api } from "./Api.js"
import * as AppsHttp from "./apps/AppsHttp.js"
import * as PurposesHttp from "./purposes/PurposesHttp.js"
import * as VolumeFlagsHttp from "./purposes/VolumeFlagsHttp.js"
import * as AccessLogHttp from "./access-log/AccessLogHttp.js"
import * as ConnectionsHttp from "./connection/ConnectionsHttp.js"
import * as ConsentsHttp from "./connection/ConsentsHttp.js"
import * as MeHttp from "./connection/MeHttp.js"
import * as OAuthHttp from "./connection/OAuthHttp.js"
import * as UsersHttp from "./connection/UsersHttp.js"
import * as DeliveriesHttp from "./deliveries/DeliveriesHttp.js"
import * as DevicesHttp from "./devices/DevicesHttp.js"
import * as Deprecation from "./edge/Deprecation.js"
import * as Edge from "./edge/Edge.js"
import * as Router from "./edge/Router.js"
import * as Routes from "./edge/Routes.js"
import * as EndpointsHttp from "./endpoints/EndpointsHttp.js"
import * as SubscriptionsHttp from "./legacy/SubscriptionsHttp.js"
import * as ListenersHttp from "./listeners/ListenersHttp.js"
import * as LocationsHttp from "./fixes/LocationsHttp.js"
import * as PhoneAppsHttp from "./fixes/PhoneAppsHttp.js"
import * as PhoneHttp from "./fixes/PhoneHttp.js"
import { HttpOptions, type Options } from "./HttpOptions.js"
import * as ImportsHttp from "./imports/ImportsHttp.js"
import * as OpenApiDocument from "./OpenApiDocument.js"
import * as BearerAuthLive from "./security/BearerAuthLive.js"
import * as DeviceAuthLive from "./security/DeviceAuthLive.js"
import * as PlacesHttp from "./places/PlacesHttp.js"
import * as EvaluationsHttp from "./rules/EvaluationsHttp.js"
import * as RulesHttp from "./rules/RulesHttp.js"
import { errorPage } from "./pages/errorPage.js"
import * as PagesLive from "./pages/PagesLive.js"
import * as VisitsHttp from "./visits/VisitsHttp.js"
import * as SessionAuthLive from "./security/SessionAuthLive.js"

/** Handlers of every group of the contract. */
const Handlers = Layer.mergeAll(
  AccountsHttp.layer,
  SessionHttp.layer,
  HistoryHttp.layer,
  DeletionHttp.layer,
  AppsHttp.layer,
  PurposesHttp.layer,
  VolumeFlagsHttp.layer,
  AdminHttp.layer,
  EndpointsHttp.layer,
  DeliveriesHttp.layer,
  ListenersHttp.layer,
  MeHttp.layer,
  OAuthHttp.layer,
  ConsentsHttp.layer,
  ConnectionsHttp.layer,
  UsersHttp.layer,
  AccessLogHttp.layer,
  PlacesHttp.layer,
  DevicesHttp.layer,
  ImportsHttp.layer,
  PhoneHttp.layer,
  PhoneAppsHttp.layer,
  AnswersHttp.layer,
  VisitsHttp.layer,
  LocationsHttp.layer,
  RulesHttp.layer,
  RulesHttp.userLayer,
  EvaluationsHttp.layer,
  EvaluationsHttp.userLayer,
  EvaluationsHttp.developerLayer,
  SubscriptionsHttp.layer
)

const Security = Layer.mergeAll(BearerAuthLive.layer(Api), DeviceAuthLive.layer, SessionAuthLive.layer(Api))

/** Every route there is, behind the edge. */
const serve = Effect.gen(function* () {
  const router = yield* HttpApiBuilder.Router.router
  const { baseUrl } = yield* HttpOptions
  // The groups find it among their services: no handler names it.
  yield* IdempotencyStore
  const visitors = yield* Effect.context<HttpOptions | AccountStore | Vault.Vault>()
  const known: Edge.Known = {
    errorPage: (error, id) => Effect.provide(errorPage(error, id), visitors),
    allowed: Routes.allowed(router.routes),
    contentTypes: Routes.contentTypes(Api),
    deprecations: Deprecation.headers(Api, baseUrl)
  }
  yield* serveAlone(yield* Edge.make(Router.make(router, known), known))
}).pipe(Layer.scopedDiscard)

/** What the platform's router wants to be given. */
const ROUTER = [Etag.Generator, FileSystem.FileSystem, HttpPlatform.HttpPlatform, Path.Path] as const
type Routing = Context.Tag.Identifier<(typeof ROUTER)[number]>

/**
 * Each request begins with the services that the server was told to serve with, and copies them whenever one is added. Handlers
 * bring their own: so it is told with next to none.
 */
const serveAlone = (app: HttpApp.Default<never, Routing>) =>
  Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    yield* Effect.mapInputContext(server.serve(app), (all: Context.Context<Routing | Scope.Scope>) =>
      Context.pick(Scope.Scope, ...ROUTER)(all)
    )
  })

/**
 * The whole HTTP side over the domain's ports, for an `HttpServer`. More routes (`/healthz`) join with
 * `Layer.provide(HttpApiBuilder.Router.use((router) => router.get("/healthz", …)))`. The platform's tracer stays off: it
 * costs a fifth of the throughput.
 */
export const layer = (options: Options) =>
  serve.pipe(
    HttpMiddleware.withTracerDisabledWhen(() => true),
    Layer.provide(HttpApiBuilder.api(Api).pipe(Layer.provide(Handlers), Layer.provide(Security))),
    Layer.provide(PagesLive.layer),
    Layer.provide(OpenApiDocument.layer(Api)),
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    Layer.provide(Layer.succeed(HttpOptions, options))
  )
