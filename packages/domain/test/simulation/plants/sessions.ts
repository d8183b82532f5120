import { AccountStore, type LiveSession } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { Effect, Option } from "effect"
import { DAY, HOUR, MINUTE } from "./connected.js"
import { instead, type Plant } from "./plant.js"

const ADDRESS = "192.0.2.1"
const THIEF = "192.0.2.66"

/**
 * Ana has signed in with two browsers. A thief has a copy of `cookie`, the cookie of Ana's first browser. Ana changes
 * her password in her second browser, whose cookie is `other`.
 */
const stolen = (world: Simulation.World) =>
  Effect.gen(function* () {
    const { id: userId } = yield* world.user("ana")
    const signIn = (password = 0, address = ADDRESS) => world.perform("signIn", { userId, password, address })
    const { cookie } = yield* world.do("signIn", { userId, password: 0, address: ADDRESS })
    const { cookie: other } = yield* world.do("signIn", { userId, password: 0, address: ADDRESS })
    const use = (one = cookie) => world.perform("useCookie", { cookie: one })
    const change = world.perform("changePassword", { cookie: other, password: 0, next: 1, address: ADDRESS })
    return { userId, cookie, other, signIn, use, change }
  })

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "U1",
    what: "signing out leaves the session on the server",
    sabotage: instead(AccountStore, () => ({ closeSession: () => Effect.void })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { cookie, use } = yield* stolen(world)
        yield* world.perform("signOut", { cookie })
        yield* use()
      })
  },
  {
    oracle: "U1",
    what: "ending the other sessions ends none",
    sabotage: instead(AccountStore, () => ({ closeOtherSessions: () => Effect.succeed(0) })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { other, use } = yield* stolen(world)
        yield* world.perform("endOtherSessions", { cookie: other })
        yield* use()
      })
  },
  {
    oracle: "U1",
    what: "a stolen cookie outlives a change of the password",
    sabotage: instead(AccountStore, (store) => {
      const seen = new Map<string, LiveSession>()
      return {
        findSession: (hash, now) =>
          Effect.map(store.findSession(hash, now), (found) => {
            if (Option.isSome(found)) seen.set(hash, found.value)
            return Option.orElse(found, () => Option.fromNullable(seen.get(hash)))
          })
      }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { change, use } = yield* stolen(world)
        yield* use()
        yield* change
        yield* use()
      })
  },
  {
    oracle: "U1",
    what: "the cookie that changed the password still counts afterwards",
    sabotage: instead(AccountStore, (store) => ({
      confirmSession: (session, confirmed) =>
        Effect.flatMap(store.findSession(session.hash, confirmed.confirmedAt), (found) =>
          Option.isNone(found)
            ? Effect.succeed(false)
            : Effect.as(store.openSession({ ...found.value.session, ...confirmed }), true)
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { change, other, use } = yield* stolen(world)
        yield* change
        yield* use(other)
      })
  },
  {
    oracle: "U1",
    what: "a session lives for an hour too long",
    isRare: "It shows after two weeks. A run of the swarm that lasts so long takes ten times as long as others.",
    sabotage: instead(AccountStore, (store) => ({
      findSession: (hash, now) => store.findSession(hash, Timestamp.plus(now, -HOUR))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        // A worker removes the rows of expired sessions at every full hour. The session must expire between two full
        // hours, because the bug needs a session whose row still exists.
        yield* world.advance(5 * MINUTE)
        const { use } = yield* stolen(world)
        yield* world.advance(14 * DAY + MINUTE)
        yield* use()
      })
  },
  {
    oracle: "U1",
    what: "a use renews nothing",
    isRare: "It shows after two weeks. A run of the swarm that lasts so long takes ten times as long as others.",
    sabotage: instead(AccountStore, () => ({ renewSession: () => Effect.void })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { use } = yield* stolen(world)
        yield* world.advance(10 * DAY)
        yield* use()
        yield* world.advance(10 * DAY)
        yield* use()
      })
  },
  {
    oracle: "U2",
    what: "the password from before a change still signs in",
    sabotage: instead(AccountStore, (store) => {
      const first = new Map<string, string>()
      return {
        findByEmail: (email) =>
          Effect.map(
            store.findByEmail(email),
            Option.map((found) => {
              const passwordHash = first.get(email) ?? found.passwordHash
              first.set(email, passwordHash)
              return { ...found, passwordHash }
            })
          )
      }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { change, signIn } = yield* stolen(world)
        yield* change
        yield* signIn(0, THIEF)
      })
  },
  {
    oracle: "U3",
    what: "wrong passwords are not counted",
    sabotage: instead(AccountStore, (store) => ({
      failTry: (id) => store.clearTries({ id, email: "x@y.example" as never, address: "x", browser: null })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { signIn } = yield* stolen(world)
        for (let n = 0; n < 6; n++) yield* signIn(-1, THIEF)
      })
  },
  {
    oracle: "U3",
    what: "three wrong passwords close sign-in",
    sabotage: instead(AccountStore, (store) => {
      const failed = new Map<string, number>()
      return {
        admitTry: (tried, decide) =>
          Effect.map(store.admitTry(tried, decide), (verdict) => {
            const count = (failed.get(tried.email) ?? 0) + 1
            failed.set(tried.email, count)
            return count > 3 ? ({ _tag: "Closed", retryAfterMillis: 1_000 } as const) : verdict
          }),
        clearTries: (tried) => Effect.tap(store.clearTries(tried), () => Effect.sync(() => failed.delete(tried.email)))
      }
    }),
    scenario: (world) =>
      Effect.gen(function* () {
        const { signIn } = yield* stolen(world)
        for (let n = 0; n < 4; n++) yield* signIn(-1, THIEF)
      })
  }
]
