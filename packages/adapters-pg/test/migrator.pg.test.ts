import { layerPostgres, Migrator } from "@place-access/adapters-pg"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { describePg, freshDatabase } from "./support/postgres.js"

describePg("migrate", () => {
  it("several processes may start at once: one works, all succeed", async () => {
    const { url, drop } = await freshDatabase()
    try {
      const start = Migrator.migrate.pipe(
        Effect.provide(layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" }))
      )
      const applied = await Effect.runPromise(
        Effect.all(
          Array.from({ length: 6 }, () => start),
          { concurrency: "unbounded" }
        )
      )
      expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
    } finally {
      await drop()
    }
  })
})
