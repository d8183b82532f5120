import { NodeVault } from "@place-access/adapters-pg"
import { Data } from "@place-access/worker"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Either, Redacted } from "effect"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { acceptWrites } from "../../../../packages/adapters-pg/test/support/acceptWrites.js"
import { describePg, postgres, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"

const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))

describePg("driver", "a program that starts while its database accepts no writes", () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await postgres.migratedDatabase()
  })
  afterAll(() => database.drop())

  it("waits, and goes on by itself when the database accepts writes", async () => {
    await acceptWrites(database.url, false)
    const missing: Array<string> = []
    const opened = Effect.runPromise(
      Effect.provide(
        SqlClient,
        Data.withKeys({ _tag: "Postgres", url: Redacted.make(database.url), poolSize: 4, keys }, "test", {
          patience: "60 seconds",
          onMissing: (what) => missing.push(what)
        })
      )
    )
    await vi.waitUntil(() => missing.filter((what) => what === "the database accepts no writes").length > 1, {
      timeout: 60_000
    })
    await acceptWrites(database.url, true)
    expect(await opened).toBeDefined()
  })
})
