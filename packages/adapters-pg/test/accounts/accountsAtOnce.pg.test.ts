import {
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlAppStore,
  SqlCredentialStore,
  SqlEndpointStore,
  SqlRetentionStore
} from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Account, AccountStore, Session } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountLink, CredentialStore, PasswordChange, SignUpRequest } from "@place-access/domain/credentials"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { EndpointStore, EndpointUrl, type WebhookEndpoint } from "@place-access/domain/endpoints"
import { EndpointId, Entropy, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { RetentionStore } from "@place-access/domain/sweeps"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Fiber, Layer, Option, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migratedOn, POOL, withStores } from "../support/contracts.js"
import { describeServers, lockWaits } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlCredentialStore.layer,
  SqlAccountDeletionStore.layer,
  SqlEndpointStore.layer,
  SqlRetentionStore.layer
)

const fresh = () => Vault.Hash.make(randomBytes(32).toString("hex"))

const signedIn = (userId: UserId, at: Timestamp.Timestamp): AuditEvent.AuditEvent => ({
  at,
  userId,
  actor: AuditEvent.OWNER,
  detail: { kind: "sign_in", browser: null, network: null }
})

/** An event that the database refuses, because its actor is missing. */
const broken = (userId: UserId, at: Timestamp.Timestamp): AuditEvent.AuditEvent => ({
  ...signedIn(userId, at),
  actor: { _tag: null } as never
})

