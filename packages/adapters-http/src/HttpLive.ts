import { HttpApiBuilder, HttpMiddleware, HttpServer } from "@effect/platform"
import { IdempotencyStore } from "@place-access/domain/idempotency"
import type { AccountStore } from "@place-access/domain/accounts"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as AccountsHttp from "./accounts/AccountsHttp.js"
import * as AttemptPlaces from "./edge/AttemptPlaces.js"
import * as SessionHttp from "./accounts/SessionHttp.js"
import * as AddressesHttp from "./credentials/AddressesHttp.js"
import * as ConfirmationHttp from "./factors/ConfirmationHttp.js"
import * as CredentialsHttp from "./credentials/CredentialsHttp.js"
import * as DeletionHttp from "./deletions/DeletionHttp.js"
import * as OneTimeCodesLive from "./factors/OneTimeCodesLive.js"
import * as PasskeyVerifierLive from "./factors/PasskeyVerifierLive.js"
import * as HistoryHttp from "./retention-choice/HistoryHttp.js"
import * as AdminHttp from "./staff/AdminHttp.js"
import * as ManagedAccountsHttp from "./staff/ManagedAccountsHttp.js"
import * as AnswersHttp from "./answers/AnswersHttp.js"
import { Api } from "./Api.js"
import * as AppsHttp from "./apps/AppsHttp.js"
import * as TeamHttp from "./apps/TeamHttp.js"
import * as PurposesHttp from "./purposes/PurposesHttp.js"
import * as VolumeFlagsHttp from "./purposes/VolumeFlagsHttp.js"
import * as AccessLogHttp from "./access-log/AccessLogHttp.js"
import * as ConnectionsHttp from "./connection/ConnectionsHttp.js"
import * as SteeringHttp from "./connection/SteeringHttp.js"
import * as ConsentsHttp from "./connection/ConsentsHttp.js"
import * as MeHttp from "./connection/MeHttp.js"
import * as OAuthHttp from "./connection/OAuthHttp.js"
import * as UsersHttp from "./connection/UsersHttp.js"
import * as DeliveriesHttp from "./deliveries/DeliveriesHttp.js"
import * as DevicesHttp from "./devices/DevicesHttp.js"
import * as Edge from "./edge/Edge.js"
import * as Matched from "./edge/Matched.js"
import { AroundEndpoints } from "./engine/Around.js"
import * as Engine from "./engine/Engine.js"
import * as Routes from "./engine/Routes.js"
import * as EndpointsHttp from "./endpoints/EndpointsHttp.js"
import * as SenderAside from "./endpoints/SenderAside.js"
import * as FiguresHttp from "./figures/FiguresHttp.js"
import * as SubscriptionsHttp from "./legacy/SubscriptionsHttp.js"
import * as ListenersHttp from "./listeners/ListenersHttp.js"
import * as LocationsHttp from "./fixes/LocationsHttp.js"
import * as OsmAndAuthLive from "./fixes/OsmAndAuthLive.js"
import * as PhoneAppsHttp from "./fixes/PhoneAppsHttp.js"
import * as PhoneHttp from "./fixes/PhoneHttp.js"
import * as UploadTurns from "./fixes/UploadTurns.js"
import { HttpOptions, type ServiceOptions } from "./HttpOptions.js"
import * as IdempotencyKey from "./idempotency/IdempotencyKey.js"
import * as ExportsHttp from "./exports/ExportsHttp.js"
import * as ImportsHttp from "./imports/ImportsHttp.js"
import * as OpenApiDocument from "./OpenApiDocument.js"
import * as ClientAuthLive from "./security/ClientAuthLive.js"
import * as BearerAuthLive from "./security/BearerAuthLive.js"
import * as DeviceAuthLive from "./security/DeviceAuthLive.js"
import * as PlacesHttp from "./places/PlacesHttp.js"
import * as EvaluationsHttp from "./rules/EvaluationsHttp.js"
import * as RulesHttp from "./rules/RulesHttp.js"
import { errorPage } from "./pages/errorPage.js"
import * as PagesLive from "./pages/PagesLive.js"
import * as TestPeopleHttp from "./test-people/TestPeopleHttp.js"
import * as VisitsHttp from "./visits/VisitsHttp.js"
import * as RateOfAccount from "./security/RateOfAccount.js"
import * as SessionAuthLive from "./security/SessionAuthLive.js"

const Handlers = Layer.mergeAll(
  AccountsHttp.layer,
  SessionHttp.layer,
  ConfirmationHttp.layer,
  HistoryHttp.layer,
  CredentialsHttp.layer,
  AddressesHttp.layer,
  DeletionHttp.layer,
  AppsHttp.layer,
  TeamHttp.layer,
  PurposesHttp.layer,
  VolumeFlagsHttp.layer,
  AdminHttp.layer,
  ManagedAccountsHttp.layer,
  TestPeopleHttp.layer,
  EndpointsHttp.layer,
  DeliveriesHttp.layer,
  FiguresHttp.layer,
  ListenersHttp.layer,
  MeHttp.layer,
  OAuthHttp.layer,
  ConsentsHttp.layer,
  ConnectionsHttp.layer,
  SteeringHttp.layer,
  UsersHttp.layer,
  AccessLogHttp.layer,
  PlacesHttp.layer,
  DevicesHttp.layer,
  ImportsHttp.layer,
  ExportsHttp.layer,
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

const Security = Layer.mergeAll(
  BearerAuthLive.layer(Api),
  ClientAuthLive.layer,
  DeviceAuthLive.layer,
  OsmAndAuthLive.layer,
  SessionAuthLive.layer(Api)
)

/** Serves every route of the contract and every page. `Edge` wraps each request. */
const serve = Effect.gen(function* () {
  const router = yield* HttpApiBuilder.Router.router
  const { baseUrl } = yield* HttpOptions
  // This line makes the layer require the store in its type. No handler names the store: `IdempotencyKey` looks the
  // store up at run time, when a request has an `Idempotency-Key`.
  yield* IdempotencyStore
  const visitors = yield* Effect.context<HttpOptions | AccountStore | Vault.Vault>()
  const known: Edge.EdgeRoutes = {
    errorPage: (error, id) => Effect.provide(errorPage(error, id), visitors),
    allowed: Routes.allowed(router.routes)
  }
  const app = yield* Engine.routed(router, Matched.note(Api, baseUrl))
  const server = yield* HttpServer.HttpServer
  yield* server.serve(yield* Edge.make(app, known))
}).pipe(Layer.scopedDiscard)

/**
 * Serves the API and the pages on an `HttpServer`. The layer requires the domain's ports. The host adds further routes
 * (`/healthz`) with `Layer.provide(HttpApiBuilder.Router.use((router) => router.get("/healthz", …)))`. The platform's
 * tracer stays off: `Watch` makes the spans.
 */
export const layer = (options: ServiceOptions) =>
  serve.pipe(
    HttpMiddleware.withTracerDisabledWhen(() => true),
    Layer.provide(HttpApiBuilder.api(Api).pipe(Layer.provide(Handlers), Layer.provide([Security, UploadTurns.layer]))),
    Layer.provide(Layer.succeed(AroundEndpoints, RateOfAccount.around(IdempotencyKey.around))),
    Layer.provide(PagesLive.layer),
    Layer.provide([SenderAside.layer, AttemptPlaces.layer]),
    Layer.provide(OpenApiDocument.layer(Api)),
    Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
    Layer.provide([PasskeyVerifierLive.layer(options), OneTimeCodesLive.layer]),
    Layer.provide(Layer.succeed(HttpOptions, options))
  )
