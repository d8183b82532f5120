import { Effect } from "effect"
import type { Connection, EndReason } from "../../../src/connection/Connection.js"
import * as LeakNotice from "../../../src/tokens/LeakNotice.js"
import { type Leaked, ReviewStore } from "../../../src/staff/ReviewStore.js"
import type { AppId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Sample from "../connection/connectionSamples.js"

const anApp = Effect.flatMap(Fixtures.user, ({ id }) => Fixtures.app(id))

type App = Effect.Effect.Success<typeof anApp>

const connected = (app: App) =>
  Effect.gen(function* () {
    const made = yield* Sample.connection(yield* Fixtures.user, app)
    yield* Sample.approve(yield* Sample.request(app), made)
    return made
  })

/**
 * Ends and flags the connection as the service does when a spent code or refresh token is presented at the time `at`.
 */
const leak = (connection: Connection, app: App, kind: LeakNotice.Leak, at: Timestamp.Timestamp) =>
  Effect.forEach(LeakNotice.writes(kind, { connection, app }, at), (write) => Sample.change(connection.id, write))

/**
 * The leaks of the given apps, read in pages of `limit`. Cases share the store, so each case asks only about its own
 * apps.
 */
const leaksOf = (apps: ReadonlyArray<AppId>, limit = 500) =>
  Effect.gen(function* () {
    const reviews = yield* ReviewStore
    const found: Array<Leaked> = []
    let after: ReadonlyArray<string | number> | undefined
    do {
      const { items, next } = yield* reviews.leaks(limit, after)
      Check.isTrue(items.length <= limit, "no page is larger than asked for")
      found.push(...items)
      after = next
    } while (after !== undefined)
    return found.filter(({ appId }) => apps.includes(appId))
  })

/**
 * What `ReviewStore.leaks` must guarantee: it lists the connections that were flagged for a leak, and no other
 * connections.
 */
export const leaksContract: Contract<Sample.ConnectionSamplePorts | ReviewStore> = [
  {
    name: "leaks: flagged connections alone, newest flag first, then by id downwards, with why they ended; by pages the same [reviews-2]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const [one, two] = [yield* anApp, yield* anApp]
      const before = yield* connected(one)
      const atOnce = [yield* connected(one), yield* connected(two)]
      const endedBefore = yield* connected(two)
      yield* connected(one)
      yield* leak(before, one, "code_reused", Timestamp.plus(now, -10))
      for (const connection of atOnce) {
        yield* leak(connection, connection.appId === one.id ? one : two, "refresh_token_reused", now)
      }
      yield* Sample.change(endedBefore.id, { _tag: "End", reason: "user_disconnected", at: now })
      yield* leak(endedBefore, two, "code_reused", Timestamp.plus(now, 10))
      const listed = (of: Connection, endReason: EndReason, flaggedAt: Timestamp.Timestamp): Leaked => ({
        connectionId: of.id,
        appId: of.appId,
        flaggedAt,
        endReason
      })
      const expected = [
        listed(endedBefore, "user_disconnected", Timestamp.plus(now, 10)),
        ...atOnce.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map((of) => listed(of, "refresh_token_reused", now)),
        listed(before, "code_reused", Timestamp.plus(now, -10))
      ]
      Check.equal(yield* leaksOf([one.id, two.id]), expected, "at once")
      Check.equal(yield* leaksOf([one.id, two.id], 1), expected, "one by one")
    })
  }
]
