import { TokenStore } from "@place-access/domain/tokens"
import { ConnectionStore } from "@place-access/domain/connection"
import { FixHistory } from "@place-access/domain/fixes"
import { PlaceStore } from "@place-access/domain/places"
import { PlaceId, type Timestamp } from "@place-access/domain/shared"
import { VisitStore } from "@place-access/domain/visits"
import { Context, Effect, Option } from "effect"
import { instead, type Plant } from "./plant.js"
import { FAR, HOME, HOUR, inScene, MINUTE, type Scene } from "./scene.js"

/** Deliberate bugs (plants) in visits and in look-ups of the past. */

const ask = ({ connection }: Scene, limit = 100) =>
  Effect.flatMap(connection.refresh, () =>
    connection.call({ endpoint: "GET /v1/visits", from: null, to: null, limit, cursor: null })
  )

/** Ana stays at home for ten minutes, and then leaves. */
const stay = ({ walk }: Scene) => walk(HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME, HOME, FAR)

/** Plants a bug: when the user stops sharing a place, the app can still use the place. */
const withoutWithdrawals = instead(TokenStore, (store) => {
  const ever = new Map<string, Map<string, unknown>>()
  return {
    findByAccessToken: (id, hash) =>
      Effect.map(
        store.findByAccessToken(id, hash),
        Option.map((found) => {
          const { connection } = found
          const known = ever.get(connection.id) ?? new Map()
          ever.set(connection.id, known)
          for (const place of connection.places) known.set(place.placeId, place)
          return { ...found, connection: { ...connection, places: [...known.values()] as typeof connection.places } }
        })
      )
  }
})

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "V1",
    what: "stays are read at every place that was ever asked about",
    sabotage: instead(VisitStore, (store) => {
      const ever = new Map<
        string,
        Map<PlaceId, { readonly placeId: PlaceId; readonly since: Timestamp.Timestamp | null }>
      >()
      return {
        stays: (query) => {
          const known = ever.get(query.userId) ?? new Map()
          ever.set(query.userId, known)
          for (const place of query.places) known.set(place.placeId, place)
          return store.stays({ ...query, places: [...known.values()] })
        }
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* stay(scene)
        yield* ask(scene)
        yield* scene.ana.share(scene.connection, [])
        yield* ask(scene)
      })
    )
  },
  {
    oracle: "V2",
    what: "stops elsewhere are taken out of a page after it was filled",
    sabotage: instead(VisitStore, (store, ports) => ({
      stays: (query) =>
        Effect.gen(function* () {
          const shared = new Set(query.places.map(({ placeId }) => placeId))
          const all = yield* Context.get(ports, PlaceStore).list(query.userId)
          const places = all.map(({ id }) => ({ placeId: id, since: null }))
          const hidden = yield* store.stays({ ...query, places: places.filter(({ placeId }) => !shared.has(placeId)) })
          const found = yield* store.stays(query)
          // The stays at places that are not shared get an unknown place id. So they take up space on the page of
          // visits, but the page does not show them.
          const ghosts = hidden.map((visit) => ({ ...visit, placeId: PlaceId.make(`gone_${visit.placeId}`) }))
          return [...found, ...ghosts].sort((a, b) => b.arrival - a.arrival).slice(0, query.limit)
        })
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.ana.place({ label: "Elsewhere", ...FAR, radiusM: 200 })
        yield* stay(scene)
        yield* scene.world.advance(HOUR)
        yield* stay(scene)
        yield* ask(scene, 1)
        yield* ask(scene, 2)
      })
    )
  },
  {
    oracle: "V3",
    what: "nothing checks since when a place is shared",
    sabotage: instead(VisitStore, (store) => ({
      stays: (query) => store.stays({ ...query, places: query.places.map((place) => ({ ...place, since: null })) })
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* stay(scene)
        yield* scene.ana.share(scene.connection, [])
        yield* scene.world.advance(HOUR)
        yield* scene.ana.share(scene.connection, [scene.home])
        yield* ask(scene)
      })
    )
  },
  {
    oracle: "V4",
    what: "the first visit that a phone reported is left out",
    sabotage: instead(VisitStore, (store) => ({
      reports: (query) => Effect.map(store.reports(query), (reports) => reports.slice(1))
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.world.advance(HOUR)
        const now = yield* scene.world.now
        yield* scene.phone.visit({ arrival: now - 10 * MINUTE, departure: now, ...HOME })
        yield* ask(scene)
      })
    )
  },
  {
    oracle: "V4",
    what: "a choice of places drops the archived ones",
    sabotage: instead(ConnectionStore, (store, ports) => ({
      change: (id, decide) =>
        Effect.gen(function* () {
          const found = yield* store.change(id, ({ connection }) => ({ outcome: connection.userId, writes: [] }))
          const places = Option.isNone(found) ? [] : yield* Context.get(ports, PlaceStore).list(found.value)
          const present = new Set(places.filter(({ archivedAt }) => archivedAt === null).map((place) => place.id))
          return yield* store.change(id, (state, now) => {
            const { outcome, writes } = decide(state, now)
            const dropped = writes.map((one) =>
              one._tag === "SetPlaces"
                ? { ...one, places: one.places.filter(({ placeId }) => present.has(placeId)) }
                : one
            )
            return { outcome, writes: dropped }
          })
        })
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const { ana, connection, home, phone, world } = scene
        yield* world.advance(HOUR)
        const now = yield* world.now
        yield* phone.visit({ arrival: now - 10 * MINUTE, departure: now, ...HOME })
        const work = yield* ana.place({ label: "Work", ...FAR, radiusM: 200 })
        yield* world.advance(MINUTE)
        yield* ana.share(connection, [home], true)
        yield* ana.archive(home)
        yield* ana.share(connection, [work])
        yield* ask(scene)
      })
    )
  },
  {
    oracle: "V4",
    what: "a place that stays in the list counts as shared since the list was made",
    sabotage: instead(TokenStore, (store) => ({
      findByAccessToken: (id, hash) =>
        Effect.map(
          store.findByAccessToken(id, hash),
          Option.map((found) => {
            const { connection } = found
            const latest = Math.max(...connection.places.map(({ sharedAt }) => sharedAt))
            const places = connection.places.map((place) => ({ ...place, sharedAt: latest as typeof place.sharedAt }))
            return { ...found, connection: { ...connection, places } }
          })
        )
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const gym = yield* scene.ana.place({ label: "Gym", ...FAR, radiusM: 200 })
        yield* scene.world.advance(HOUR)
        const now = yield* scene.world.now
        yield* scene.phone.visit({ arrival: now - 10 * MINUTE, departure: now, ...HOME })
        yield* scene.ana.share(scene.connection, [scene.home, gym])
        yield* ask(scene)
      })
    )
  },
  {
    oracle: "V5",
    what: "places keep the first name that was read",
    sabotage: instead(PlaceStore, (store) => {
      const first = new Map<string, string>()
      return {
        list: (userId) =>
          Effect.map(store.list(userId), (places) =>
            places.map((place) => {
              const label = first.get(place.id) ?? place.label
              first.set(place.id, label)
              return { ...place, label: label as typeof place.label }
            })
          )
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.connection.call({ endpoint: "GET /v1/answers/places" })
        yield* scene.ana.change(scene.home, { label: "Flat" })
        yield* scene.connection.call({ endpoint: "GET /v1/answers/places" })
      })
    )
  },
  {
    oracle: "V6",
    what: "fixes from after the moment are ignored",
    sabotage: instead(FixHistory, (store) => ({
      around: (userId, now, at, toleranceMs) =>
        Effect.map(store.around(userId, now, at, toleranceMs), (fixes) =>
          fixes.filter(({ capturedAt }) => capturedAt <= at)
        )
    })),
    scenario: inScene(({ connection, walk, world }) =>
      Effect.gen(function* () {
        const at = yield* world.now
        yield* walk(HOME)
        yield* connection.call({ endpoint: "GET /v1/lookup/place", at, toleranceS: 900 })
      })
    )
  },
  {
    oracle: "V7",
    what: "the look-up of a token does not see that a place was withdrawn",
    sabotage: withoutWithdrawals,
    scenario: inScene(({ ana, connection, home }) =>
      Effect.gen(function* () {
        const presence = {
          endpoint: "GET /v1/answers/places/{place_id}/presence",
          placeId: home.id,
          maxAgeS: 900
        } as const
        yield* connection.call(presence)
        yield* ana.share(connection, [])
        yield* connection.call(presence)
      })
    )
  }
]
