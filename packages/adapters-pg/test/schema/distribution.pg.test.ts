import { Distribution, layerPostgres, Migrator, Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Redacted } from "effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import { PLACES } from "../support/catalogueContract.js"
import { ask, callsOf, installStandIn } from "../support/citusStandIn.js"
import { describePg, freshDatabase } from "../support/postgres.js"

describePg("standIn", "db distribute, over a stand-in for Citus", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(() => database.drop())

  const on = (applicationName: string) =>
    layerPostgres({ url: Redacted.make(database.url), poolSize: 4, applicationName })

  const migrate = () =>
    Effect.zipRight(Migrator.migrate, Partitions.ensurePartitions(Timestamp.make(Date.UTC(2026, 0, 15)))).pipe(
      Effect.provide(on("test")),
      Effect.runPromise
    )

  /** Runs the command. Returns the lines that it printed, and the reason when it refused. */
  const run = async ({ dryRun = false, shards = 64 } = {}) => {
    const lines: Array<string> = []
    const ended = await Distribution.distribute({
      dryRun,
      shards,
      say: (line) => Effect.sync(() => void lines.push(line))
    }).pipe(Effect.either, Effect.provide(on("place-access db distribute")), Effect.runPromise)
    return { lines, refusal: Either.isLeft(ended) ? ended.left.message : undefined }
  }

  const foreignKeys = () =>
    ask(
      database.url,
      `SELECT conrelid::regclass::text AS "from", conname AS name, pg_get_constraintdef(oid) AS is FROM pg_constraint
       WHERE contype = 'f' ORDER BY 1, 2, 3`
    )

  it("without the extension it says so, before it writes anything", async () => {
    const { refusal, lines } = await run()
    expect(refusal).toContain("CREATE EXTENSION citus")
    expect(refusal).toContain("Nothing was changed")
    expect(lines).toEqual([])
    expect(await ask(database.url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual(
      []
    )
  })

  it("without our schema it asks for it", async () => {
    await installStandIn(database.url)
    expect((await run()).refusal).toContain("npm start -- migrate")
    expect(await callsOf(database.url)).toEqual([])
  })

  it("copies the shared tables, spreads every other one by the first column of its key, and keeps the foreign keys", async () => {
    await migrate()
    await installStandIn(database.url)
    const keysBefore = await foreignKeys()
    expect(keysBefore.length).toBeGreaterThan(0)
    const { refusal, lines } = await run({ shards: 32 })
    expect(refusal).toBeUndefined()

    const calls = await callsOf(database.url)
    // Compares the recorded calls, without the table with which each table is colocated.
    expect(calls.map((call) => call.replace(/ with .*/, "")).sort()).toEqual(
      Array.from(PLACES, ([table, key]) => (key === null ? `copy ${table}` : `spread ${table} by ${key}`)).sort()
    )
    for (const call of [
      "spread connections by user_id with none over 32",
      "spread access_tokens by user_id with connections over ",
      "spread fixes by user_id with connections over ",
      "spread endpoints by app_id with none over 32",
      "spread deliveries by app_id with endpoints over ",
      "spread connection_routes by connection_id with none over 32",
      "spread rate_windows by subject with none over 32"
    ]) {
      expect(calls).toContain(call)
    }
    const left = await ask(
      database.url,
      `SELECT relname FROM pg_class c WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT FROM citus.pg_dist_partition p WHERE p.logicalrelid = c.oid)`
    )
    expect(left, "tables that are nowhere").toEqual([])
    const groups = await ask(
      database.url,
      `SELECT partkey, count(DISTINCT colocationid)::integer AS groups FROM citus.pg_dist_partition
       WHERE partkey IN ('user_id', 'app_id') GROUP BY 1 ORDER BY 1`
    )
    expect(groups, "rows of one person lie together, and those of one app").toEqual([
      { partkey: "app_id", groups: 1 },
      { partkey: "user_id", groups: 1 }
    ])
    expect(await foreignKeys()).toEqual(keysBefore)
    expect(lines).toContain("connections: spread by user_id over 32 shards")
    expect(lines.at(-1)).toBe(`${calls.length} tables were moved, 0 had been moved before.`)
  })

  it("can be repeated: what was moved stays, and what a later migration made is moved", async () => {
    await migrate()
    await installStandIn(database.url)
    await run()
    const calls = await callsOf(database.url)
    expect((await run()).lines.at(-1)).toBe(`0 tables were moved, ${calls.length} had been moved before.`)
    await ask(database.url, "CREATE TABLE diaries (user_id text, day date, PRIMARY KEY (user_id, day))")
    await run()
    expect((await callsOf(database.url)).slice(calls.length)).toEqual([
      "spread diaries by user_id with connections over "
    ])
  })

  it("tables and constraints may have any name", async () => {
    await migrate()
    await installStandIn(database.url)
    await ask(
      database.url,
      `CREATE TABLE "Diary's ""days""" (user_id text, day date, PRIMARY KEY (user_id, day));
       ALTER TABLE purposes ADD CONSTRAINT "the ""app's"" own" FOREIGN KEY (app_id) REFERENCES apps (app_id);
       ALTER TABLE purposes ADD CONSTRAINT "order" FOREIGN KEY (app_id) REFERENCES apps (app_id)`
    )
    const keysBefore = await foreignKeys()
    const { refusal, lines } = await run()
    expect(refusal).toBeUndefined()
    expect(lines).toContain(`Diary's "days": spread by user_id, beside connections`)
    expect(await callsOf(database.url)).toContain(`spread "Diary's ""days""" by user_id with connections over `)
    expect(await foreignKeys()).toEqual(keysBefore)
  })

  it("goes on where a step failed, and says what failed", async () => {
    await migrate()
    await installStandIn(database.url)
    await ask(
      database.url,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.call LIKE 'spread places%' THEN RAISE 'a node is away'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON citus.calls FOR EACH ROW EXECUTE FUNCTION fail()`
    )
    const { refusal } = await run()
    expect(refusal).toContain("places could not be moved: a node is away")
    expect(await callsOf(database.url)).not.toContain("spread places by user_id with connections over ")
    await ask(database.url, "DROP TRIGGER fail ON citus.calls")
    expect((await run()).refusal).toBeUndefined()
    expect(await callsOf(database.url)).toContain("spread places by user_id with connections over ")
  })

  it("--dry-run prints statements that do the same when they are run, and changes nothing itself", async () => {
    await migrate()
    await installStandIn(database.url)
    const { lines } = await run({ dryRun: true })
    expect(await callsOf(database.url)).toEqual([])
    await ask(database.url, lines.join("\n"))
    const byHand = await callsOf(database.url)
    expect(byHand.length).toBeGreaterThan(30)
    expect((await run()).lines.at(-1)).toBe(`0 tables were moved, ${byHand.length} had been moved before.`)
  })

  it("refuses, before it writes anything, a schema that cannot be spread", async () => {
    await migrate()
    await installStandIn(database.url)
    await ask(
      database.url,
      `CREATE TABLE diaries (diary_id text PRIMARY KEY);
       CREATE UNIQUE INDEX one_token ON devices (token_hash);
       ALTER TABLE places ADD CONSTRAINT places_owner FOREIGN KEY (user_id) REFERENCES upload_streams (user_id);
       SELECT create_distributed_table('stays', 'device_id', colocate_with => 'none')`
    )
    const { refusal } = await run()
    expect(refusal).toContain("diaries: its primary key begins with nothing that rows are spread by")
    expect(refusal).toContain("devices: one_token is unique without user_id")
    expect(refusal).toContain("places: places_owner leads to upload_streams")
    expect(refusal).toContain("stays: it is spread by device_id already")
    expect(refusal).toContain("Nothing was changed")
    expect(await callsOf(database.url)).toEqual(["spread stays by device_id with none over "])
  })

  it("refuses while programs of the service are connected", async () => {
    await migrate()
    await installStandIn(database.url)
    const refused = await Effect.promise(() => run()).pipe(Effect.provide(on("place-access worker")), Effect.runPromise)
    expect(refused.refusal).toContain("Stop the service first: place-access worker is connected")
    expect(await callsOf(database.url)).toEqual([])
  })
})
