import {
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlAppStore,
  SqlCredentialStore,
  SqlEndpointStore
} from "@place-access/adapters-pg"
import { Account, AccountStore, Session } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountLink, CredentialStore, PasswordChange, SignUpRequest } from "@place-access/domain/credentials"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { EndpointStore, EndpointUrl, type WebhookEndpoint } from "@place-access/domain/endpoints"
import { EndpointId, Entropy, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Effect, Either, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlCredentialStore.layer,
  SqlAccountDeletionStore.layer,
  SqlEndpointStore.layer
)

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
          { concurrency: "unbounded" }
        )
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })

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
          yield* Effect.isFailure(accounts.closeOtherSessions(owner.id, null, () => broken(owner.id, now))),
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
        const fresh = () => Vault.Hash.make(randomBytes(32).toString("hex"))
        const [offered, unlock] = [
          AccountLink.make("password_reset", fresh(), owner, now),
          AccountLink.make("unlock", fresh(), owner, now)
        ]
        yield* credentials.offerLink(unlock, null)
        const userId = UserId.make(yield* Entropy.id("usr"))
        const asked = { ...owner, userId, email: Account.Email.make(`${userId}@example.com`.toLowerCase()) }
        const request = SignUpRequest.withLink({ ...asked, passwordHash: "hash", keep: null, returnTo: "/" })(
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