describeServers("people who change their accounts at the same time, under the real clock", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("sign-ins, new passwords, new roles and deletions: nobody meets a deadlock", async () => {
    const failures = await run(
      Effect.gen(function* () {
        const [accounts, credentials, deletions] = [
          yield* AccountStore,
          yield* CredentialStore,
          yield* AccountDeletionStore
        ]
        const people = yield* Effect.forEach(Array.from({ length: 40 }), () => Fixtures.user)
        const outcomes = yield* Effect.forEach(
          people,
          (account, index) =>
            Effect.gen(function* () {
              const now = yield* Timestamp.now
              const hash = Vault.Hash.make(randomBytes(32).toString("hex"))
              yield* accounts.openSession(Session.open(hash, account.id, now), signedIn(account.id, now))
              const notice = { to: account.id, dedupeKey: `new ${now}`, subject: "New", body: "New" }
              yield* index % 3 === 0
                ? deletions.begin(account.id, AccountDeletion.decide)
                : index % 3 === 1
                  ? credentials.replacePassword(account.id, null, () => ({
                      passwordHash: "new",
                      keeps: hash,
                      notice,
                      audit: PasswordChange.changed(account, "password", now)
                    }))
                  : accounts.addRoles(account.id, ["developer"])
            }).pipe(Effect.either),
          { concurrency: POOL }
        )
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })

  it("sign-ins of one person at the same moment leave at most 200 sessions, with the new ones [accounts-6]", async () => {
    const left = await run(
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const sql = yield* SqlClient
        const now = yield* Timestamp.now
        const one = Effect.gen(function* () {
          const { id } = yield* Fixtures.user
          yield* sql`INSERT INTO sessions (session_hash, user_id, password_version, created_at, seen_at, expires_at)
                     SELECT md5(${id} || n) || md5(n::text), ${id}, 0, at, at, at + interval '1 day'
                     FROM (SELECT n, to_timestamp(${now / 1000}) - n * interval '1 second' AS at
                           FROM generate_series(1, ${Session.MOST}::int) n) earlier`
          const fresher = Array.from({ length: 4 }, (_, index) =>
            Session.open(fresh(), id, Timestamp.plus(now, 1 + index))
          )
          yield* Effect.forEach(fresher, (session) => accounts.openSession(session), { concurrency: "unbounded" })
          const listed = (yield* accounts.listSessions(id, now)).map(({ hash }) => hash)
          return [listed.length, fresher.every(({ hash }) => listed.includes(hash))]
        })
        return yield* Effect.replicateEffect(one, 15)
      })
    )
    for (const found of left) expect(found).toEqual([Session.MOST, true])
  })

  it("new passwords and changes of other people's sessions: nobody meets a deadlock [accounts-10]", async () => {
    const failures = await run(
      Effect.gen(function* () {
        const [accounts, credentials, retention] = [yield* AccountStore, yield* CredentialStore, yield* RetentionStore]
        const people = yield* Effect.forEach(
          Array.from({ length: 60 }),
          () =>
            Effect.gen(function* () {
              const account = yield* Fixtures.user
              const session = Session.open(fresh(), account.id, yield* Timestamp.now)
              yield* accounts.openSession(session)
              return { account, session }
            }),
          { concurrency: 4 }
        )
        const change = ({ account, session }: (typeof people)[number], index: number) =>
          Effect.gen(function* () {
            const now = yield* Timestamp.now
            const confirmed = { hash: fresh(), confirmedAt: now }
            const notice = { to: account.id, dedupeKey: `new ${now}`, subject: "New", body: "New" }
            switch (index % 6) {
              case 0:
                return yield* accounts.closeSession(session.hash)
              case 1:
                return yield* accounts.renewSession({ ...session, seenAt: now })
              case 2:
                return yield* accounts.confirmSession(session, confirmed)
              case 3:
                return yield* accounts.closeOtherSessions(account.id, session.hash, now)
              case 4:
                yield* retention.remove("sessions", now, 10)
                return yield* retention.remove("account_links", now, 10)
              default:
                yield* credentials.offerLink(AccountLink.make("password_reset", fresh(), account, now), null)
                return yield* credentials.replacePassword(account.id, null, () => ({
                  passwordHash: "new",
                  keeps: session.hash,
                  notice,
                  audit: PasswordChange.changed(account, "password", now)
                }))
            }
          }).pipe(Effect.either)
        const outcomes = yield* Effect.forEach(people, change, { concurrency: POOL })
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })

  it("sign-ins of people who have the most sessions: nobody meets a deadlock, and the list stays full [accounts-6]", async () => {
    const { counts, failures } = await run(
      Effect.gen(function* () {
        const [sql, accounts] = [yield* SqlClient, yield* AccountStore]
        const people = yield* Effect.forEach(Array.from({ length: 8 }), () => Fixtures.user)
        const now = yield* Timestamp.now
        for (const { id } of people) {
          const hashes = Array.from({ length: Session.MOST }, fresh)
          const [opened, expires] = [new Date(now), new Date(now + Timestamp.DAY)]
          yield* sql`INSERT INTO sessions (session_hash, user_id, created_at, expires_at)
                     SELECT hash, ${id}, ${opened}::timestamptz, ${expires}::timestamptz
                     FROM unnest(${hashes}::text[]) AS many (hash)`
        }
        const signIns = Array.from({ length: 5 }, () => people).flat()
        const outcomes = yield* Effect.forEach(
          signIns,
          ({ id }) =>
            Effect.either(accounts.openSession(Session.open(fresh(), id, Timestamp.plus(now, 1)), signedIn(id, now))),
          { concurrency: POOL }
        )
        return {
          counts: yield* Effect.forEach(people, ({ id }) =>
            Effect.map(accounts.listSessions(id, now), (all) => all.length)
          ),
          failures: outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
        }
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
    expect(new Set(counts)).toEqual(new Set([Session.MOST]))
  })

  it("confirmed sign-ups and deletions of other people's accounts: nobody meets a deadlock [deletions-2]", async () => {
    const failures = await run(
      Effect.gen(function* () {
        const [credentials, deletions] = [yield* CredentialStore, yield* AccountDeletionStore]
        const signUp = Effect.gen(function* () {
          const owner = yield* Fixtures.user
          const userId = UserId.make(yield* Entropy.id("usr"))
          const email = Account.Email.make(`${userId}@example.com`.toLowerCase())
          const wanted = { ...owner, userId, email, passwordHash: "hash", keep: null, returnTo: "/" }
          const request = SignUpRequest.withLink(wanted)(fresh(), yield* Timestamp.now)
          yield* credentials.requestSignUp(request, { to: userId, dedupeKey: "sign_up", subject: "New", body: "New" })
          return { owner, request }
        })
        const people = yield* Effect.all(
          Array.from({ length: 20 }, () => signUp),
          { concurrency: 4 }
        )
        const both = people.flatMap(({ owner, request }) => [
          Effect.asVoid(credentials.confirmSignUp(request.hash, SignUpRequest.confirm)),
          Effect.asVoid(deletions.begin(owner.id, AccountDeletion.decide))
        ])
        const outcomes = yield* Effect.all(both.map(Effect.either), { concurrency: POOL })
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })

  it("a deletion that waits refuses nobody's sign-in or sign-out, and delays them only on a cluster [deletions-2]", () =>
    run(
      Effect.gen(function* () {
        const [sql, accounts, deletions] = [yield* SqlClient, yield* AccountStore, yield* AccountDeletionStore]
        const [owner, other, now] = [yield* Fixtures.user, yield* Fixtures.user, yield* Timestamp.now]
        const app = yield* Fixtures.app(owner.id)
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* sql`SELECT 1 FROM apps WHERE app_id = ${app.id} FOR UPDATE`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        const deleting = yield* Effect.fork(deletions.begin(owner.id, AccountDeletion.decide))
        yield* Effect.repeat(lockWaits(server, sql), { until: (waits) => waits >= 1, schedule: Schedule.spaced(10) })
        const session = Session.open(fresh(), other.id, now)
        const confirmed = { hash: fresh(), confirmedAt: now }
        const changes = yield* Effect.gen(function* () {
          yield* accounts.openSession(session)
          yield* accounts.renewSession({ ...session, seenAt: now })
          const isConfirmed = yield* accounts.confirmSession(session, confirmed)
          yield* accounts.closeSession(confirmed.hash)
          return [isConfirmed, yield* accounts.closeOtherSessions(other.id, null, now)]
        }).pipe(Effect.fork)
        const early = yield* Effect.timeoutOption(Fiber.join(changes), "1 second")
        expect(Option.isSome(early)).toBe(server.kind === "postgres")
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(changes)).toEqual([true, 0])
        expect(Option.exists(yield* Fiber.join(deleting), Either.isRight)).toBe(true)
      }).pipe(Effect.withClock(Clock.make()))
    ))

  it("an event that cannot be stored takes its change with it: nothing happens unrecorded [audit-1]", async () => {
    await run(
      Effect.gen(function* () {
        const [accounts, endpoints] = [yield* AccountStore, yield* EndpointStore]
        const owner = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id)
        const now = yield* Timestamp.now
        const [hash, kept] = [randomBytes(32), randomBytes(32)].map((bytes) => Vault.Hash.make(bytes.toString("hex")))
        yield* accounts.openSession(Session.open(kept!, owner.id, now))
        const made: WebhookEndpoint.WebhookEndpoint = {
          appId: app.id,
          id: EndpointId.make(yield* Entropy.id("ep")),
          url: EndpointUrl.EndpointUrl.make("https://hooks.example.com/in"),
          events: [],
          description: null,
          disabledAt: null,
          epoch: 0,
          strikes: 0,
          headers: [],
          secrets: [{ sealed: Vault.Sealed.make("sealed"), createdAt: now, expiresAt: null }],
          createdAt: now
        }
        yield* endpoints.create(made)
        const refused = [
          yield* Effect.isFailure(accounts.openSession(Session.open(hash!, owner.id, now), broken(owner.id, now))),
          yield* Effect.isFailure(accounts.closeOtherSessions(owner.id, null, now, () => broken(owner.id, now))),
          yield* Effect.isFailure(
            endpoints.update(
              app.id,
              made.id,
              (before) => ({ ...before, strikes: 9 }),
              (at) => broken(owner.id, at)
            )
          )
        ]
        expect(refused).toEqual([true, true, true])
        expect((yield* accounts.listSessions(owner.id, now)).map((one) => one.hash)).toEqual([kept])
        expect(yield* endpoints.find(app.id, made.id)).toEqual(Option.some(made))
      })
    )
  })

  it("links and accounts that are made by mail: without the event nothing of them is stored [audit-1]", async () => {
    await run(
      Effect.gen(function* () {
        const [accounts, credentials] = [yield* AccountStore, yield* CredentialStore]
        const owner = yield* Fixtures.user
        const now = yield* Timestamp.now
        const [offered, unlock] = [
          AccountLink.make("password_reset", fresh(), owner, now),
          AccountLink.make("unlock", fresh(), owner, now)
        ]
        yield* credentials.offerLink(unlock, null)
        const userId = UserId.make(yield* Entropy.id("usr"))
        const applicant = { ...owner, userId, email: Account.Email.make(`${userId}@example.com`.toLowerCase()) }
        const request = SignUpRequest.withLink({ ...applicant, passwordHash: "hash", keep: null, returnTo: "/" })(
          fresh(),
          now
        )
        yield* credentials.requestSignUp(request, { to: userId, dedupeKey: "sign_up", subject: "New", body: "New" })
        const refused = [
          yield* Effect.isFailure(credentials.offerLink(offered, null, broken(owner.id, now))),
          yield* Effect.isFailure(credentials.useLink(owner.id, unlock.hash, () => broken(owner.id, now))),
          yield* Effect.isFailure(
            credentials.confirmSignUp(request.hash, (found, at) => {
              const confirmed = SignUpRequest.confirm(found, at)
              return confirmed === null ? null : { ...confirmed, audit: broken(userId, at) }
            })
          )
        ]
        expect(refused).toEqual([true, true, true])
        const links = yield* Effect.forEach([offered, unlock], ({ hash }) => credentials.findLink(hash))
        expect(links.map(Option.isSome)).toEqual([false, true])
        expect(yield* accounts.find(userId)).toEqual(Option.none())
        expect(Option.isSome(yield* credentials.findSignUp(request.hash))).toBe(true)
      })
    )
  })
})
