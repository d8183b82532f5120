import { Effect } from "effect"
import type { AccountStore } from "../../accounts/AccountStore.js"
import type { AppStore } from "../../apps/AppStore.js"
import type { Finish, NewDelivery } from "../../deliveries/Delivery.js"
import { type Claim, DeliveryStore } from "../../deliveries/DeliveryStore.js"
import { EndpointStore } from "../../endpoints/EndpointStore.js"
import { EndpointUrl } from "../../endpoints/EndpointUrl.js"
import { Description, type WebhookEndpoint } from "../../endpoints/WebhookEndpoint.js"
import * as Entropy from "../../shared/Entropy.js"
import { type AppId, ConnectionId, DeliveryId, EndpointId, EventId, PlaceId, RuleId, UserId } from "../../shared/Ids.js"
import type { StoreError } from "../../shared/StoreError.js"
import * as Timestamp from "../../shared/Timestamp.js"
import { Sealed } from "../../shared/Vault.js"
import * as Check from "../Check.js"
import * as Fixtures from "../fixtures.js"

/** Endpoints and deliveries to begin with. */

export type Needs = DeliveryStore | EndpointStore | AppStore | AccountStore | Entropy.Entropy

export const ownedApp = Effect.flatMap(Fixtures.user, (owner) => Fixtures.app(owner.id))

/** Not stored yet. */
export const draftEndpoint = (appId: AppId, overrides: Partial<WebhookEndpoint> = {}) =>
  Effect.gen(function* () {
    const id = EndpointId.make(yield* Entropy.id("ep"))
    const createdAt = yield* Timestamp.now
    const endpoint: WebhookEndpoint = {
      appId,
      id,
      url: EndpointUrl.make(`https://hooks.example.com/${id}`),
      events: [],
      description: Description.make("the main one"),
      disabledAt: null,
      epoch: 0,
      strikes: 0,
      secrets: [{ sealed: Sealed.make(`sealed ${id}`), createdAt, expiresAt: null }],
      createdAt,
      ...overrides
    }
    return endpoint
  })

/** A stored endpoint. */
export const endpoint = (appId: AppId, overrides: Partial<WebhookEndpoint> = {}) =>
  Effect.gen(function* () {
    const made = yield* draftEndpoint(appId, overrides)
    Check.isTrue(yield* (yield* EndpointStore).create(made), "the endpoint is created")
    return made
  })

/** Runs `use` with endpoints of a fresh app; takes them away afterwards, so that nothing of theirs stays claimable. */
export const withEndpoints = <E, R>(
  use: (one: WebhookEndpoint, two: WebhookEndpoint, three: WebhookEndpoint) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | StoreError, R | Needs> =>
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

/** The first of them; a case fails that has none. */
export const first = <A>(items: ReadonlyArray<A>): A => items[0] ?? Check.fail("there is one")

/** Not stored yet: a rule's event for `to`, due now. */
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

/** A stored delivery to the endpoint. */
export const insert = (to: WebhookEndpoint, overrides: Partial<NewDelivery> = {}) =>
  Effect.gen(function* () {
    const row = yield* draft(to, overrides)
    yield* (yield* DeliveryStore).insert([row])
    return row
  })

/** `count` rows for `to`, a millisecond apart, the oldest first. */
export const insertMany = (to: WebhookEndpoint, count: number) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const rows = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      draft(to, { createdAt: Timestamp.plus(now, index - count) })
    )
    yield* (yield* DeliveryStore).insert(rows)
    return rows
  })

/** A claim of what is due now, under a fresh lease of 30 s. Rows of other cases are not told apart: filter. */
export const claim = (limit = 1_000, perEndpoint = 1_000) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const lease = yield* Entropy.id("lse")
    const leaseUntil = Timestamp.plus(now, 30 * Timestamp.SECOND)
    const { claims } = yield* (yield* DeliveryStore).claim({ limit, perEndpoint, lease, now, leaseUntil })
    return claims
  })

/** Those claims that are for one of `endpoints`. */
export const of = (claims: ReadonlyArray<Claim>, ...endpoints: ReadonlyArray<WebhookEndpoint>) =>
  claims.filter((one) => endpoints.some(({ id }) => id === one.delivery.endpointId))

/** Claims the only due row of `of`. */
export const claimOne = (to: WebhookEndpoint) =>
  Effect.gen(function* () {
    const claims = of(yield* claim(), to)
    Check.equal(claims.length, 1, "there is one row to claim")
    return first(claims)
  })

/** Ends a claimed attempt; false when the lease was lost. */
export const finish = (claimed: Claim, how: Finish, attempt: Parameters<typeof DeliveryStore.Service.finish>[2]) =>
  Effect.flatMap(DeliveryStore, (store) =>
    store.finish({ appId: claimed.delivery.appId, id: claimed.delivery.id, lease: claimed.lease }, how, attempt)
  )

/** The delivery as it is stored. */
export const found = (row: { readonly appId: AppId; readonly id: DeliveryId }) =>
  Effect.gen(function* () {
    const stored = yield* (yield* DeliveryStore).find(row.appId, row.id)
    return stored._tag === "Some" ? stored.value : Check.fail(`${row.id} is stored`)
  })

/** The endpoint as it is stored. */
export const endpointNow = ({ appId, id }: WebhookEndpoint) =>
  Effect.gen(function* () {
    const stored = yield* (yield* EndpointStore).find(appId, id)
    return stored._tag === "Some" ? stored.value : Check.fail(`${id} is stored`)
  })
