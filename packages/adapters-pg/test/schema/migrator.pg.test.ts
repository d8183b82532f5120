import { layerPostgres, Migrator } from "@place-access/adapters-pg"
import { Effect, Logger, Redacted, Schedule } from "effect"
import pg from "pg"
import { expect, it } from "vitest"
import { describeServers } from "../support/postgres.js"

describeServers("migrate", ({ freshDatabase }) => {
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

  it("waits for a backup without holding up the running version, and goes on when the backup has ended", async () => {
    const { url, drop } = await freshDatabase()
    const [backup, running] = [
      new pg.Client({ connectionString: url }),
      // This connection runs the statements of the running version. Their lock time-out is shorter than that of the
      // service (Postgres.ts), so a wait behind the migration fails the test early.
      new pg.Client({ connectionString: url, lock_timeout: 2_000 })
    ]
    try {
      await Promise.all([backup.connect(), running.connect()])
      const database = layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })
      const first = { id: 1, name: "0001_one", statements: ["CREATE TABLE one (id int)", "CREATE TABLE two (id int)"] }
      const second = {
        id: 2,
        name: "0002_more",
        statements: ["ALTER TABLE two ADD COLUMN more int", "ALTER TABLE one ADD COLUMN more int"]
      }
      await Effect.runPromise(Effect.provide(Migrator.migrateWith([first]), database))
      // Takes the same lock as `pg_dump`: ACCESS SHARE.
      await backup.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
      await backup.query("LOCK TABLE one IN ACCESS SHARE MODE")

      const messages: Array<string> = []
      const applied = Effect.runPromise(
        Migrator.migrateWith([first, second]).pipe(
          Effect.provide(database),
          Effect.provide(
            Logger.replace(
              Logger.defaultLogger,
              Logger.make(({ message }) => void messages.push(String(message)))
            )
          )
        )
      )
      // If these statements had to wait behind the migration, their lock time-out would end them with error 55P03.
      // `messages` has one line for each failed try of the migration.
      while (messages.length < 3) await running.query("SELECT 1 FROM one, two")
      expect(messages[0]).toContain("A migration needs a table that is in use, perhaps by a backup or an autovacuum")
      expect(messages[0]).toContain("canceling statement due to lock timeout")
      await backup.query("COMMIT")
      expect(await applied).toEqual(["0002_more"])
      expect((await running.query("SELECT one.more FROM one, two")).rows).toEqual([])
    } finally {
      await Promise.all([backup.end(), running.end()])
      await drop()
    }
  })

  it("waits 200 ms for a lock, and in every tenth try 1.5 s, after which PostgreSQL has ended an autovacuum", async () => {
    const { url, drop } = await freshDatabase()
    try {
      // The statement fails like a statement that waited too long for a lock. The error's message contains the setting.
      const statement = `DO $$ BEGIN
        RAISE lock_not_available USING MESSAGE = 'after ' || current_setting('lock_timeout');
      END $$`
      const messages: Array<string> = []
      const logger = Logger.make(({ message }) => void messages.push(String(message)))
      await Migrator.migrateWith([{ id: 1, name: "0001_busy", statements: [statement] }], Schedule.recurs(20)).pipe(
        Effect.flip,
        Effect.provide(layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Effect.runPromise
      )
      const nine = Array.from({ length: 9 }, () => "200ms")
      expect(messages.map((text) => /after (\w+)/.exec(text)?.[1])).toEqual([
        ...nine,
        "1500ms",
        ...nine,
        "1500ms",
        "200ms"
      ])
      expect(messages[0]).toContain("perhaps by a backup or an autovacuum")
    } finally {
      await drop()
    }
  })

  it("refuses an empty database whose encoding is not UTF-8, and changes nothing in it [settings-5]", async () => {
    const { url, drop } = await freshDatabase()
    const client = new pg.Client({ connectionString: url })
    const latin = new URL(url)
    latin.pathname += "_latin1"
    const name = latin.pathname.slice(1)
    try {
      await client.connect()
      await client.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
      const refused = await Effect.all([Effect.flip(Migrator.migrate), Migrator.missing]).pipe(
        Effect.provide(layerPostgres({ url: Redacted.make(latin.href), poolSize: 4, applicationName: "test" })),
        Effect.runPromise
      )
      expect(refused[0]).toMatchObject({ _tag: "MigrationRefused", message: expect.stringContaining("LATIN1") })
      expect(refused[1].length).toBeGreaterThan(0)
    } finally {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).finally(() => client.end())
      await drop()
    }
  })

  it("analyses each table without a time limit, and warns of a table that it cannot analyse", async () => {
    const { url, drop } = await freshDatabase()
    const other = new pg.Client({ connectionString: url })
    try {
      await other.connect()
      const database = layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })
      const first = {
        id: 1,
        name: "0001_tables",
        statements: [
          "CREATE TABLE one (id int)",
          "INSERT INTO one SELECT generate_series(1, 10)",
          // PostgreSQL calls the function for each row that it inserts or analyses.
          `CREATE FUNCTION unhurried(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
             BEGIN IF current_setting('statement_timeout') <> '0' THEN RAISE 'hurried'; END IF; RETURN $1; END $$`,
          "CREATE TABLE two (id int)",
          "CREATE INDEX ON two (unhurried(id))"
        ]
      }
      const second = { id: 2, name: "0002_rows", statements: ["INSERT INTO two SELECT generate_series(1, 20)"] }
      await Effect.runPromise(Effect.provide(Migrator.migrateWith([first]), database))
      // Takes the lock that another ANALYZE, or a VACUUM, would take.
      await other.query("BEGIN")
      await other.query("LOCK TABLE one IN SHARE UPDATE EXCLUSIVE MODE")
      const messages: Array<string> = []
      const logger = Logger.make(({ message }) => void messages.push(String(message)))
      const applied = await Effect.runPromise(
        Migrator.migrateWith([first, second]).pipe(
          Effect.provide(database),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      )
      expect(applied).toEqual(["0002_rows"])
      expect(messages).toEqual([expect.stringMatching(/The table one could not be analysed.*lock timeout/)])
      const { rows } = await other.query("SELECT reltuples::int AS count FROM pg_class WHERE relname = 'two'")
      expect(rows).toEqual([{ count: 20 }])
    } finally {
      await other.end()
      await drop()
    }
  })
})
