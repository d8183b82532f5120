import { CLOCK_SKEW, RACE_WINDOW } from "../../../src/tokens/TokenFamily.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import { Effect, Exit, Option, TestClock } from "effect"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Samples from "./connectionSamples.js"
import { revokedTokens } from "./revokedTokens.js"
import { type SuspensionPorts, suspendedTokens } from "./suspended.js"
import { tokenRaces } from "./tokenRaces.js"

/** What every `TokenStore` must guarantee: it makes every decision about the tokens of a connection under one lock. */
export const tokenStoreContract: Contract<SuspensionPorts> = [
  {
    name: "change: none for an unknown connection, and nothing is asked",
    run: Effect.gen(function* () {
      const id = ConnectionId.make(yield* Entropy.id("con"))
      const outcome = yield* (yield* TokenStore).change(id, {}, () =>
        Check.fail("decide was called for a connection that does not exist")
      )
      Check.equal(outcome, Option.none(), "none")
    })
  },
  {
    name: "change: sees connection, app, the clock, and nothing that was not asked for",
    run: Effect.gen(function* () {
      const { app, connection } = yield* Samples.connected()
      const { familyId } = yield* Samples.issue(connection, 1)
      yield* TestClock.adjust(1234)
      Check.equal(
        yield* Samples.seen(connection.id),
        {
          connection: { ...connection, familyId },
          app,
          now: yield* Timestamp.now,
          code: Option.none(),
          access: Option.none(),
          chain: []
        },
        "state"
      )
    })
  },
  {
    name: "change: gives the code, the access token and the refresh token asked for",
    run: Effect.gen(function* () {
      const { code, connection } = yield* Samples.connected()
      const { access, chain } = yield* Samples.issue(connection, 1)
      const seen = yield* Samples.seen(connection.id, {
        code: code.hash,
        access: access.hash,
        refresh: chain[0]?.hash ?? Check.fail("a link")
      })
      Check.equal(seen.code, Option.some(code), "code")
      Check.equal(seen.access, Option.some(access), "access")
      Check.equal(seen.chain, chain, "refresh")
    })
  },
  {
    name: "change: tokens of another connection are not given, not even the same user's [§5.2]",
    run: Effect.gen(function* () {
      const { code, connection, user } = yield* Samples.connected()
      const { access, chain } = yield* Samples.issue(connection, 1)
      const { app } = yield* Samples.pair
      const sameUser = yield* Samples.connection(user, app)
      yield* Samples.approve(yield* Samples.request(app), sameUser)
      const { connection: another } = yield* Samples.connected()
      for (const holder of [sameUser, another]) {
        const seen = yield* Samples.seen(holder.id, {
          code: code.hash,
          access: access.hash,
          refresh: chain[0]?.hash ?? Check.fail("a link")
        })
        Check.equal([seen.code, seen.access, seen.chain], [Option.none(), Option.none(), []], "nothing of another")
      }
    })
  },
  {
    name: "change: the chain begins with the token asked for, in order of issue within one millisecond too",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { chain } = yield* Samples.issue(connection, 12)
      yield* Samples.issue(connection, 2)
      for (const from of [0, 1, 7, 11]) {
        const refresh = chain[from]?.hash ?? Check.fail("twelve links")
        const seen = yield* Samples.seen(connection.id, { refresh })
        Check.equal(seen.chain, chain.slice(from), `from link ${from}`)
      }
    })
  },
  {
    name: "change: of a token that was spent longer ago than the race window, the chain has this token alone [O6]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { chain } = yield* Samples.issue(connection, 5)
      const seen = (link: number) =>
        Effect.map(
          Samples.seen(connection.id, { refresh: chain[link]?.hash ?? Check.fail("five links") }),
          (state) => state.chain
        )
      yield* TestClock.adjust(RACE_WINDOW)
      Check.equal(yield* seen(1), chain.slice(1), "at the end of the window")
      yield* TestClock.adjust(1)
      Check.equal(yield* seen(1), chain.slice(1, 2), "a millisecond later")
      Check.equal(yield* seen(4), chain.slice(4), "the head")
    })
  },
  {
    name: "change: beside a code, the chain is whole for longer than the race window: the clocks of servers may differ [tokens-1]",
    run: Effect.gen(function* () {
      const { code, connection } = yield* Samples.connected()
      const { chain } = yield* Samples.issue(connection, 3)
      const presented = { code: code.hash, refresh: chain[0]?.hash ?? Check.fail("three links") }
      const seen = Effect.map(Samples.seen(connection.id, presented), (state) => state.chain)
      yield* TestClock.adjust(RACE_WINDOW + CLOCK_SKEW)
      Check.equal(yield* seen, chain, "the greatest difference of clocks later")
      yield* TestClock.adjust(1)
      Check.equal(yield* seen, chain.slice(0, 1), "a millisecond later")
    })
  },
  {
    name: "Rotate and IssueRefresh: the parent keeps how it was spent, the child is the head",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { chain, familyId } = yield* Samples.issue(connection, 1)
      const parent = chain[0] ?? Check.fail("one link")
      yield* TestClock.adjust(1001)
      const child = yield* Samples.refreshToken(connection, familyId)
      const rotation = { ...(yield* Samples.rotation), nonce: "its own nonce" }
      yield* Samples.change(
        connection.id,
        { _tag: "Rotate", hash: parent.hash, rotation },
        { _tag: "IssueRefresh", token: child }
      )
      const seen = yield* Samples.seen(connection.id, { refresh: parent.hash })
      Check.equal(seen.chain, [{ ...parent, rotation }, child], "chain")
    })
  },
  {
    name: "UseCode: the code names the family that it was exchanged for, when, and what the token was derived with",
    run: Effect.gen(function* () {
      const { code, connection } = yield* Samples.connected()
      const familyId = yield* Samples.family
      const exchange = yield* Samples.rotation
      yield* Samples.change(connection.id, { _tag: "UseCode", hash: code.hash, familyId, exchange })
      const seen = yield* Samples.seen(connection.id, { code: code.hash })
      Check.equal(seen.code, Option.some({ ...code, familyId, exchange }), "used")
      const { code: other, connection: another } = yield* Samples.connected()
      yield* Samples.change(another.id, { _tag: "UseCode", hash: other.hash, familyId, exchange: null })
      const unrepeatable = yield* Samples.seen(another.id, { code: other.hash })
      Check.equal(unrepeatable.code, Option.some({ ...other, familyId, exchange: null }), "used without a key")
    })
  },
  ...revokedTokens,
  {
    name: "SetPlaces: replaces the set and takes the version that was decided",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const [a, b, c] = [yield* Samples.place(now), yield* Samples.place(now), yield* Samples.place(now, true)]
      const { connection } = yield* Samples.connected({ places: [a, b].sort(byId) })
      const places = [{ ...b, includeEarlierVisits: true }, c].sort(byId)
      yield* Samples.change(connection.id, { _tag: "SetPlaces", places, placesVersion: 2 })
      Check.equal(yield* Samples.read(connection), { ...connection, places, placesVersion: 2 }, "replaced")
      yield* Samples.change(connection.id, { _tag: "SetPlaces", places: [], placesVersion: 3 })
      Check.equal(yield* Samples.read(connection), { ...connection, places: [], placesVersion: 3 }, "emptied")
    })
  },
  {
    name: "Flag and Mail: writing them twice is no error",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const message = { to: connection.userId, dedupeKey: `k ${connection.id}`, subject: "s", body: "b" }
      const twice = Samples.change(
        connection.id,
        { _tag: "Flag", at: yield* Timestamp.now },
        { _tag: "Mail", message },
        { _tag: "Mail", message: { ...message, subject: "another" } }
      )
      yield* twice
      yield* twice
    })
  },
  ...tokenRaces,
  ...suspendedTokens,
  {
    name: "change: a defect while deciding changes nothing and frees the connection",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const exit = yield* Effect.exit((yield* TokenStore).change(connection.id, {}, () => Check.fail("planted")))
      Check.isTrue(Exit.isFailure(exit), "it is reported")
      Check.equal(yield* Samples.read(connection), connection, "unchanged")
    })
  },
  {
    name: "findByAccessToken: connection, app and token in one answer, revoked and ended ones too",
    run: Effect.gen(function* () {
      const { app, connection } = yield* Samples.connected({ places: [yield* Samples.place(yield* Timestamp.now)] })
      const { access, familyId } = yield* Samples.issue(connection, 1)
      const live = { ...connection, familyId }
      Check.equal(
        yield* (yield* TokenStore).findByAccessToken(connection.id, access.hash),
        Option.some({ connection: live, app, token: access }),
        "live"
      )
      const at = yield* Timestamp.now
      yield* Samples.change(connection.id, { _tag: "End", reason: "app_revoked_token", at })
      Check.equal(
        yield* (yield* TokenStore).findByAccessToken(connection.id, access.hash),
        Option.some({
          connection: { ...live, endedAt: at, endReason: "app_revoked_token" },
          app,
          token: { ...access, revokedAt: at }
        }),
        "ended"
      )
    })
  },
  {
    name: "findByAccessToken: none for an unknown token, an unknown connection and another connection's token",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { connection: other } = yield* Samples.connected()
      const { access, chain } = yield* Samples.issue(connection, 1)
      const none = Option.none()
      const unknown = ConnectionId.make(yield* Entropy.id("con"))
      Check.equal(
        yield* (yield* TokenStore).findByAccessToken(connection.id, yield* Samples.freshHash),
        none,
        "unknown token"
      )
      Check.equal(yield* (yield* TokenStore).findByAccessToken(unknown, access.hash), none, "unknown connection")
      Check.equal(yield* (yield* TokenStore).findByAccessToken(other.id, access.hash), none, "another connection's")
      const refresh = chain[0]?.hash ?? Check.fail("a link")
      Check.equal(yield* (yield* TokenStore).findByAccessToken(connection.id, refresh), none, "a refresh token")
    })
  }
]

const byId = (a: { readonly placeId: string }, b: { readonly placeId: string }): number =>
  a.placeId < b.placeId ? -1 : 1
