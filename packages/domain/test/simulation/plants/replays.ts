import { AccessLogStore } from "@place-access/domain/access-log"
import { DeliveryStore } from "@place-access/domain/deliveries"
import { EndpointStore } from "@place-access/domain/endpoints"
import { AccessLogEntryId } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { MINUTE, SECOND } from "./connected.js"
import { instead, type Plant } from "./plant.js"
import { FAR, inScene, type Scene } from "./scene.js"

/** Ana comes home, and the endpoint gets the event. */
const comeHome = ({ home, rule, walk, world }: Scene) =>
  Effect.gen(function* () {
    yield* rule()
    yield* walk(FAR, home)
    yield* world.advance(SECOND)
  })

const newest = ({ hook }: Scene) => Effect.map(hook.deliveries, (rows) => rows[0]?.deliveryId ?? "none")

const redeliver = (scene: Scene) =>
  Effect.flatMap(newest(scene), (deliveryId) => scene.world.perform("redeliver", { appId: scene.app.id, deliveryId }))

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "Y1",
    what: "a row that is being tried can be redelivered",
    sabotage: instead(DeliveryStore, (store) => ({
      replay: (appId, id, decide) =>
        store.replay(appId, id, (state, now) => decide({ ...state, isPending: false }, now))
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script([500, 500, 200])
        yield* comeHome(scene)
        yield* redeliver(scene)
        yield* scene.world.advance(MINUTE)
      })
    )
  },
  {
    oracle: "Y2",
    what: "the original does not say that it was replayed",
    sabotage: instead(DeliveryStore, (store) => ({
      find: (appId, id) =>
        Effect.map(
          store.find(appId, id),
          Option.map((row) => ({ ...row, isReplayed: false }))
        ),
      list: (appId, filter, limit, after) =>
        Effect.map(store.list(appId, filter, limit, after), (page) => ({
          ...page,
          items: page.items.map((row) => ({ ...row, isReplayed: false }))
        }))
    })),
    scenario: inScene((scene) => Effect.zipRight(comeHome(scene), redeliver(scene)))
  },
  {
    oracle: "Y3",
    what: "a failed attempt of a replay counts against the endpoint",
    sabotage: (ports) => {
      const replays = new Map<string, string>()
      const strikes = new Map<string, number>()
      return instead(EndpointStore, (store) => ({
        list: (appId) =>
          Effect.map(store.list(appId), (all) =>
            all.map((endpoint) => ({ ...endpoint, strikes: endpoint.strikes + (strikes.get(endpoint.id) ?? 0) }))
          )
      }))(
        instead(DeliveryStore, (store) => ({
          replay: (appId, id, decide) =>
            store.replay(appId, id, (state, now) => {
              const decision = decide(state, now)
              if (decision._tag === "Right") replays.set(decision.right.id, decision.right.endpointId)
              return decision
            }),
          finish: (claim, finish, attempt) => {
            const endpointId = replays.get(claim.id)
            if (endpointId !== undefined && finish._tag === "Retry") {
              strikes.set(endpointId, (strikes.get(endpointId) ?? 0) + 1)
            }
            return store.finish(claim, finish, attempt)
          }
        }))(ports)
      )
    },
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script([200, 500, 200])
        yield* comeHome(scene)
        yield* redeliver(scene)
        yield* scene.world.advance(MINUTE)
      })
    )
  },
  {
    oracle: "Y4",
    what: "an attempt that was brought forward is sent twice",
    sabotage: instead(DeliveryStore, (store) => ({
      claim: (request) =>
        Effect.map(store.claim(request), (claimed) => ({
          ...claimed,
          claims: claimed.claims.flatMap((claim) => (claim.delivery.isHurried ? [claim, claim] : [claim]))
        }))
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script([500, 500, 200])
        yield* comeHome(scene)
        yield* scene.world.advance(MINUTE)
        const deliveryId = yield* newest(scene)
        yield* scene.world.perform("retryNow", { appId: scene.app.id, deliveryId })
        yield* scene.world.advance(MINUTE)
      })
    )
  },
  {
    oracle: "Y5",
    what: "every sending has an entry of its own",
    sabotage: instead(AccessLogStore, (store) => {
      let count = 0
      return {
        record: (entry) =>
          Effect.suspend(() =>
            store.record(
              entry.endpoint.startsWith("webhook ")
                ? { ...entry, id: AccessLogEntryId.make(`${entry.id}_${++count}`) }
                : entry
            )
          )
      }
    }),
    scenario: inScene((scene) => Effect.zipRight(comeHome(scene), redeliver(scene)))
  }
]
