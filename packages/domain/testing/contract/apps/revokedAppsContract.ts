import { Effect, Option } from "effect"
import type { AppId, ConnectionId } from "../../../src/shared/Ids.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { Connection } from "../../../src/connection/Connection.js"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import { endRevoked } from "../../../src/connection/endConnections.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Sample from "../connection/connectionSamples.js"

/** Marks the app as revoked by an admin at the time `at`. */
const revoke = (appId: AppId, at: Timestamp.Timestamp) =>
  Effect.flatMap(AppStore, (apps) =>
    apps.update(appId, (before) => ({ outcome: 0, after: { ...before, app: { ...before.app, revokedAt: at } } }))
  )

/** Connects `count` users with one app. */
const crowd = (count: number, overrides: Partial<Connection> = {}) =>
  Effect.gen(function* () {
    const app = yield* Fixtures.app((yield* Fixtures.user).id)
    const connections = yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function* () {
        const made = yield* Sample.connection(yield* Fixtures.user, app, overrides)
        yield* Sample.approve(yield* Sample.request(app), made)
        return made
      })
    )
    return { app, connections }
  })

const listed = (appId: AppId, limit = 500, after?: ConnectionId) =>
  Effect.flatMap(ConnectionStore, (store) => store.listRevoked({ appId, limit, after }))

const ids = (connections: ReadonlyArray<Connection>) => connections.map(({ id }) => id).sort()

/** Rules of `ConnectionStore.revokedApps` and `listRevoked`, and of the program `endRevoked`, which calls both. */
export const revokedAppsContract: Contract<Sample.ConnectionSamplePorts> = [
  {
    name: "listRevoked: the connections of a revoked app that have not ended, by id; none of an app that is not revoked",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const [one, live] = [yield* crowd(3), yield* crowd(1)]
      const [ended, ...left] = one.connections
      yield* Sample.change(ended?.id ?? Check.fail("three"), { _tag: "End", reason: "user_disconnected", at: now })
      yield* revoke(one.app.id, now)
      Check.equal(yield* listed(one.app.id), ids(left), "of the one")
      Check.equal(yield* listed(live.app.id), [], "of one that was not revoked")
    })
  },
  {
    name: "revokedApps: each revoked app once that has a connection whose end is not stored, by id; no other app",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const all = [yield* crowd(3), yield* crowd(2), yield* crowd(1), yield* crowd(0), yield* crowd(1)] as const
      const [one, two, done, empty, live] = all
      for (const { app } of [one, two, done, empty]) yield* revoke(app.id, now)
      const [only] = done.connections
      yield* Sample.change(only?.id ?? Check.fail("one"), { _tag: "End", reason: "user_disconnected", at: now })
      const found = yield* Effect.flatMap(ConnectionStore, (store) => store.revokedApps)
      // Other cases of the contract may have left revoked apps in the same database.
      const own = found.filter((id) => all.some(({ app }) => app.id === id))
      Check.equal(own, [one.app.id, two.app.id].sort(), "apps")
      Check.equal(live.connections.length, 1, "the app that is not revoked has a connection")
    })
  },
  {
    name: "endRevoked: without an app, the connections of all revoked apps end",
    run: Effect.gen(function* () {
      const both = [yield* crowd(2), yield* crowd(1)]
      for (const { app } of both) yield* revoke(app.id, yield* Timestamp.now)
      Check.equal((yield* endRevoked()) >= 3, true, "how many")
      for (const { app } of both) Check.equal(yield* listed(app.id), [], "what is left")
    })
  },
  {
    name: "listRevoked: goes on after an id, at most as many as asked for",
    run: Effect.gen(function* () {
      const { app, connections } = yield* crowd(5)
      yield* revoke(app.id, yield* Timestamp.now)
      const first = yield* listed(app.id, 2)
      const second = yield* listed(app.id, 2, first.at(-1))
      const third = yield* listed(app.id, 2, second.at(-1))
      Check.equal([...first, ...second, ...third], ids(connections), "each once")
      Check.equal([first.length, second.length, third.length], [2, 2, 1], "pages")
    })
  },
  {
    name: "endRevoked: every connection of a revoked app ends as admin_revoked, as of the revocation, and its tokens die",
    run: Effect.gen(function* () {
      const { app, connections } = yield* crowd(3)
      const [first] = connections
      const tokens = yield* Sample.issue(first ?? Check.fail("three"), 2)
      const revokedAt = Timestamp.plus(yield* Timestamp.now, 5)
      yield* revoke(app.id, revokedAt)
      Check.equal(yield* endRevoked({ appId: app.id }), 3, "how many")
      for (const made of connections) {
        const { endReason, endedAt } = yield* Sample.read(made)
        Check.equal([endedAt, endReason], [revokedAt, "admin_revoked"], "ended")
      }
      const state = yield* Sample.seen(first?.id ?? Check.fail("three"), { access: tokens.access.hash })
      Check.isTrue(
        Option.exists(state.access, (token) => token.revokedAt !== null),
        "the access token is revoked"
      )
      Check.equal(yield* listed(app.id), [], "nothing is left")
      Check.equal(yield* endRevoked({ appId: app.id }), 0, "again")
    })
  },
  {
    name: "endRevoked: what had ended stays as it ended; what had expired by then ends as expired",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const standardExpiresAt = Timestamp.plus(now, 10)
      const { app, connections } = yield* crowd(2, { standardExpiresAt })
      const [ended, expired] = connections
      if (ended === undefined || expired === undefined) return Check.fail("two")
      yield* Sample.change(ended.id, { _tag: "End", reason: "user_disconnected", at: now })
      yield* revoke(app.id, Timestamp.plus(now, 10))
      Check.equal(yield* endRevoked({ appId: app.id }), 1, "how many")
      Check.equal((yield* Sample.read(ended)).endReason, "user_disconnected", "the first")
      const { endReason, endedAt } = yield* Sample.read(expired)
      Check.equal([endedAt, endReason], [standardExpiresAt, "expired"], "the second")
    })
  },
  {
    name: "endRevoked: one that was approved in the meantime ends when it began, never before",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const { app, connections } = yield* crowd(1, { connectedAt: now })
      yield* revoke(app.id, Timestamp.plus(now, -1))
      yield* endRevoked({ appId: app.id })
      const { endedAt } = yield* Sample.read(connections[0] ?? Check.fail("one"))
      Check.equal(endedAt, now, "ended")
    })
  },
  {
    name: "endRevoked: at most so many, and the rest the next time; two at once end each once",
    run: Effect.gen(function* () {
      const { app, connections } = yield* crowd(7)
      yield* revoke(app.id, yield* Timestamp.now)
      Check.equal(yield* endRevoked({ appId: app.id, atMost: 2 }), 2, "the first two")
      Check.equal((yield* listed(app.id)).length, 5, "left")
      const both = yield* Effect.all([endRevoked({ appId: app.id }), endRevoked({ appId: app.id })], {
        concurrency: "unbounded"
      })
      Check.equal(both[0] + both[1], 5, "the rest, each once")
      Check.equal(yield* listed(app.id), [], "nothing is left")
      for (const made of connections) Check.equal((yield* Sample.read(made)).endReason, "admin_revoked", "ended")
    })
  }
]
