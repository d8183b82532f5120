import { Effect, Layer, Option } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import * as AccountLimits from "../../../src/quotas/AccountLimits.js"
import type { TestAccount } from "../../../src/test-people/TestPerson.js"
import { TestPersonStore } from "../../../src/test-people/TestPersonStore.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

const isTestAccount = (account: Account): account is TestAccount => account.testOf !== null

export const layer: Layer.Layer<TestPersonStore, never, MemoryDatabase> = Layer.effect(
  TestPersonStore,
  Effect.map(MemoryDatabase, ({ accounts, apps }) => {
    const all = () =>
      [...accounts.values()]
        .map(({ account }) => account)
        .filter(isTestAccount)
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    const isAvailable = ({ testOf }: TestAccount): boolean => {
      const app = apps.get(testOf)?.app
      return app !== undefined && app.status !== "production" && app.revokedAt === null
    }
    return TestPersonStore.of({
      create: (account) =>
        Effect.sync(() => {
          if (!isAvailable(account)) return "unavailable"
          const own = all().filter(({ testOf }) => testOf === account.testOf)
          if (own.length >= AccountLimits.TEST_PEOPLE.most) return "full"
          accounts.set(account.id, { account, passwordHash: "", passwordVersion: 0 })
          return "created"
        }),
      list: (appId) => Effect.sync(() => all().filter(({ testOf }) => testOf === appId)),
      find: (appId, id) =>
        Effect.sync(() => Option.fromNullable(all().find((account) => account.testOf === appId && account.id === id))),
      listStray: (limit) =>
        Effect.sync(() =>
          all()
            .filter((account) => !isAvailable(account))
            .map(({ id }) => id)
            .slice(0, limit)
        )
    })
  })
)
