import { layerPostgres, Migrator, NodeVault } from "@place-access/adapters-pg"
import type { Settings } from "@place-access/worker"
import { Effect, Either, Option, Redacted } from "effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import { ask, callsOf, installStandIn } from "../../../../packages/adapters-pg/test/support/citusStandIn.js"
import { describePg, freshDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { distribute } from "../../src/cli/distribute.js"
import { outputOf } from "../support/outputOf.js"

const run = (storage: Settings.Storage, dryRun = false) => outputOf(distribute({ dryRun, shards: 64 }, storage))

describePg("standIn", "db distribute, as a command", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let storage: Settings.Storage
  beforeEach(async () => {
    database = await freshDatabase()
    const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("test"))))
    storage = { _tag: "Postgres", url: Redacted.make(database.url), poolSize: 4, keys }
  })
  afterEach(() => database.drop())

  it("is refused on the embedded database and without the extension; no migration runs first", async () => {
    const embedded: Settings.Storage = { _tag: "Embedded", dataDir: "/nowhere", keys: Option.none() }
    expect(await run(embedded)).toContain("set DATABASE_URL. Nothing was changed.")
    expect(await run(storage)).toContain("no Citus extension")
    expect(await ask(database.url, "SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([])
  })

  it("prints statements, or what it does", async () => {
    await Migrator.migrate.pipe(
      Effect.provide(layerPostgres({ url: Redacted.make(database.url), poolSize: 4, applicationName: "test" })),
      Effect.runPromise
    )
    await installStandIn(database.url)
    const shown = await run(storage, true)
    expect(shown).toContain("SELECT create_distributed_table('places', 'user_id', colocate_with => 'connections');")
    expect(await callsOf(database.url)).toEqual([])
    expect(await run(storage)).toContain("places: spread by user_id, beside connections")
    expect(await callsOf(database.url)).toContain("spread places by user_id with connections over ")
  })
})
