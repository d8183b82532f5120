import { Effect } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AppStore } from "../../../src/apps/AppStore.js"
import type { DeliveryFinish, NewDelivery } from "../../../src/deliveries/Delivery.js"
import { type ClaimedDelivery, type ClaimRequest, DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import * as EndpointHeader from "../../../src/endpoints/EndpointHeader.js"
import { EndpointUrl } from "../../../src/endpoints/EndpointUrl.js"
import { EndpointDescription, type WebhookEndpoint } from "../../../src/endpoints/WebhookEndpoint.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import {
  type AppId,
  ConnectionId,
  DeliveryId,
  EndpointId,
  EventId,
  PlaceId,
  RuleId,
  UserId
} from "../../../src/shared/Ids.js"
import type { StoreError } from "../../../src/shared/Errors.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Sealed } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import * as Fixtures from "../../fixtures.js"

/** The ports that the cases about endpoints and deliveries need. */

export type WebhookFixturePorts = DeliveryStore | EndpointStore | AppStore | AccountStore | Entropy.Entropy

export const ownedApp = Effect.flatMap(Fixtures.user, (owner) => Fixtures.app(owner.id))

/** Makes an endpoint without storing it. */
export const draftEndpoint = (appId: AppId, overrides: Partial<WebhookEndpoint> = {}) =>
  Effect.gen(function* () {
    const id = EndpointId.make(yield* Entropy.id("ep"))
    const createdAt = yield* Timestamp.now
    const endpoint: WebhookEndpoint = {
      appId,
      id,
      url: EndpointUrl.make(`https://hooks.example.com/${id}`),
      events: [],
      description: EndpointDescription.make("the main one"),
      disabledAt: null,
      epoch: 0,
      strikes: 0,
      secrets: [{ sealed: Sealed.make(`sealed ${id}`), createdAt, expiresAt: null }],
      headers: [{ name: EndpointHeader.HeaderName.make("x-api-key"), sealed: Sealed.make(`sealed header ${id}`) }],
      createdAt,
      ...overrides
    }
    return endpoint
  })

/** Stores an endpoint. */
export const endpoint = (appId: AppId, overrides: Partial<WebhookEndpoint> = {}) =>
  Effect.gen(function* () {
    const made = yield* draftEndpoint(appId, overrides)
    Check.equal(yield* (yield* EndpointStore).create(made), "created", "the endpoint")
    return made
  })

/**
 * Runs `use` with three new endpoints of one app. Removes the endpoints afterwards, so that other cases do not claim
 * deliveries to these endpoints.
 */
export const withEndpoints = <E, R>(
  use: (one: WebhookEndpoint, two: WebhookEndpoint, three: WebhookEndpoint) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | StoreError, R | WebhookFixturePorts> =>
  Effect.acquireUseRelease(
    Effect.gen(function* () {
      const app = yield* ownedApp
      return [yield* endpoint(app.id), yield* endpoint(app.id), yield* endpoint(app.id)] as const
    }),
    ([one, two, three]) => use(one, two, three),
    (endpoints) =>
      Effect.flatMap(EndpointStore, (store) =>
        Effect.ignore(Effect.forEach(endpoints, ({ appId, id }) => store.remove(appId, id), { discard: true }))
      )
  )

/** The first item. Fails the case when there is none. */
export const first = <A>(items: ReadonlyArray<A>): A => items[0] ?? Check.fail("there is one")

/** Makes a delivery of a rule's event to `to` that is due now, without storing it. */
export const draft = (to: WebhookEndpoint, overrides: Partial<NewDelivery> = {}) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const row: NewDelivery = {
      appId: to.appId,
      id: DeliveryId.make(yield* Entropy.id("dlv")),
      endpointId: to.id,
      endpointEpoch: to.epoch,
      envelope: {
        eventId: EventId.make(yield* Entropy.id("evt")),
        appId: to.appId,
        grantId: ConnectionId.make(yield* Entropy.id("con")),
        payload: {
          type: "place.enter",
          ruleId: RuleId.make(yield* Entropy.id("rul")),
          target: { placeId: PlaceId.make(yield* Entropy.id("plc")), label: 'Mum\'s "place" \\ 🏡' }
        },
        occurredAt: Timestamp.plus(now, -Timestamp.MINUTE)
      },
      userId: UserId.make(yield* Entropy.id("usr")),
      maxEventAgeS: null,
      replayNo: 0,
      isTest: false,
      createdAt: now,
      originalAt: overrides.createdAt ?? now,
      ...overrides
    }
    return row
  })

/** Stores a delivery to the endpoint. */
export const insert = (to: WebhookEndpoint, overrides: Partial<NewDelivery> = {}) =>
  Effect.gen(function* () {
    const row = yield* draft(to, overrides)
    yield* (yield* DeliveryStore).insert([row])
    return row
  })

/**
 * Stores `count` deliveries to `to`, each created a millisecond after the delivery before. Returns the deliveries,
 * oldest first.
 */
export const insertMany = (to: WebhookEndpoint, count: number) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const rows = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      draft(to, { createdAt: Timestamp.plus(now, index - count) })
    )
    yield* (yield* DeliveryStore).insert(rows)
    return rows
  })

/**
 * Claims the due deliveries under a lease of 30 s. The result may contain deliveries of other cases, because cases
 * share a store. The function `of` keeps only the deliveries to given endpoints.
 */
export const claim = (limit = 1_000, perEndpoint = 1_000, slow: ClaimRequest["slow"] = { ids: [], limit: 0 }) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const lease = yield* Entropy.id("lse")
    const leaseUntil = Timestamp.plus(now, 30 * Timestamp.SECOND)
    const { claims } = yield* (yield* DeliveryStore).claim({ limit, perEndpoint, lease, now, leaseUntil, slow })
    return claims
  })

/** The claims whose delivery goes to one of `endpoints`. */
export const of = (claims: ReadonlyArray<ClaimedDelivery>, ...endpoints: ReadonlyArray<WebhookEndpoint>) =>
  claims.filter((one) => endpoints.some(({ id }) => id === one.delivery.endpointId))

/** Claims the due delivery to `to`. Fails unless exactly one delivery to `to` is due. */
export const claimOne = (to: WebhookEndpoint) =>
  Effect.gen(function* () {
    const claims = of(yield* claim(), to)
    Check.equal(claims.length, 1, "there is one row to claim")
    return first(claims)
  })

/** Ends a claimed attempt. Returns false when the worker had lost the lease. */
export const finish = (
  claimed: ClaimedDelivery,
  how: DeliveryFinish,
  attempt: Parameters<typeof DeliveryStore.Service.finish>[2]
) =>
  Effect.flatMap(DeliveryStore, (store) =>
    store.finish({ appId: claimed.delivery.appId, id: claimed.delivery.id, lease: claimed.lease }, how, attempt)
  )

/** The delivery as the store has it. */
export const found = (row: { readonly appId: AppId; readonly id: DeliveryId }) =>
  Effect.gen(function* () {
    const stored = yield* (yield* DeliveryStore).find(row.appId, row.id)
    return stored._tag === "Some" ? stored.value : Check.fail(`${row.id} is stored`)
  })

/** The endpoint as the store has it. */
export const endpointNow = ({ appId, id }: WebhookEndpoint) =>
  Effect.gen(function* () {
    const stored = yield* (yield* EndpointStore).find(appId, id)
    return stored._tag === "Some" ? stored.value : Check.fail(`${id} is stored`)
  })
