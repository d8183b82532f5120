import { layerPostgres, Migrator, Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describePg, freshDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { startMailServer } from "../support/mailServer.js"
import { useProcesses } from "../support/processes.js"
import { type Receiver, startReceiver } from "../support/receiver.js"
import { type Service, startService } from "../support/service.js"
import { until } from "../support/until.js"
import { ON_PURPOSE, ONE_SERVER } from "./everyShard.js"
import { REQUIRED, TOUCHED, touched } from "./heard.js"
import { type Program, programs } from "./programs.js"
import { type Executed, type Recorder, startRecorder } from "./recorder.js"
import { readSchema } from "./schema.js"
import { type Mention, mentions, type Schema } from "./statementKeys.js"

const upToDate = (url: string) =>
  Effect.runPromise(
    Effect.zipRight(Migrator.migrate, Effect.flatMap(Timestamp.now, Partitions.ensurePartitions)).pipe(
      Effect.provide(layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" }))
    )
  )

/** The text of a sent statement, and its mentions of distributed tables. */
interface Statement {
  /** The statement's text as `plain` returns it. */
  readonly text: string
  readonly mentions: ReadonlyArray<Mention>
  readonly executed: ReadonlyArray<Executed>
}

/** Removes comments and multiple spaces. */
const plain = ({ text }: Pick<Executed, "text">) => text.replaceAll(/--.*$/gm, " ").replaceAll(/\s+/g, " ").trim()

/**
 * The entries of `ON_PURPOSE` that match no text. They must be removed, because the service does not send their
 * statements.
 */
const stale = (texts: ReadonlyArray<string>) =>
  ON_PURPOSE.filter((entry) => !texts.some((text) => entry.text.test(text)))

/**
 * The entries of `TOUCHED` (a verb and a table) and `REQUIRED` (a pattern) that no sent statement matches. The result
 * must be empty: the test does not check a statement that the service did not send.
 */
const unsent = async (texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const all = new Set((await Promise.all(texts.map(touched))).flatMap((one) => [...one]))
  const untouched = Object.entries(TOUCHED).flatMap(([verb, tables]) =>
    tables.map((table) => `${verb} ${table}`).filter((one) => !all.has(one))
  )
  const unmatched = Object.entries(REQUIRED).flatMap(([what, text]) =>
    texts.some((one) => text.test(one)) ? [] : [what]
  )
  return [...untouched, ...unmatched]
}

const read = async (executed: ReadonlyArray<Executed>, schema: Schema): Promise<ReadonlyArray<Statement>> => {
  const texts = new Map<string, Array<Executed>>()
  for (const one of executed) texts.set(one.text, [...(texts.get(one.text) ?? []), one])
  return Promise.all(
    [...texts].map(async ([text, executed]) => ({
      text: plain({ text }),
      mentions: await mentions(text, schema),
      executed
    }))
  )
}

/** The tables that a statement reads or writes without a condition on their key, so that Citus asks every shard. */
const open = ({ mentions }: Statement) => [
  ...new Set(mentions.filter(({ how }) => how === "every").map(({ table }) => table))
]

const isOnPurpose = (statement: Statement) =>
  ON_PURPOSE.some(
    ({ tables, text }) => text.test(statement.text) && open(statement).every((one) => tables.includes(one))
  )

const isForOneServer = ({ text }: Statement) => ONE_SERVER.some((one) => one.text.test(text))

const accused = (statements: ReadonlyArray<Statement>) =>
  statements.flatMap((one) =>
    open(one).length > 0 && !isOnPurpose(one) && !isForOneServer(one) ? [`${open(one).join(", ")}: ${one.text}`] : []
  )

/** For each key, the values of the parameters with which one execution of a statement compares the key. */
const keysOf = ({ mentions }: Statement, { values }: Executed): ReadonlyMap<string, ReadonlySet<string>> => {
  const keys = new Map<string, Set<string>>()
  for (const { how, key, parameters } of mentions) {
    const found = keys.get(key) ?? new Set<string>()
    if (how === "one") for (const number of parameters) found.add(values[number - 1] ?? "null")
    keys.set(key, found)
  }
  return keys
}

/** The executions of each transaction, in order. Statements outside of a transaction are left out. */
const transactions = (executed: ReadonlyArray<Executed>): ReadonlyArray<ReadonlyArray<Executed>> => {
  const running = new Map<number, Array<Executed>>()
  return executed.flatMap((one) => {
    const of = running.get(one.connection)
    if (/^BEGIN\b/i.test(one.text)) running.set(one.connection, [])
    else if (of !== undefined && /^(?:COMMIT|ROLLBACK)$/i.test(one.text))
      return running.delete(one.connection) ? [of] : []
    else of?.push(one)
    return []
  })
}

describePg("texts", "what a server and a worker send, as it went over the wire", () => {
  const processes = useProcesses()
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let recorder: Recorder
  let receiver: Receiver
  let mail: Awaited<ReturnType<typeof startMailServer>>
  let service: Service
  let schema: Schema
  let ran: ReadonlyArray<Program & { readonly sent: ReadonlyArray<Executed> }> = []
  let statements: ReadonlyArray<Statement> = []

  beforeAll(async () => {
    database = await freshDatabase()
    await upToDate(database.url)
    schema = await readSchema(database.url)
    ;[recorder, receiver, mail] = await Promise.all([startRecorder(database.url), startReceiver(), startMailServer()])
    receiver.answer(({ path }) => (path.endsWith("broken") ? 500 : 200))
    const environment = mail.settings
    service = await startService(processes, { database: "postgres", databaseUrl: recorder.url, environment })
    const wasSent = (text: RegExp) => recorder.executed.some((one) => text.test(plain(one)))
    for (const program of await programs(service.url, { wasSent, letters: mail.letters, receiver })) {
      const before = recorder.executed.length
      await program.run()
      ran = [...ran, { ...program, sent: recorder.executed.slice(before) }]
    }
    // The sweeps start with the worker and have usually ended by now. If a sweep never ran, the check below reports it.
    await until(
      "the sweeps",
      async () => {
        const texts = [...new Set(recorder.executed.map(plain))]
        return stale(texts).length === 0 && (await unsent(texts)).length === 0 ? true : undefined
      },
      20_000
    ).catch(() => undefined)
    statements = await read(recorder.executed, schema)
  })
  afterAll(async () => {
    await service?.close()
    await Promise.all([recorder?.close(), receiver?.close(), mail?.close()])
    await database?.drop()
  })

  it("was heard: each program's tables were named while it ran", () => {
    const unsent = ran.flatMap(({ name, needs, sent }) =>
      needs.flatMap((table) =>
        sent.some(({ text }) => new RegExp(`\\b${table}\\b`).test(text)) ? [] : [`${name}: ${table}`]
      )
    )
    expect(unsent).toEqual([])
    expect([...new Set(recorder.executed.map(({ program }) => program))].sort()).toEqual([
      "place-access server",
      "place-access worker"
    ])
  })

  it("was heard: every statement that a day is known to have", async () => {
    expect(await unsent(statements.map(({ text }) => text))).toEqual([])
  })

  it("names the key of every spread table in every statement, but for those that ask every shard on purpose", () => {
    expect(accused(statements)).toEqual([])
  })

  it("asks every shard with the listed statements, all of them", () => {
    const unneeded = ON_PURPOSE.flatMap(({ tables, text }) => {
      const such = statements.filter((one) => text.test(one.text)).flatMap(open)
      return tables.filter((table) => !such.includes(table)).map((table) => `${table}: ${text}`)
    })
    expect(unneeded).toEqual([])
  })

  it("has statements for one server alone, all that are listed", () => {
    const unsent = ONE_SERVER.filter(({ text }) => !statements.some((one) => text.test(one.text)))
    expect(unsent).toEqual([])
  })

  it("asks one shard: where a statement names a key more than once, it is the same", () => {
    const torn = statements.flatMap((one) =>
      one.executed.some((execution) => [...keysOf(one, execution).values()].some(({ size }) => size > 1))
        ? [one.text]
        : []
    )
    expect(torn).toEqual([])
  })

  it("touches a person's rows or an app's in one statement, never both", () => {
    const keys = ({ mentions }: Statement) => new Set(mentions.map(({ key }) => key)).size
    const both = statements.filter((one) => keys(one) > 1 && !isOnPurpose(one) && !isForOneServer(one))
    expect(both.map(({ text }) => text)).toEqual([])
  })

  it("changes one person's rows or one app's in a transaction, and adds at most who did it [audit-1]", () => {
    const byText = new Map(statements.flatMap((one) => one.executed.map(({ text }) => [text, one] as const)))
    const all = transactions(recorder.executed)
    expect(all.length).toBeGreaterThan(10)
    const wide = all.flatMap((transaction) => {
      const owners = new Set<string>()
      for (const execution of transaction) {
        const statement = byText.get(execution.text)
        // Leaves out audit events: an audit event is stored under the account that made the change, in the change's
        // transaction (decision audit-1).
        if (statement === undefined || statement.text.startsWith("INSERT INTO audit_events")) continue
        for (const { how, key, parameters } of statement.mentions) {
          if (key !== "user_id" && key !== "app_id") continue
          if (how !== "one") owners.add(`${how} ${key}`)
          for (const number of parameters) owners.add(`${key} ${execution.values[number - 1]}`)
        }
      }
      return owners.size > 1 ? [[...owners].join(", ") + ": " + transaction.map(plain).join("; ")] : []
    })
    expect(wide).toEqual([])
  })

  it("would be caught otherwise: a look-up by a digest alone, prepared or not, in pieces or not", async () => {
    const client = new pg.Client({ connectionString: recorder.url, application_name: "planted" })
    await client.connect()
    const [prepared, plain] = [
      `SELECT '${"x".repeat(100_000)}' FROM access_tokens WHERE token_hash = $1`,
      "DELETE FROM places WHERE label = ''"
    ]
    await client.query({ name: "planted", text: prepared, values: ["a"] })
    await client.query({ name: "planted", text: prepared, values: ["b"] })
    await client.query(plain)
    await client.end()
    const planted = recorder.executed.filter(({ program }) => program === "planted")
    expect(planted.map(({ text, values }) => [text, values])).toEqual([
      [prepared, ["a"]],
      [prepared, ["b"]],
      [plain, []]
    ])
    expect(accused(await read(planted, schema))).toEqual([
      expect.stringMatching(/^access_tokens: /),
      expect.stringMatching(/^places: /)
    ])
  })

  it("would be caught otherwise: two people in a statement that has room for one", async () => {
    const text =
      "SELECT 1 FROM places p JOIN devices d ON d.user_id = p.user_id WHERE p.user_id = $1 AND d.user_id = $2"
    const [statement] = await read([{ text, values: ["usr_a", "usr_b"], program: "planted", connection: 0 }], schema)
    expect(
      statement === undefined ? [] : [...(keysOf(statement, statement.executed[0]!).get("user_id") ?? [])]
    ).toEqual(["usr_a", "usr_b"])
  })
})
