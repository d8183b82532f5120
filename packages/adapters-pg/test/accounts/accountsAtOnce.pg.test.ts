import { SqlAccountDeletionStore, SqlAccountStore, SqlCredentialStore } from "@place-access/adapters-pg"
import { AccountStore, Session } from "@place-access/domain/accounts"
import { CredentialStore } from "@place-access/domain/credentials"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Effect, Either, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlCredentialStore.layer, SqlAccountDeletionStore.layer)

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
              yield* accounts.openSession(Session.open(hash, account.id, now))
              const notice = { to: account.id, dedupeKey: `new ${now}`, subject: "New", body: "New" }
              yield* index % 3 === 0
                ? deletions.begin(account.id, AccountDeletion.decide)
                : index % 3 === 1
                  ? credentials.replacePassword(account.id, null, () => ({ passwordHash: "new", keeps: hash, notice }))
                  : accounts.addRoles(account.id, ["developer"])
            }).pipe(Effect.either),
          { concurrency: "unbounded" }
        )
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })
})
