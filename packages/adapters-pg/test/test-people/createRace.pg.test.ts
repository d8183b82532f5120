import { SqlAccountStore, SqlAppStore, SqlAuditLog, SqlTestPersonStore } from "@place-access/adapters-pg"
import { Account } from "@place-access/domain/accounts"
import { AppStore } from "@place-access/domain/apps"
import { Entropy, Timestamp, UserId } from "@place-access/domain/shared"
import { TestPerson, TestPersonStore } from "@place-access/domain/test-people"
import { Fixtures } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { overlapping } from "../support/overlapping.js"
import { describeServers } from "../support/postgres.js"

describeServers("a test person who is made while the app is approved", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlAuditLog.layer, SqlTestPersonStore.layer)
  )

  it("is refused: the creation waits for the approval, and an app in production has no test people [test-people-3]", () =>
    run(
      Effect.gen(function* () {
        const [apps, people] = [yield* AppStore, yield* TestPersonStore]
        const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "in_review" })
        const id = UserId.make(yield* Entropy.id("usr"))
        const person = TestPerson.account(id, app.id, Account.DisplayName.make("Robin"), yield* Timestamp.now)
        const approval = apps.update(app.id, (before) => ({
          outcome: 0,
          after: { ...before, app: { ...before.app, status: "production" } }
        }))
        const [, made] = yield* overlapping(server, approval, people.create(person))
        expect(made).toBe("unavailable")
        expect(yield* people.list(app.id)).toEqual([])
      })
    ))
})
