import { HttpApi, OpenApi } from "@effect/platform"
import { AccountsApi, SessionApi } from "./accounts/AccountsApi.js"
import { AddressesApi } from "./credentials/AddressesApi.js"
import { ConfirmationApi } from "./factors/ConfirmationApi.js"
import { CredentialsApi } from "./credentials/CredentialsApi.js"
import { DeletionApi } from "./deletions/DeletionApi.js"
import { HistoryApi } from "./retention-choice/HistoryApi.js"
import { AdminApi } from "./staff/AdminApi.js"
import { ManagedAccountsApi } from "./staff/ManagedAccountsApi.js"
import { AnswersApi } from "./answers/AnswersApi.js"
import { AppsApi } from "./apps/AppsApi.js"
import { TeamApi } from "./apps/TeamApi.js"
import { AccessLogApi } from "./access-log/AccessLogApi.js"
import { ConnectionsApi } from "./connection/ConnectionsApi.js"
import { SteeringApi } from "./connection/SteeringApi.js"
import { ConsentsApi } from "./connection/ConsentsApi.js"
import { MeApi } from "./connection/MeApi.js"
import { OAuthApi } from "./connection/OAuthApi.js"
import { UsersApi } from "./connection/UsersApi.js"
import { PurposesApi } from "./purposes/PurposesApi.js"
import { VolumeFlagsApi } from "./purposes/VolumeFlagsApi.js"
import { DeliveriesApi } from "./deliveries/DeliveriesApi.js"
import { ListenersApi } from "./listeners/ListenersApi.js"
import { EndpointsApi } from "./endpoints/EndpointsApi.js"
import { FiguresApi } from "./figures/FiguresApi.js"
import { PlacesApi } from "./places/PlacesApi.js"
import { DevicesApi } from "./devices/DevicesApi.js"
import { LocationsApi } from "./fixes/LocationsApi.js"
import { SubscriptionsApi } from "./legacy/SubscriptionsApi.js"
import { ExportsApi } from "./exports/ExportsApi.js"
import { ImportsApi } from "./imports/ImportsApi.js"
import { PhoneApi } from "./fixes/PhoneApi.js"
import { PhoneAppsApi } from "./fixes/PhoneAppsApi.js"
import { DeveloperRulesApi, EvaluationsApi, UserEvaluationsApi } from "./rules/EvaluationsApi.js"
import { RulesApi, UserRulesApi } from "./rules/RulesApi.js"
import { TestPeopleApi } from "./test-people/TestPeopleApi.js"
import { VisitsApi } from "./visits/VisitsApi.js"
import { byRoute } from "./engine/byRoute.js"
import { keyReader, OwnKey } from "./idempotency/WithoutKey.js"
import { impossibleErrors } from "./openapi/ImpossibleErrors.js"
import * as OpenApiDocument from "./OpenApiDocument.js"
import * as Errors from "./wire/Errors.js"

/**
 * All groups of endpoints. Add a new group here, and its handlers in `HttpLive.ts`. Every endpoint may answer with the
 * errors that `addError` lists below. An endpoint declares its other errors itself.
 */
const Groups = HttpApi.make("place-access")
  .add(AccountsApi)
  .add(SessionApi)
  .add(ConfirmationApi)
  .add(HistoryApi)
  .add(CredentialsApi)
  .add(AddressesApi)
  .add(DeletionApi)
  .add(AppsApi)
  .add(TeamApi)
  .add(PurposesApi)
  .add(VolumeFlagsApi)
  .add(AdminApi)
  .add(ManagedAccountsApi)
  .add(TestPeopleApi)
  .add(EndpointsApi)
  .add(DeliveriesApi)
  .add(FiguresApi)
  .add(ListenersApi)
  .add(MeApi)
  .add(OAuthApi)
  .add(ConsentsApi)
  .add(ConnectionsApi)
  .add(SteeringApi)
  .add(UsersApi)
  .add(AccessLogApi)
  .add(PlacesApi)
  .add(DevicesApi)
  .add(ImportsApi)
  .add(ExportsApi)
  .add(PhoneApi)
  .add(PhoneAppsApi)
  .add(AnswersApi)
  .add(VisitsApi)
  .add(LocationsApi)
  .add(RulesApi)
  .add(UserRulesApi)
  .add(EvaluationsApi)
  .add(UserEvaluationsApi)
  .add(DeveloperRulesApi)
  .add(SubscriptionsApi)
  .addError(Errors.ValidationFailed)
  .addError(Errors.InvalidRequest)
  .addError(Errors.PayloadTooLarge)
  .addError(Errors.IdempotencyKeyInUse)
  .addError(Errors.IdempotencyKeyReused)
  .addError(Errors.UnsupportedMediaType)
  .addError(Errors.InternalError)
  .addError(Errors.Unavailable)
  .annotate(OpenApi.Title, "Place-Aware Access Service")

/**
 * The contract: every JSON endpoint. The server, the OpenAPI document and the coverage test are made from the contract.
 */
export const Api = Groups.annotate(OpenApi.Transform, (document) => {
  const keys = byRoute(Groups, OwnKey)
  return OpenApiDocument.correct(document, {
    takesKey: keyReader(Groups),
    ownKey: (label) => keys.get(label),
    impossible: impossibleErrors(Groups)
  })
})
