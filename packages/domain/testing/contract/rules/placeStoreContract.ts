import { Effect, Option, TestClock } from "effect"
import { Label, type Place } from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { CLOCK_CHANGES } from "../clockChanges.js"
import * as Samples from "./ruleSamples.js"

type Ports = PlaceStore | Entropy.Entropy

const aUser = Effect.map(Entropy.id("usr"), (id) => UserId.make(id))

const found = (place: Pick<Place, "userId" | "id">) =>
  Effect.map(
    Effect.flatMap(PlaceStore, (store) => store.find(place.userId, place.id)),
    Option.getOrNull
  )

/**
 * What every `PlaceStore` must guarantee: a user has a limited number of places, no other user reads these places, and
 * each place keeps the history of its circles.
 */
export const placeStoreContract: Contract<Ports> = [
  {
    name: "create: what was stored is found and listed, field by field and to the last bit of a coordinate",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const user = yield* aUser
      const now = yield* Timestamp.now
      const made = yield* Samples.place(user, {
        label: Label.make('Mum\'s "place" \\ 🏡'),
        kind: "other",
        circle: { lat: -33.868_812_345_678_9, lon: 0.1 + 0.2, radiusM: 123.456 },
        geometryVersion: 7,
        archivedAt: Timestamp.plus(now, 1)
      })
      Check.equal(yield* found(made), made, "found")
      Check.equal(yield* places.list(user), [made], "listed")
    })
  },
  {
    name: `create: the ${AccountLimits.PLACES.most}th is the last, also when several ask at once; archived ones make room [limits-9]`,
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const user = yield* aUser
      const archivedAt = yield* Timestamp.now
      yield* Samples.place(user, { archivedAt })
      let last = yield* Samples.place(user)
      for (let made = 1; made < AccountLimits.PLACES.most - 1; made++) last = yield* Samples.place(user)
      const rivals = yield* Effect.all([Samples.draftPlace(user), Samples.draftPlace(user), Samples.draftPlace(user)])
      const outcomes = yield* Effect.forEach(rivals, places.create, { concurrency: "unbounded" })
      Check.equal(outcomes.filter(Boolean).length, 1, "there was room for one")
      const present = (yield* places.list(user)).filter((place) => place.archivedAt === null)
      Check.equal(present.length, AccountLimits.PLACES.most, "stored")
      Check.equal(
        rivals.filter((_, index) => outcomes[index]).map(({ id }) => id),
        present.filter(({ id }) => rivals.some((rival) => rival.id === id)).map(({ id }) => id),
        "the one that was told so"
      )
      Check.isTrue(yield* places.create(yield* Samples.draftPlace(yield* aUser)), "another user has room")
      yield* places.update(user, last.id, (before) => ({ ...before, archivedAt }))
      Check.isTrue(yield* places.create(yield* Samples.draftPlace(user)), "an archived one makes room")
      Check.isTrue(!(yield* places.create(yield* Samples.draftPlace(user))), "for one")
    })
  },
  {
    name: "find and list: another user's place is not there",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const made = yield* Samples.place(yield* aUser)
      const other = yield* aUser
      Check.equal(yield* found({ ...made, userId: other }), null, "found")
      Check.equal(yield* places.list(other), [], "listed")
    })
  },
  {
    name: "list: by label, character by character, then id; archived ones included",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const user = yield* aUser
      const archivedAt = yield* Timestamp.now
      for (const label of ["éa", "b", "a b", "B", "ab", "😀", "\uff5e"]) {
        yield* Samples.place(user, { label: Label.make(label), archivedAt: label === "b" ? archivedAt : null })
      }
      const twins = [yield* Samples.place(user), yield* Samples.place(user)].map((place) => place.id)
      const listed = yield* places.list(user)
      Check.equal(
        listed.map((place) => place.label as string),
        ["B", "Home", "Home", "a b", "ab", "b", "éa", "\uff5e", "😀"],
        "labels"
      )
      Check.equal(
        listed.filter((place) => place.label === "Home").map((place) => place.id),
        [...twins].sort(),
        "of one label by id"
      )
    })
  },
  {
    name: "update: stores and returns what the change makes of the place",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const made = yield* Samples.place(yield* aUser)
      // The clock moves, so that a store that writes `createdAt` anew is found out.
      yield* TestClock.adjust("1 minute")
      const now = yield* Timestamp.now
      const after: Place = {
        ...made,
        label: Label.make("Office"),
        kind: "work",
        circle: { lat: 1.5, lon: -2.5, radiusM: 10_000 },
        geometryVersion: 2,
        archivedAt: now
      }
      const seen: Array<Place> = []
      const updated = yield* places.update(made.userId, made.id, (before) => {
        seen.push(before)
        return after
      })
      Check.equal(seen, [made], "what the change was given")
      Check.equal(Option.getOrNull(updated), after, "returned")
      Check.equal(yield* found(made), after, "stored")
    })
  },
  {
    name: "create, update: times at which a local clock changes come back as they were",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const user = yield* aUser
      for (const [createdAt, archivedAt] of CLOCK_CHANGES) {
        for (const [from, until] of [
          [createdAt, archivedAt],
          [archivedAt, createdAt]
        ] as const) {
          const made = yield* Samples.place(user, { createdAt: from })
          yield* places.update(user, made.id, (before) => ({ ...before, archivedAt: until }))
          Check.equal(yield* found(made), { ...made, archivedAt: until }, "found")
        }
      }
    })
  },
  {
    name: "update: none for another user's place, which stays as it is",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const made = yield* Samples.place(yield* aUser)
      const updated = yield* places.update(yield* aUser, made.id, (before) => ({ ...before, kind: "gym" }))
      Check.isTrue(Option.isNone(updated), "nothing is updated")
      Check.equal(yield* found(made), made, "stored")
    })
  },
  {
    name: "update: changes made at once are all made, one on the other",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const made = yield* Samples.place(yield* aUser)
      yield* Effect.all(
        Array.from({ length: 5 }, () =>
          places.update(made.userId, made.id, (before) => ({ ...before, geometryVersion: before.geometryVersion + 1 }))
        ),
        { concurrency: "unbounded" }
      )
      Check.equal((yield* found(made))?.geometryVersion, 6, "geometry version")
    })
  },
  {
    name: "shapes: the first is valid from ever, each new geometry version from the moment of the change, a rename makes none [places-1]",
    run: Effect.gen(function* () {
      const places = yield* PlaceStore
      const made = yield* Samples.place(yield* aUser)
      const other = yield* Samples.place(made.userId)
      const past = yield* Samples.place(made.userId)
      yield* places.update(made.userId, past.id, (before, archivedAt) => ({ ...before, archivedAt }))
      const moved = { lat: -33.8688, lon: 151.2093, radiusM: 777.125 }
      yield* places.update(made.userId, made.id, (before) => ({ ...before, label: Label.make("Den") }))
      const movedAt: Array<Timestamp.Timestamp> = []
      yield* places.update(made.userId, made.id, (before, now) => {
        movedAt.push(now)
        return { ...before, circle: moved, geometryVersion: 2 }
      })
      const [at = null] = movedAt
      Check.equal(
        yield* places.shapes(made.userId),
        [
          { placeId: made.id, geometryVersion: 1, validFrom: null, circle: made.circle },
          { placeId: made.id, geometryVersion: 2, validFrom: at, circle: moved },
          { placeId: other.id, geometryVersion: 1, validFrom: null, circle: other.circle },
          { placeId: past.id, geometryVersion: 1, validFrom: null, circle: past.circle }
        ].sort((a, b) => (a.placeId < b.placeId ? -1 : a.placeId > b.placeId ? 1 : 0)),
        "shapes, also of the archived place"
      )
      Check.equal(yield* places.shapes(yield* aUser), [], "another user's")
    })
  }
]
