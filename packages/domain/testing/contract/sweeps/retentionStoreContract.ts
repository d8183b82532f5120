import type { Connection } from "../../../src/connection/Connection.js"
import { ConsentStore } from "../../../src/consent/ConsentStore.js"
import { Effect, Option } from "effect"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import * as AccountLink from "../../../src/credentials/AccountLink.js"
import { CredentialStore } from "../../../src/credentials/CredentialStore.js"
import type { RetentionKind } from "../../../src/sweeps/Retention.js"
import { RetentionStore } from "../../../src/sweeps/RetentionStore.js"
import * as Idempotency from "../../../src/idempotency/Idempotency.js"
import { IdempotencyStore } from "../../../src/idempotency/IdempotencyStore.js"
import { askZone } from "../../../src/limits/spendLimits.js"
import { LimitStore } from "../../../src/limits/LimitStore.js"
import * as Subject from "../../../src/limits/Subject.js"
import * as ZoneQuestions from "../../../src/limits/ZoneQuestions.js"
import * as NamedMail from "../../../src/mail/NamedMail.js"
import type { RefreshToken } from "../../../src/tokens/TokenFamily.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { type Hash, Sealed } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { signUpRequest } from "../accounts/signUpSamples.js"
import * as Samples from "../connection/connectionSamples.js"

type Ports = Samples.ConnectionSamplePorts | CredentialStore | RetentionStore | LimitStore | IdempotencyStore

/**
 * Deletes every row of this kind whose retention period began at `until` or earlier (`RetentionKind`), including rows
 * of other cases.
 */
const remove = (kind: RetentionKind, until: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    let removed = 0
    for (let last = 50; last === 50;) {
      last = yield* store.remove(kind, until, 50)
      removed += last
    }
    return removed
  })

const now = Timestamp.now
const before = Effect.map(now, (at) => Timestamp.plus(at, -1))

type CredentialHashes = { readonly access?: Hash; readonly refresh?: Hash; readonly code?: Hash }

const issued = Effect.gen(function* () {
  const { code, connection } = yield* Samples.connected()
  const { access, chain, familyId } = yield* Samples.issue(connection, 2)
  yield* Samples.change(connection.id, {
    _tag: "UseCode",
    hash: code.hash,
    familyId,
    exchange: yield* Samples.rotation
  })
  const has = (hashes: CredentialHashes) =>
    Effect.map(Samples.seen(connection.id, hashes), (state) => ({
      access: Option.isSome(state.access),
      code: Option.isSome(state.code),
      chain: state.chain.length
    }))
  return { access, chain, code, connection, familyId, has }
})

/**
 * What every `RetentionStore` must guarantee. The cases delete rows that other contracts store, so the cases need their
 * own database.
 */
