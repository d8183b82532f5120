import { layerPostgres, Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { type Duration, Effect, Redacted } from "effect"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import { ask } from "../support/citusStandIn.js"
import { describePg, describeServers, postgres, type TestDatabase } from "../support/postgres.js"

const NOW = Timestamp.make(Date.UTC(2031, 5, 15))

const ensureOn = (url: string, limit?: Duration.DurationInput) =>
  Partitions.ensurePartitions(NOW, limit).pipe(
    Effect.provide(layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })),
    Effect.runPromise
  )

const insert = (user: string, from: string, count: number) =>
  `INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
   SELECT '${user}', '${from}'::timestamptz + n * interval '1 minute', 'dev_1', 1, 2, '2031-06-15'
   FROM generate_series(1, ${count}) n`

/** A number of rows of old history that is too large to be read under an exclusive lock. */
const OLD_ROWS = 10_100

/** Fills the DEFAULT partition. From now on, each row of the user `usr_slow` takes 50 ms to write, or to move. */
const prepare = async (url: string) => {
  await ask(
    url,
    `CREATE FUNCTION slowly(user_id text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
       $$ BEGIN IF user_id = 'usr_slow' THEN PERFORM pg_sleep(0.05); END IF; RETURN user_id; END $$`
  )
  await ask(url, "CREATE INDEX fixes_slow ON fixes (user_id, slowly(user_id))")
  // An autovacuum would call `slowly` for each row to analyse the table, and would hold for seconds a lock that
  // `ensurePartitions` needs.
  await ask(url, "ALTER TABLE fixes_default SET (autovacuum_enabled = off)")
  await ask(url, insert("usr_old", "2015-01-01", OLD_ROWS))
}

const closings = (url: string) =>
  ask(url, "SELECT conname FROM pg_constraint WHERE conname LIKE 'fixes\\_default\\_without\\_%'")

const countIn = async (url: string, table: string) => {
  const [row] = await ask(url, `SELECT count(*)::int AS rows FROM ${table}`)
  return row?.["rows"]
}

describeServers("making a partition beside a large DEFAULT partition", (server) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await server.migratedDatabase()
    await prepare(database.url)
  })
  afterEach(() => database.drop())

  it("readers and writers of other months go on while the rows of the month are moved [sweeps-3]", async () => {
    const { url } = database
    await ask(url, insert("usr_slow", "2031-06-10", 60))
    const other = new pg.Client({ connectionString: url, lock_timeout: 1_000 })
    await other.connect()
    try {
      const run = { isOver: false }
      const making = ensureOn(url).finally(() => (run.isOver = true))
      let rounds = 0
      for (; !run.isOver; rounds++) {
        await other.query(insert("usr_other", `${1900 + rounds}-01-01`, 1))
        await other.query("SELECT count(*) FROM fixes WHERE user_id = 'usr_other' AND captured_at < '2031-01-01'")
      }
      expect(await making).toContain("fixes_2031_06")
      expect(rounds).toBeGreaterThan(5)
    } finally {
      await other.end()
    }
    expect(await countIn(url, "fixes_2031_06")).toBe(60)
    expect(await closings(url)).toEqual([])
  })

  it("a table that takes longer than the limit is left to a later run, and its rows have a place meanwhile [sweeps-3]", async () => {
    const { url } = database
    // The move of 90 slow rows takes 4.5 s, longer than the limit of 3 s for one statement. A shorter limit could also
    // stop statements about other tables on a busy machine.
    await ask(url, insert("usr_slow", "2031-05-10", 90))
    const made = await ensureOn(url, "3 seconds")
    expect(made.filter((name) => name.startsWith("fixes"))).toEqual([])
    expect(made).toContain("access_log_2031_06")
    expect(await closings(url)).toEqual([])
    await ask(url, insert("usr_slow", "2031-05-20", 1))
    expect(await ensureOn(url)).toContain("fixes_2031_05")
    expect(await countIn(url, "fixes_2031_05")).toBe(91)
  })

  it("after a failure, a lock of four seconds on the DEFAULT partition delays the opening of the month [sweeps-3]", async () => {
    const { url } = database
    await ask(url, insert("usr_slow", "2031-05-10", 90))
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    try {
      const making = ensureOn(url, "2 seconds")
      await expect.poll(() => closings(url), { timeout: 60_000 }).not.toEqual([])
      // Takes the lock that an autovacuum takes.
      await other.query("BEGIN; LOCK TABLE ONLY fixes_default IN SHARE UPDATE EXCLUSIVE MODE")
      await other.query("SELECT pg_sleep(6)")
      expect(await closings(url)).not.toEqual([])
      await other.query("COMMIT")
      expect(await making).not.toContain("fixes_2031_05")
    } finally {
      await other.end()
    }
    expect(await closings(url)).toEqual([])
  })

  it("a month that is closed although it has its partition is opened by the next run [sweeps-3]", async () => {
    const { url } = database
    expect(await ensureOn(url)).toContain("fixes_2031_06")
    await ask(
      url,
      `ALTER TABLE fixes_default ADD CONSTRAINT fixes_default_without_2031_06
         CHECK (captured_at < '2031-06-01Z' OR captured_at >= '2031-07-01Z') NOT VALID`
    )
    await ensureOn(url)
    expect(await closings(url)).toEqual([])
  })

  it("after a run that failed, rows of its month go to the DEFAULT partition again [sweeps-3]", async () => {
    const { url } = database
    await ask(url, insert("usr_new", "2031-05-10", 1))
    await ask(url, "CREATE TABLE fixes_2031_05 (name text)")
    await expect(ensureOn(url)).rejects.toThrow("The store failed")
    expect(await closings(url)).toEqual([])
    await ask(url, insert("usr_new", "2031-05-20", 1))
    await ask(url, "DROP TABLE fixes_2031_05")
    expect(await ensureOn(url)).toContain("fixes_2031_05")
    expect(await countIn(url, "fixes_2031_05")).toBe(2)
  })
})

describePg("plans", "what making a partition reads", () => {
  it("the DEFAULT partition twice, and never under the exclusive lock of ATTACH [sweeps-3]", async () => {
    const { drop, url } = await postgres.migratedDatabase()
    try {
      await ask(url, insert("usr_old", "2015-01-01", OLD_ROWS))
      const read = async () => {
        const [row] = await ask(
          url,
          "SELECT seq_tup_read::int AS rows FROM pg_stat_user_tables WHERE relname = 'fixes_default'"
        )
        return Number(row?.["rows"])
      }
      const before = await read()
      expect(await ensureOn(url)).toHaveLength(12)
      // Four times, a partition of `fixes` is made. Each time, the service reads 10,001 rows to see that the DEFAULT
      // partition is large, and then reads all of its rows twice. A connection reports what it read only when it ends,
      // so the test polls.
      await expect.poll(read, { timeout: 10_000 }).toBe(before + 4 * (10_001 + 2 * OLD_ROWS))
    } finally {
      await drop()
    }
  })
})
