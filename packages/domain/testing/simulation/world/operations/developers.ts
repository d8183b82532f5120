import { Effect } from "effect"
import { DeclaredScopes, AppDescription, AppName } from "../../../../src/apps/App.js"
import { createApp, registerRedirectUris, submitApp, updateApp } from "../../../../src/apps/changeApp.js"
import * as RedirectUri from "../../../../src/apps/RedirectUri.js"
import { getDelivery, listDeliveries } from "../../../../src/deliveries/readDeliveries.js"
import { recover, redeliver, retryNow } from "../../../../src/deliveries/redeliver.js"
import {
  createEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
  updateEndpoint
} from "../../../../src/endpoints/manageEndpoints.js"
import { sendTest } from "../../../../src/deliveries/sendTest.js"
import { archivePurpose, createPurpose, submitPurpose, updatePurpose } from "../../../../src/purposes/managePurposes.js"
import { PurposeKey, PurposeTerms } from "../../../../src/purposes/Purpose.js"
import { AppId, DeliveryId, EndpointId, PurposeId } from "../../../../src/shared/Ids.js"
import * as Timestamp from "../../../../src/shared/Timestamp.js"
import type { DeliveryRow } from "../../Operations.js"
import { account, app, Events, type Handlers, valid } from "./Handlers.js"

const DESCRIPTION = AppDescription.make("An app of the simulation, which asks about places")

/** What the developers of apps do in their portal. */
export const developers: Handlers<
  | "createApp"
  | "registerRedirectUris"
  | "declareScopes"
  | "createPurpose"
  | "editPurpose"
  | "submitPurpose"
  | "archivePurpose"
  | "submitApp"
  | "createEndpoint"
  | "editEndpoint"
  | "removeEndpoint"
  | "rotateSecret"
  | "testEndpoint"
  | "redeliver"
  | "retryNow"
  | "recover"
  | "readEndpoints"
  | "readDeliveries"
