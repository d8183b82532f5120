import { Effect, Option } from "effect"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"

const freshHash = Effect.flatMap(Vault, (vault) => Effect.map(Entropy.secret, vault.sha256))

/**
 * What every `AccountStore` must guarantee about sessions: when they end, and how they are renewed, confirmed, listed
 * and closed.
 */
export const sessionContract: Contract<AccountStore | Entropy.Entropy | Vault> = [
  {
    name: "session: live before expires_at, gone at it [T2]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const session = Session.open(yield* freshHash, account.id, now)
      yield* accounts.openSession(session)
      const at = (millis: number) => accounts.findSession(session.hash, Timestamp.plus(now, millis))
      const found = Option.some({ account, session })
      Check.equal(yield* at(0), found, "at once")
      Check.equal(yield* at(Session.LIFETIME - 1), found, "a millisecond before")
      Check.equal(yield* at(Session.LIFETIME), Option.none(), "at expires_at")
    })
  },
  {
    name: "session: none is opened for an account that was deleted meanwhile [deletions-2]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const now = yield* Timestamp.now
      const session = Session.open(yield* freshHash, UserId.make("usr_gone"), now)
      yield* accounts.openSession(session)
      Check.equal(yield* accounts.findSession(session.hash, now), Option.none(), "found")
    })
  },
  {
    name: "session: shows the account's roles of now, not those of the sign-in",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const session = Session.open(yield* freshHash, account.id, now)
      yield* accounts.openSession(session)
      yield* accounts.addRoles(account.id, ["developer"])
      const roles = Option.map(yield* accounts.findSession(session.hash, now), (found) => found.account.roles)
      Check.equal(roles, Option.some(["developer"] as const), "roles")
    })
  },
  {
    name: "session: closing one leaves the account's others open; closing again, or an unknown one, does nothing",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const [one, other] = [
        Session.open(yield* freshHash, account.id, now),
        Session.open(yield* freshHash, account.id, now)
      ]
      yield* accounts.openSession(one)
      yield* accounts.openSession(other)
      yield* accounts.closeSession(one.hash)
      yield* accounts.closeSession(one.hash)
      yield* accounts.closeSession(yield* freshHash)
      Check.equal(yield* accounts.findSession(one.hash, now), Option.none(), "the closed one")
      const found = Option.some({ account, session: other })
      Check.equal(yield* accounts.findSession(other.hash, now), found, "the other one")
    })
  },
  {
    name: "renewSession: stores the last use and the new end; a session that is closed stays closed",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const client = { browser: "Firefox on Linux", address: "2001:db8::7" }
      const session = Session.open(yield* freshHash, account.id, now, 0, client)
      const closed = Session.open(yield* freshHash, account.id, now)
      yield* accounts.openSession(session)
      const later = Timestamp.plus(now, Session.LIFETIME - 1)
      const renewed = { ...session, seenAt: later, expiresAt: Timestamp.plus(later, Timestamp.DAY) }
      yield* accounts.renewSession(renewed)
      yield* accounts.renewSession({ ...closed, seenAt: later })
      const at = (millis: number) => accounts.findSession(session.hash, Timestamp.plus(later, millis))
      Check.equal(yield* at(Timestamp.DAY - 1), Option.some({ account, session: renewed }), "before the new end")
      Check.equal(yield* at(Timestamp.DAY), Option.none(), "at the new end")
      Check.equal(yield* accounts.findSession(closed.hash, now), Option.none(), "the closed one")
    })
  },
  {
    name: "confirmSession: stores the time and a new hash; not with another version of the password, nor when closed",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const [session, other] = [
        Session.open(yield* freshHash, account.id, now),
        Session.open(yield* freshHash, account.id, now)
      ]
      yield* accounts.openSession(session)
      yield* accounts.openSession(other)
      const proof = { hash: yield* freshHash, confirmedAt: Timestamp.plus(now, Timestamp.HOUR) }
      Check.equal(yield* accounts.confirmSession({ ...session, passwordVersion: 1 }, proof), false, "version")
      Check.equal(yield* accounts.findSession(session.hash, now), Option.some({ account, session }), "unchanged")
      Check.equal(yield* accounts.findSession(proof.hash, now), Option.none(), "no other session")
      Check.equal(yield* accounts.confirmSession(session, proof), true, "confirmed")
      const confirmed = { ...session, ...proof }
      Check.equal(yield* accounts.findSession(proof.hash, now), Option.some({ account, session: confirmed }), "stored")
      Check.equal(yield* accounts.findSession(session.hash, now), Option.none(), "the old hash finds nothing")
      Check.equal(yield* accounts.confirmSession(session, { ...proof, hash: yield* freshHash }), false, "once")
      Check.equal(yield* accounts.findSession(other.hash, now), Option.some({ account, session: other }), "the other")
      const renewed = { ...confirmed, seenAt: Timestamp.plus(now, 1) }
      yield* accounts.renewSession(renewed)
      Check.equal(yield* accounts.findSession(proof.hash, now), Option.some({ account, session: renewed }), "renewed")
      yield* accounts.closeSession(proof.hash)
      Check.equal(yield* accounts.confirmSession(renewed, { ...proof, hash: yield* freshHash }), false, "closed")
      Check.equal(yield* accounts.findSession(proof.hash, now), Option.none(), "stays closed")
    })
  },
  {
    name: "listSessions: the account's own live sessions, the one that was used last first",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [account, stranger] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const open = (seenAfter: number, userId = account.id, passwordVersion = 0) =>
        Effect.gen(function* () {
          const hash = yield* freshHash
          const session = {
            ...Session.open(hash, userId, now, passwordVersion, { browser: null, address: "192.0.2.7" }),
            seenAt: Timestamp.plus(now, seenAfter)
          }
          yield* accounts.openSession(session)
          return session
        })
      const [first, second, third] = [yield* open(1), yield* open(3), yield* open(2)]
      yield* open(0, stranger.id)
      yield* open(0, account.id, 1)
      const list = (millis: number) => accounts.listSessions(account.id, Timestamp.plus(now, millis))
      Check.equal(yield* list(0), [second, third, first], "newest use first, none of another password or account")
      Check.equal(yield* list(Session.LIFETIME), [], "none after the end")
    })
  },
  {
    name: "closeOtherSessions: closes the account's others and counts those that were live; those of other accounts stay",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [account, stranger] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const kept = Session.open(yield* freshHash, account.id, now)
      const others = [Session.open(yield* freshHash, account.id, now), Session.open(yield* freshHash, account.id, now)]
      const theirs = Session.open(yield* freshHash, stranger.id, now)
      const ended = { ...Session.open(yield* freshHash, account.id, now), expiresAt: now }
      const ofAnotherPassword = Session.open(yield* freshHash, account.id, now, 1)
      const all = [kept, ...others, theirs, ended, ofAnotherPassword]
      yield* Effect.forEach(all, (one) => accounts.openSession(one), { discard: true })
      Check.equal(yield* accounts.closeOtherSessions(account.id, kept.hash, now), 2, "closed")
      Check.equal(yield* accounts.listSessions(account.id, now), [kept], "left")
      Check.equal(yield* accounts.closeOtherSessions(account.id, null, now), 1, "the kept one, too")
      Check.equal(yield* accounts.listSessions(account.id, now), [], "none left")
      Check.equal(yield* accounts.listSessions(stranger.id, now), [theirs], "a stranger's")
    })
  },
  {
    name: "openSession: an account has at most 200 sessions; one more closes the one that was used least recently [accounts-6]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [account, stranger] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const opened = (userId: UserId, millis: number) =>
        Effect.gen(function* () {
          const session = Session.open(yield* freshHash, userId, Timestamp.plus(now, millis))
          yield* accounts.openSession(session)
          return session
        })
      const theirs = yield* opened(stranger.id, 0)
      const all = []
      for (let index = 0; index < Session.MOST; index++) all.push(yield* opened(account.id, index))
      const listed = Effect.map(accounts.listSessions(account.id, now), (sessions) => sessions.length)
      Check.equal(yield* listed, Session.MOST, "as many as there may be")
      const oldest = yield* Effect.fromNullable(all[0])
      yield* accounts.renewSession({ ...oldest, seenAt: Timestamp.plus(now, Session.MOST) })
      // The clock of another server may be behind, so the newest session may seem to be older than the others. Even
      // then, the newest session must stay.
      const late = yield* opened(account.id, -1)
      Check.equal(yield* listed, Session.MOST, "one more")
      const found = (session: Session.Session) => Effect.map(accounts.findSession(session.hash, now), Option.isSome)
      const [second, third] = [yield* Effect.fromNullable(all[1]), yield* Effect.fromNullable(all[2])]
      const left = yield* Effect.forEach([oldest, second, third, late, theirs], found)
      Check.equal(left, [true, false, true, true, true], "used again; the least recently used; the rest")
    }).pipe(Effect.orDie)
  }
]
