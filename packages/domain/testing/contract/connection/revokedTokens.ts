import { Effect, Option, TestClock } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { ACCESS_LIFETIME } from "../../../src/tokens/TokenFamily.js"
import type { Presented } from "../../../src/tokens/TokenStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Samples from "./connectionSamples.js"

type Issued = Effect.Effect.Success<ReturnType<typeof Samples.issue>>

/** Checks that the access token and the newest refresh token of a family were revoked at the time `at`. */
const areRevoked = ({ id }: Connection, { access, chain }: Issued, at: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const seen = yield* Samples.seen(id, { access: access.hash, refresh: chain.at(-1)?.hash ?? Check.fail("a link") })
    Check.equal(
      Option.map(seen.access, (token) => token.revokedAt),
      Option.some(at),
      "access token"
    )
    Check.equal(
      seen.chain.map((token) => token.revokedAt),
      [at],
      "the head"
    )
  })

/** What every `TokenStore` must guarantee for the writes that revoke tokens. */
export const revokedTokens: Contract<Samples.ConnectionSamplePorts> = [
  {
    name: "RevokeTokens: the live tokens of every family; what is issued afterwards lives [O6]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { connection: other } = yield* Samples.connected()
      const bystander = yield* Samples.issue(other, 1)
      const old = [yield* Samples.issue(connection, 3), yield* Samples.issue(connection, 1)]
      yield* TestClock.adjust(5)
      const now = yield* Timestamp.now
      const familyId = yield* Samples.family
      const next = yield* Samples.accessToken(connection, familyId)
      yield* Samples.change(
        connection.id,
        { _tag: "RevokeTokens" },
        { _tag: "StartFamily", familyId },
        { _tag: "IssueAccess", token: next }
      )
      for (const tokens of old) yield* areRevoked(connection, tokens, now)
      const seen = yield* Samples.seen(connection.id, { access: next.hash })
      Check.equal(seen.access, Option.some(next), "the new one")
      const untouched = yield* Samples.seen(other.id, { access: bystander.access.hash })
      Check.equal(untouched.access, Option.some(bystander.access), "another connection's")
    })
  },
  {
    name: "End and RevokeTokens: write no spent refresh token and no expired access token, however many there are [O6]",
    run: Effect.gen(function* () {
      const at = yield* Timestamp.now
      for (const write of [{ _tag: "RevokeTokens" }, { _tag: "End", reason: "user_disconnected", at }] as const) {
        const { connection } = yield* Samples.connected()
        const { access, chain } = yield* Samples.issue(connection, 4)
        yield* TestClock.adjust(ACCESS_LIFETIME - 1)
        const { access: live } = yield* Samples.issue(connection, 1)
        yield* TestClock.adjust(1)
        const now = yield* Timestamp.now
        yield* Samples.change(connection.id, write)
        const revokedAt = (presented: Presented) =>
          Effect.map(
            Samples.seen(connection.id, presented),
            ({ access, chain }) => (chain[0] ?? Option.getOrUndefined(access))?.revokedAt
          )
        const links = yield* Effect.forEach(chain, ({ hash }) => revokedAt({ refresh: hash }))
        Check.equal(links, [null, null, null, now], `${write._tag}: the head alone`)
        const accesses = yield* Effect.forEach([access, live], ({ hash }) => revokedAt({ access: hash }))
        Check.equal(accesses, [null, now], `${write._tag}: the live access token alone`)
      }
    })
  },
  {
    name: "RevokeTokens: a token that was revoked before keeps its time",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { access } = yield* Samples.issue(connection, 1)
      const first = yield* Timestamp.now
      yield* Samples.change(connection.id, { _tag: "RevokeTokens" })
      yield* TestClock.adjust("1 minute")
      yield* Samples.change(connection.id, { _tag: "RevokeTokens" })
      const seen = yield* Samples.seen(connection.id, { access: access.hash })
      Check.equal(
        Option.map(seen.access, (token) => token.revokedAt),
        Option.some(first),
        "first time"
      )
    })
  },
  {
    name: "RevokeFamily: that family alone",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const old = yield* Samples.issue(connection, 2)
      const live = yield* Samples.issue(connection, 2)
      const now = yield* Timestamp.now
      yield* Samples.change(connection.id, { _tag: "RevokeFamily", familyId: old.familyId })
      yield* areRevoked(connection, old, now)
      const seen = yield* Samples.seen(connection.id, {
        access: live.access.hash,
        refresh: live.chain[0]?.hash ?? Check.fail("a link")
      })
      Check.equal([seen.access, seen.chain], [Option.some(live.access), live.chain], "the other family")
      Check.equal((yield* Samples.read(connection)).familyId, live.familyId, "the connection's family")
    })
  },
  {
    name: "End: ends with time and reason and revokes the live tokens; a second end changes neither",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const tokens = yield* Samples.issue(connection, 2)
      const at = yield* Timestamp.now
      yield* Samples.change(connection.id, { _tag: "End", reason: "refresh_token_reused", at })
      yield* TestClock.adjust("1 hour")
      yield* Samples.change(connection.id, { _tag: "End", reason: "user_disconnected", at: yield* Timestamp.now })
      const ended = yield* Samples.read(connection)
      Check.equal([ended.endedAt, ended.endReason], [at, "refresh_token_reused"], "as it ended first")
      yield* areRevoked(connection, tokens, at)
    })
  }
]