> = {
  createApp: ({ userId, scopes }, registry) =>
    Effect.gen(function* () {
      const owner = yield* account(registry, userId)
      const declared = yield* valid(DeclaredScopes, "scopes", scopes)
      const name = `App ${registry.next("app")}`
      const made = yield* createApp(owner, {
        name: AppName.make(name),
        description: DESCRIPTION,
        homepageUrl: null,
        scopes: declared
      })
      const redirectUri = RedirectUri.RedirectUri.make(`https://app${registry.apps.size + 1}.example/callback`)
      registry.apps.set(made.id, { owner, redirectUri, clientSecret: undefined })
      return { appId: made.id }
    }),

  registerRedirectUris: ({ appId, redirectUris }, registry) =>
    Effect.gen(function* () {
      const known = yield* app(registry, appId)
      const uris = yield* valid(RedirectUri.List, "redirectUris", redirectUris)
      const { clientSecret } = yield* registerRedirectUris(known.owner, AppId.make(appId), uris, "assumed", "unchecked")
      const alias = registry.secrets.alias("client-secret", clientSecret)
      registry.apps.set(appId, { ...known, redirectUri: uris[0] ?? known.redirectUri, clientSecret: alias })
      return { clientSecret: alias }
    }),

  declareScopes: ({ appId, scopes }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      yield* updateApp(
        owner,
        AppId.make(appId),
        { scopes: yield* valid(DeclaredScopes, "scopes", scopes) },
        "assumed",
        "unchecked"
      )
      return null
    }),

  createPurpose: ({ appId, key, ...terms }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const made = yield* createPurpose(owner, AppId.make(appId), {
        key: yield* valid(PurposeKey, "key", key),
        terms: yield* valid(PurposeTerms, "terms", terms)
      })
      return { purposeId: made.id }
    }),

  editPurpose: ({ appId, purposeId, ...terms }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const edit = yield* valid(PurposeTerms, "terms", terms)
      return {
        status: (yield* updatePurpose(
          owner,
          AppId.make(appId),
          PurposeId.make(purposeId),
          edit,
          "assumed",
          "unchecked"
        )).status
      }
    }),

  submitPurpose: ({ appId, purposeId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      return {
        status: (yield* submitPurpose(owner, AppId.make(appId), PurposeId.make(purposeId), "assumed", "unchecked"))
          .status
      }
    }),

  archivePurpose: ({ appId, purposeId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      yield* archivePurpose(owner, AppId.make(appId), PurposeId.make(purposeId))
      return null
    }),

  submitApp: ({ appId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      yield* submitApp(owner, AppId.make(appId), "assumed", "unchecked")
      return null
    }),

  createEndpoint: ({ appId, url, events }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const input = { url, events: yield* valid(Events, "events", events), description: null }
      const { endpoint, secret } = yield* createEndpoint(owner, AppId.make(appId), input)
      return { endpointId: endpoint.id, secret: registry.secrets.alias("signing-secret", secret) }
    }),

  editEndpoint: ({ appId, endpointId, url, events, enabled }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      yield* updateEndpoint(
        owner,
        AppId.make(appId),
        EndpointId.make(endpointId),
        {
          url,
          events: events === undefined ? undefined : yield* valid(Events, "events", events),
          enabled
        },
        "unchecked"
      )
      return null
    }),

  removeEndpoint: ({ appId, endpointId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      yield* removeEndpoint(owner, AppId.make(appId), EndpointId.make(endpointId))
      return null
    }),

  rotateSecret: ({ appId, endpointId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const { secret } = yield* rotateSecret(owner, AppId.make(appId), EndpointId.make(endpointId))
      return { secret: registry.secrets.alias("signing-secret", secret) }
    }),

  testEndpoint: ({ appId, endpointId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const { delivered, status } = yield* sendTest(owner, AppId.make(appId), EndpointId.make(endpointId))
      return { delivered, status }
    }),

  redeliver: ({ appId, deliveryId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      return { deliveryId: (yield* redeliver(owner, AppId.make(appId), DeliveryId.make(deliveryId))).id }
    }),

  retryNow: ({ appId, deliveryId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      yield* retryNow(owner, AppId.make(appId), DeliveryId.make(deliveryId))
      return null
    }),

  recover: ({ appId, endpointId, since }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const from = Timestamp.make(since)
      return { queued: yield* recover(owner, AppId.make(appId), EndpointId.make(endpointId), from) }
    }),

  readEndpoints: ({ appId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const endpoints = yield* listEndpoints(owner, AppId.make(appId))
      return {
        endpoints: endpoints.map(({ id, url, events, disabledAt, strikes }) => ({
          endpointId: id,
          url,
          events,
          enabled: disabledAt === null,
          disabledAt,
          strikes
        }))
      }
    }),

  readDeliveries: ({ appId }, registry) =>
    Effect.gen(function* () {
      const { owner } = yield* app(registry, appId)
      const deliveries: Array<DeliveryRow> = []
      let cursor: string | undefined
      do {
        const page = yield* listDeliveries(owner, AppId.make(appId), { limit: 200, cursor })
        for (const { delivery } of page.deliveries) {
          const found = yield* getDelivery(owner, delivery.appId, delivery.id).pipe(
            // The delivery's row may have been deleted since the list of deliveries was read, because the log keeps
            // rows for a limited number of days.
            Effect.catchTag("NotFound", () => Effect.void)
          )
          if (found !== undefined) deliveries.push(row(found))
        }
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return { deliveries }
    })
}

type Logged = Effect.Effect.Success<ReturnType<typeof getDelivery>>

const row = ({ attempts, delivery, isReplayed }: Logged): DeliveryRow => ({
  deliveryId: delivery.id,
  endpointId: delivery.endpointId,
  eventId: delivery.envelope.eventId,
  type: delivery.envelope.payload.type,
  occurredAt: delivery.envelope.occurredAt,
  state: delivery.state,
  failReason: delivery.failReason,
  attempt: delivery.attempt,
  dueAt: delivery.dueAt,
  createdAt: delivery.createdAt,
  endedAt: delivery.endedAt,
  isReplay: delivery.replayNo > 0,
  isReplayed,
  isTest: delivery.isTest,
  attempts: attempts.map(({ attempt, startedAt, endedAt, status, error }) => ({
    attempt,
    startedAt,
    endedAt,
    status,
    error
  }))
})