export const retentionStoreContract: Contract<Ports> = [
  {
    name: "access tokens: by when they were issued, that moment included",
    run: Effect.gen(function* () {
      const { access, has } = yield* issued
      const at = yield* now
      yield* remove("access_tokens", yield* before)
      Check.isTrue((yield* has({ access: access.hash })).access, "a millisecond younger")
      Check.isTrue((yield* remove("access_tokens", at)) >= 1, "deleted")
      Check.isTrue(!(yield* has({ access: access.hash })).access, "gone")
      Check.equal(yield* remove("access_tokens", at), 0, "nothing more")
    })
  },
  {
    name: "refresh tokens: revoked ones by when they were revoked; those of a live family never, spent or not",
    run: Effect.gen(function* () {
      const { chain, connection, has } = yield* issued
      const [spent] = chain
      const hash = spent?.hash ?? Check.fail("there is a chain")
      yield* remove("refresh_tokens", Timestamp.plus(yield* now, 400 * Timestamp.DAY))
      Check.equal((yield* has({ refresh: hash })).chain, 2, "live")
      yield* Samples.change(connection.id, { _tag: "RevokeTokens" })
      yield* remove("refresh_tokens", yield* before)
      Check.equal((yield* has({ refresh: hash })).chain, 2, "a millisecond too early")
      yield* remove("refresh_tokens", yield* now)
      Check.equal((yield* has({ refresh: hash })).chain, 0, "gone")
    })
  },
  {
    name: "refresh tokens: the spent ones of a family that was revoked go before its head, a few at a time [sweeps-2]",
    run: Effect.gen(function* () {
      yield* remove("refresh_tokens", yield* now)
      const { connection } = yield* Samples.connected()
      const { chain } = yield* Samples.issue(connection, 7)
      const { connection: other } = yield* Samples.connected()
      const { chain: live } = yield* Samples.issue(other, 7)
      const left = (of: Connection, links: ReadonlyArray<RefreshToken>) =>
        Effect.map(
          Effect.forEach(links, ({ hash }) => Samples.seen(of.id, { refresh: hash })),
          (states) => states.map((state) => state.chain.length > 0)
        )
      yield* Samples.change(connection.id, { _tag: "End", reason: "user_disconnected", at: yield* now })
      const retention = yield* RetentionStore
      const once = Effect.flatMap(now, (at) => retention.remove("refresh_tokens", at, 3))
      yield* remove("refresh_tokens", yield* before)
      Check.equal((yield* left(connection, chain)).filter(Boolean).length, 7, "a millisecond too early")
      Check.equal([yield* once, yield* once], [3, 3], "as many as the limit")
      Check.equal(yield* left(connection, chain), [...chain.slice(1).map(() => false), true], "the head is left")
      Check.equal([yield* once, yield* once], [1, 0], "the head")
      Check.equal((yield* left(connection, chain)).filter(Boolean), [], "gone")
      Check.equal((yield* left(other, live)).filter(Boolean).length, 7, "of a live family")
    })
  },
  {
    name: "codes: unused ones a minute after they were made",
    run: Effect.gen(function* () {
      const { code, connection } = yield* Samples.connected()
      const minute = Timestamp.plus(code.createdAt, Timestamp.MINUTE)
      const found = Effect.map(Samples.seen(connection.id, { code: code.hash }), (state) => Option.isSome(state.code))
      yield* remove("authorization_codes", Timestamp.plus(minute, -1))
      Check.isTrue(yield* found, "a millisecond too early")
      yield* remove("authorization_codes", minute)
      Check.isTrue(!(yield* found), "gone")
    })
  },
  {
    name: "codes: exchanged ones not while what they issued is live, then by when it was revoked",
    run: Effect.gen(function* () {
      const { code, connection, familyId, has } = yield* issued
      yield* remove("authorization_codes", Timestamp.plus(yield* now, 400 * Timestamp.DAY))
      Check.isTrue((yield* has({ code: code.hash })).code, "live")
      yield* Samples.change(
        connection.id,
        { _tag: "RevokeFamily", familyId },
        { _tag: "StartFamily", familyId: yield* Samples.family }
      )
      yield* remove("authorization_codes", yield* before)
      Check.isTrue((yield* has({ code: code.hash })).code, "a millisecond too early")
      yield* remove("authorization_codes", yield* now)
      Check.isTrue(!(yield* has({ code: code.hash })).code, "gone")
    })
  },
  {
    name: "codes: an exchanged one of an ended connection",
    run: Effect.gen(function* () {
      const { code, connection, has } = yield* issued
      yield* Samples.change(connection.id, { _tag: "End", reason: "user_disconnected", at: yield* now })
      yield* remove("authorization_codes", yield* now)
      Check.isTrue(!(yield* has({ code: code.hash })).code, "gone")
    })
  },
  {
    name: "consent requests: by when they were made, decided or not",
    run: Effect.gen(function* () {
      const { app } = yield* Samples.connected()
      const [old, young] = [yield* Samples.request(app, { createdAt: yield* before }), yield* Samples.request(app)]
      yield* remove("consent_requests", yield* before)
      Check.isTrue(Option.isNone(yield* (yield* ConsentStore).findRequest(old.id)), "the old one is gone")
      Check.isTrue(Option.isSome(yield* (yield* ConsentStore).findRequest(young.id)), "the young one is there")
    })
  },
  {
    name: "sessions: by when they expired",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const user = yield* Fixtures.user
      const at = yield* now
      const ends = [Timestamp.plus(at, 10), Timestamp.plus(at, 11)] as const
      const open = (expiresAt: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const session = { ...Session.open(yield* Samples.freshHash, user.id, at), expiresAt }
          yield* accounts.openSession(session)
          return session.hash
        })
      const hashes = [yield* open(ends[0]), yield* open(ends[1])]
      yield* remove("sessions", ends[0])
      const there = yield* Effect.forEach(hashes, (hash) => Effect.map(accounts.findSession(hash, at), Option.isSome))
      Check.equal(there, [false, true], "there")
    })
  },
  {
    name: "mailed links: by when they expired",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const user = yield* Fixtures.user
      const at = yield* now
      const ends = [Timestamp.plus(at, 10), Timestamp.plus(at, 11)] as const
      const offer = (expiresAt: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const link = { ...AccountLink.make("password_reset", yield* Samples.freshHash, user, at), expiresAt }
          yield* store.offerLink(link, { to: user.id, dedupeKey: link.hash, subject: "A link", body: "Text" })
          return link.hash
        })
      const hashes = [yield* offer(ends[0]), yield* offer(ends[1])]
      yield* remove("account_links", ends[0])
      const there = yield* Effect.forEach(hashes, (hash) => Effect.map(store.findLink(hash), Option.isSome))
      Check.equal(there, [false, true], "there")
    })
  },
  {
    name: "sign-ups that wait: by when they expired",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const at = yield* now
      const ends = [Timestamp.plus(at, 10), Timestamp.plus(at, 11)] as const
      const request = (expiresAt: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const waiting = { ...(yield* signUpRequest(at)), expiresAt }
          yield* store.requestSignUp(waiting, {
            to: waiting.userId,
            dedupeKey: waiting.hash,
            subject: "A link",
            body: "Text"
          })
          return waiting.hash
        })
      const hashes = [yield* request(ends[0]), yield* request(ends[1])]
      yield* remove("pending_accounts", ends[0])
      const there = yield* Effect.forEach(hashes, (hash) => Effect.map(store.findSignUp(hash), Option.isSome))
      Check.equal(there, [false, true], "there")
    })
  },
  {
    name: "sign-in tries: by when they were made",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { email } = yield* Fixtures.user
      const tried = { id: yield* Entropy.id("try"), email, address: "192.0.2.77", browser: null }
      const count = accounts.admitTry({ ...tried, id: yield* Entropy.id("try") }, ({ ofAccount }) => ({
        _tag: "Closed",
        retryAfterMillis: ofAccount.length
      }))
      yield* accounts.admitTry(tried, () => ({ _tag: "Admitted" }))
      yield* remove("sign_in_tries", yield* before)
      Check.equal(yield* count, { _tag: "Closed", retryAfterMillis: 1 }, "counted")
      yield* remove("sign_in_tries", yield* now)
      Check.equal(yield* count, { _tag: "Closed", retryAfterMillis: 0 }, "gone")
    })
  },
  {
    name: "windows of rates: by when they ended; budgets: by their last question",
    run: Effect.gen(function* () {
      const limits = yield* LimitStore
      const { connection } = yield* Samples.connected()
      const at = yield* now
      const { endsAt } = yield* limits.count(Subject.connection(connection.id), Timestamp.MINUTE, at)
      yield* askZone(connection, { lat: 52.1, lon: 4.9, radiusM: 400 })
      const refusal = limits.ask(connection, ({ calls }) => ({ _tag: "Refused", retryAfterMillis: calls.length }))

      yield* remove("rate_windows", Timestamp.plus(endsAt, -1))
      Check.equal((yield* limits.count(Subject.connection(connection.id), Timestamp.MINUTE, at)).used, 2, "counted")
      yield* remove("rate_windows", endsAt)
      Check.equal((yield* limits.count(Subject.connection(connection.id), Timestamp.MINUTE, at)).used, 1, "begun anew")

      yield* remove("budgets", yield* before)
      Check.equal(yield* refusal, { _tag: "Refused", retryAfterMillis: 1 }, "counted")
      yield* remove("budgets", yield* now)
      Check.equal(yield* refusal, { _tag: "Refused", retryAfterMillis: 0 }, "gone")
    })
  },
  {
    name: "budgets with a zone rule whose window opens later: by the opening, so that the rule still counts then [limits-8, M8]",
    run: Effect.gen(function* () {
      const limits = yield* LimitStore
      const { connection } = yield* Samples.connected()
      const opensAt = Timestamp.plus(yield* now, 9 * Timestamp.DAY)
      const circle = { lat: 52.1, lon: 4.9, radiusM: 400 }
      yield* limits.ask(connection, (before, at) => ZoneQuestions.ask(before, circle, at, opensAt))
      const count = limits.ask(connection, ({ circles }) => ({ _tag: "Refused", retryAfterMillis: circles.length }))
      yield* remove("budgets", Timestamp.plus(opensAt, -1))
      Check.equal(yield* count, { _tag: "Refused", retryAfterMillis: 2 }, "a millisecond too early")
      yield* remove("budgets", opensAt)
      Check.equal(yield* count, { _tag: "Refused", retryAfterMillis: 0 }, "gone")
    })
  },
  {
    name: "answers that are kept to be repeated: by when they were given",
    run: Effect.gen(function* () {
      const [store, user, hash] = [yield* IdempotencyStore, yield* Fixtures.user, yield* Samples.freshHash]
      const place = { userId: user.id, subject: Idempotency.account(user.id), keyHash: hash }
      const ask = store.once(
        place,
        hash,
        (kept) => (Option.isSome(kept) ? { _tag: "Reused" } : { _tag: "Begin" }),
        Effect.succeed({ sealed: Sealed.make("sealed"), value: null })
      )
      yield* ask
      yield* remove("idempotent_answers", yield* before)
      Check.equal((yield* ask)._tag, "Reused", "a millisecond too early")
      yield* remove("idempotent_answers", yield* now)
      Check.equal((yield* ask)._tag, "Worked", "gone")
    })
  },
  {
    name: "counts of mail that names an app: by the newest message that they count",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const at = yield* now
      for (const key of ["one", "two"]) {
        yield* Samples.change(connection.id, {
          _tag: "Mail",
          message: { to: connection.userId, dedupeKey: key, subject: "App", body: "App", naming: NamedMail.foldable }
        })
      }
      Check.equal(yield* remove("named_mail", Timestamp.plus(at, -1)), 0, "a millisecond too early")
      Check.equal(yield* remove("named_mail", at), 1, "gone")
    })
  },
  {
    name: "remove: never more than the limit, the oldest first",
    run: Effect.gen(function* () {
      const { app } = yield* Samples.connected()
      const at = yield* now
      yield* remove("consent_requests", at)
      const made = yield* Effect.forEach([30, 10, 20], (age) =>
        Samples.request(app, { createdAt: Timestamp.plus(at, -age) })
      )
      const store = yield* ConsentStore
      const left = Effect.forEach(made, ({ id }) => Effect.map(store.findRequest(id), Option.isSome))
      const retention = yield* RetentionStore
      Check.equal(yield* retention.remove("consent_requests", at, 2), 2, "two")
      Check.equal(yield* left, [false, true, false], "the youngest is left")
      Check.equal(yield* retention.remove("consent_requests", at, 2), 1, "the last one")
      Check.equal(yield* retention.remove("consent_requests", at, 2), 0, "none")
    })
  }
]
