import { Distribution, layerPostgres, Migrator, Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Redacted } from "effect"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import { PLACES } from "../support/catalogueContract.js"
import { ask } from "../support/citusStandIn.js"
import { describeCitus, type TestDatabase } from "../support/postgres.js"

/** The number of users. With 40 users, every node has rows of some of them. */
const USERS = 40

describeCitus("db distribute", (citus) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await citus.freshDatabase()
  })
  afterEach(() => database.drop())

  const on = (applicationName: string) =>
    layerPostgres({ url: Redacted.make(database.url), poolSize: 4, applicationName })

  const migrate = () =>
    Effect.zipRight(Migrator.migrate, Partitions.ensurePartitions(Timestamp.make(Date.UTC(2026, 0, 15)))).pipe(
      Effect.provide(on("test")),
      Effect.runPromise
    )

  /** Distributes the tables. Returns the last line that `say` got, and the reason when `distribute` refused. */
  const run = async ({ dryRun = false } = {}) => {
    const lines: Array<string> = []
    const ended = await Distribution.distribute({
      dryRun,
      shards: 4,
      say: (line) => Effect.sync(() => void lines.push(line))
    }).pipe(Effect.either, Effect.provide(on("place-access db distribute")), Effect.runPromise)
    return { last: lines.at(-1), refusal: Either.isLeft(ended) ? ended.left.message : undefined }
  }

  const sql = (statement: string) => ask(database.url, statement)

  /** The column by which each table is distributed; null for a table that every node has a copy of. */
  const placed = async () => {
    const rows = await sql(
      `SELECT t.relname AS name, CASE WHEN p.partkey IS NOT NULL THEN column_to_column_name(p.logicalrelid, p.partkey) END AS key
       FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid WHERE NOT t.relispartition`
    )
    return new Map(rows.map((row) => [String(row["name"]), row["key"] as string | null]))
  }

  const fill = () =>
    sql(
      `INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
         SELECT 'usr_' || i, i || '@example.com', 'Ada', '', '{}', '2026-01-01' FROM generate_series(1, ${USERS}) i;
       INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
         SELECT 'usr_' || i, '2025-12-01'::timestamptz + n * interval '10 days', 'dev_1', 1, 2, '2026-01-15'
         FROM generate_series(1, ${USERS}) i, generate_series(0, 9) n`
    )

  const counts = () =>
    sql(`SELECT (SELECT count(*)::int FROM accounts) AS accounts, (SELECT count(*)::int FROM fixes) AS fixes`)

  it("an empty database: every table is where the list says, partitions too, and a second run moves nothing", async () => {
    await migrate()
    expect((await run()).refusal).toBeUndefined()
    expect(await placed()).toEqual(new Map(PLACES))
    expect((await run()).last).toBe(`0 tables were moved, ${PLACES.size} had been moved before.`)
    expect(await placed()).toEqual(new Map(PLACES))
  })

  it("a full database: every row is there afterwards, also in its month, and every node has some", async () => {
    await migrate()
    await fill()
    const before = await counts()
    expect((await run()).refusal).toBeUndefined()
    expect(await counts()).toEqual(before)
    expect(before).toEqual([{ accounts: USERS, fixes: USERS * 10 }])
    const nodes = await sql(
      `SELECT count(DISTINCT nodeport)::int AS nodes FROM citus_shards WHERE table_name = 'fixes_2026_01'::regclass`
    )
    expect(nodes).toEqual([{ nodes: 2 }])
    expect(await sql("SELECT count(*)::int AS rows FROM fixes_2026_01")).toEqual([{ rows: USERS * 3 }])
    expect(await sql("SELECT count(*)::int AS rows FROM fixes WHERE user_id = 'usr_7'")).toEqual([{ rows: 10 }])
  })

  it("after a step that failed it goes on there, with the rows of both", async () => {
    await migrate()
    await fill()
    // Citus refuses to distribute a table that has a trigger.
    await sql(
      `CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
       CREATE TRIGGER nothing BEFORE INSERT ON fixes FOR EACH ROW EXECUTE FUNCTION nothing()`
    )
    const before = await counts()
    const { refusal } = await run()
    expect(refusal).toContain("fixes could not be moved")
    expect(refusal).toContain("What was moved before stays moved")
    expect((await placed()).has("fixes")).toBe(false)
    expect((await placed()).get("connections")).toBe("user_id")
    expect(await counts()).toEqual(before)
    await sql("DROP TRIGGER nothing ON fixes")
    expect((await run()).refusal).toBeUndefined()
    expect(await placed()).toEqual(new Map(PLACES))
    expect(await counts()).toEqual(before)
  })

  it("after an upgrade that brought a table, the table goes beside the others; a month made meanwhile is distributed already", async () => {
    await migrate()
    await run()
    await Partitions.ensurePartitions(Timestamp.make(Date.UTC(2026, 5, 15))).pipe(
      Effect.provide(on("test")),
      Effect.runPromise
    )
    await sql("CREATE TABLE diaries (user_id text, day date, PRIMARY KEY (user_id, day))")
    expect((await run()).last).toBe(`1 tables were moved, ${PLACES.size} had been moved before.`)
    const groups = await sql(
      `SELECT count(DISTINCT colocationid)::int AS groups FROM pg_dist_partition
       WHERE logicalrelid IN ('diaries'::regclass, 'connections'::regclass, 'fixes_2026_06'::regclass)`
    )
    expect(groups).toEqual([{ groups: 1 }])
  })

  it("with a program of the service running it refuses, names it, and changes nothing", async () => {
    await migrate()
    const { refusal } = await Effect.promise(() => run()).pipe(
      Effect.provide(on("place-access worker")),
      Effect.runPromise
    )
    expect(refusal).toContain("Stop the service first: place-access worker is connected")
    expect(await placed()).toEqual(new Map())
    expect((await run({ dryRun: true })).refusal).toBeUndefined()
    expect(await placed()).toEqual(new Map())
  })

  it("with a program that is connected to another node it refuses, too [settings-2]", async () => {
    await migrate()
    const other = new pg.Client({ connectionString: database.urls[1], application_name: "place-access server" })
    await other.connect()
    try {
      expect((await run()).refusal).toContain("Stop the service first: place-access server is connected")
    } finally {
      await other.end()
    }
    expect(await placed()).toEqual(new Map())
  })
})
