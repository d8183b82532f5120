import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeCitus, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { startMailServer } from "../support/mailServer.js"
import { useProcesses } from "../support/processes.js"
import { type Receiver, startReceiver } from "../support/receiver.js"
import { type Service, startService } from "../support/service.js"
import { programs } from "./programs.js"
import { type Executed, type Noticed, type Recorder, startRecorder } from "./recorder.js"
import { readSchema } from "./schema.js"
import { mentions, type Schema } from "./statementKeys.js"
import { line, planOf } from "./tasks.js"

/**
 * The actions that people, phones and apps repeat all day. Each has its name in `programs`, and its name in the table
 * of docs/scaling.md.
 */
const FREQUENT: ReadonlyMap<string, string> = new Map([
  ["connection", "a token is looked up (`/v1/me`)"],
  ["presence", "a question about presence"],
  ["current place", "a question about the current place"],
  ["refresh", "a refresh"],
  ["upload one fix", "an upload"],
  ["upload again", "an upload that came before"],
  ["upload many that fire, claim, send, finish", "an upload that fires rules"]
])

/**
 * The only actions that may commit in two phases. The rows of an approval belong to a person, to a request and to a
 * route. When an endpoint gets a new secret, one row belongs to the app, and the audit event to a person (decision
 * audit-1).
 */
const IN_TWO_PHASES: ReadonlySet<string> = new Set(["authorise", "an endpoint that changes and goes"])

/** A developer's test of an endpoint writes the delivery and then its attempt. Both rows are on the app's shard. */
const IN_TWO_STEPS = /^WITH delivery AS \(\s*INSERT INTO deliveries/

/**
 * The actions that this test does not run. They take longest, and their statements come from the worker, whereas this
 * test is about statements of the server.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["mail", "deliveries that are sent again, and end together"])

/**
 * The statements that the server sent during one action, and the notices of the coordinator about the commands that it
 * sent to its nodes.
 */
interface Ran {
  readonly name: string
  readonly sent: ReadonlyArray<Executed>
  readonly noticed: ReadonlyArray<Noticed>
}

const isServers = ({ program }: { readonly program: string }): boolean => program === "place-access server"
const isPrepare = ({ message }: Noticed): boolean => message.startsWith("issuing PREPARE TRANSACTION")
const prepares = ({ noticed }: Ran): number => noticed.filter(isPrepare).length

describeCitus("what the coordinator makes of the server's statements", (citus) => {
  const processes = useProcesses()
  let database: TestDatabase
  let client: pg.Client
  let recorder: Recorder
  let receiver: Receiver
  let mail: Awaited<ReturnType<typeof startMailServer>>
  let service: Service
  let schema: Schema
  const ran: Array<Ran> = []

  beforeAll(async () => {
    database = await citus.migratedDatabase()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    // With this setting, the coordinator sends a notice for each statement that it sends to a node. The notice goes to
    // the program whose statement the coordinator is executing.
    const name = new URL(database.url).pathname.slice(1)
    await client.query(`ALTER DATABASE ${name} SET citus.log_remote_commands = on`)
    schema = await readSchema(database.url)
    ;[recorder, receiver, mail] = await Promise.all([startRecorder(database.url), startReceiver(), startMailServer()])
    receiver.answer(({ path }) => (path.endsWith("broken") ? 500 : 200))
    const environment = mail.settings
    service = await startService(processes, { database: "citus", databaseUrl: recorder.url, environment })
    const wasSent = (text: RegExp) => recorder.executed.some((one) => text.test(one.text))
    for (const { name, run } of await programs(service.url, { wasSent, letters: mail.letters, receiver })) {
      if (LEFT_OUT.has(name)) continue
      const [sent, noticed] = [recorder.executed.length, recorder.noticed.length]
      await run()
      ran.push({
        name,
        sent: recorder.executed.slice(sent).filter(isServers),
        noticed: recorder.noticed.slice(noticed).filter(isServers)
      })
    }
  })
  afterAll(async () => {
    await client?.end()
    await service?.close()
    await Promise.all([recorder?.close(), receiver?.close(), mail?.close()])
    await database?.drop()
  })

  /**
   * The statements of the frequent actions, without two kinds of statements:
   * - the first look-up of a session and all statements after it, because they belong to other requests that the test
   *   sends for the action;
   * - the counts that the server stores once a second, because they belong to no action.
   */
  const frequent = () =>
    ran
      .filter(({ name }) => FREQUENT.has(name))
      .map((one) => {
        const sent = one.sent.filter(({ text }) => !/INSERT INTO (?:app_hours|app_calls|endpoint_hours) /.test(text))
        const page = sent.findIndex(({ text }) => /FROM sessions/.test(text))
        return { ...one, sent: page < 0 ? sent : sent.slice(0, page) }
      })

  /** The executions of an action that touch distributed rows, each with its mentions of distributed tables. */
  const keyed = async ({ sent }: Ran) => {
    const all = await Promise.all(sent.map(async (one) => ({ one, on: await mentions(one.text, schema) })))
    return all.filter(({ on }) => on.length > 0)
  }

  it("was heard: every frequent action sent statements, and the coordinator told what it asked of the nodes", () => {
    expect(frequent().map(({ name }) => name)).toEqual(expect.arrayContaining([...FREQUENT.keys()]))
    for (const { name, noticed, sent } of frequent())
      expect([name, sent.length > 1, noticed.length > 1]).toEqual([name, true, true])
  })

  it("each statement of a frequent action is one task of one shard", async () => {
    const wide: Array<string> = []
    for (const action of frequent()) {
      for (const { one } of await keyed(action)) {
        const { isWhole, tasks } = await planOf(client, one)
        if (tasks !== 1 || !isWhole) wide.push(`${action.name}: ${tasks} tasks, ${one.text}`)
      }
    }
    expect(wide).toEqual([])
  })

  it("each statement of a page that names one person or one app is one task of one shard", async () => {
    const wide: Array<string> = []
    let statementCount = 0
    for (const action of ran) {
      for (const { on, one } of await keyed(action)) {
        if (on.some(({ how }) => how !== "one") || IN_TWO_STEPS.test(one.text)) continue
        statementCount++
        const { tasks } = await planOf(client, one)
        if (tasks !== 1) wide.push(`${action.name}: ${tasks} tasks, ${one.text}`)
      }
    }
    expect(statementCount).toBeGreaterThan(100)
    expect([...new Set(wide)]).toEqual([])
  })

  // No action may commit in two phases, except the two actions of `IN_TWO_PHASES`. These two actions commit in two
  // phases only when their rows happen to be on two nodes, so the test does not require two phases.
  it("no action of a person, a phone or an app commits in two phases, but for an approval and a new secret", () => {
    const twoPhased = ran.filter((action) => !IN_TWO_PHASES.has(action.name) && prepares(action) > 0)
    expect(twoPhased.map(({ name }) => name)).toEqual([])
  })

  it("would be caught otherwise: a commit in two phases", async () => {
    const planted = new pg.Client({ connectionString: recorder.url, application_name: "planted" })
    await planted.connect()
    await planted.query("UPDATE rate_windows SET used = used")
    await planted.end()
    const notices = recorder.noticed.filter(({ program }) => program === "planted")
    // The coordinator sends one PREPARE over each connection that it used. It uses one or two connections to each node.
    expect(notices.filter(isPrepare).length).toBeGreaterThanOrEqual(2)
  })

  it("would be caught otherwise: a statement over all shards, and one whose rows the coordinator carries", async () => {
    const planted = (text: string, values: ReadonlyArray<string> = []) =>
      planOf(client, { text, values, program: "", connection: 0 })
    expect(await planted("SELECT count(*) FROM fixes")).toEqual({ tasks: 4, isWhole: true })
    const carried = "INSERT INTO upload_streams (user_id, version) SELECT u, 1 FROM unnest($1::text[]) AS u"
    expect((await planted(carried, ["{usr_a}"])).isWhole).toBe(false)
  })

  it("docs/scaling.md has the table of these actions", async () => {
    const rows = await Promise.all(
      [...FREQUENT].map(async ([name, words]) => {
        const action = frequent().find((one) => one.name === name)
        if (action === undefined) throw new Error(`${name} did not run`)
        const statements = (await keyed(action)).map(({ on, one }) => {
          const tables = [...new Set(on.map(({ table }) => `\`${table}\``))].sort()
          return `${/^\s*SELECT/i.test(one.text) ? "reads" : "writes"} ${tables.join(", ")} by \`${on[0]?.key}\``
        })
        const isTransaction = action.sent.some(({ text }) => text.startsWith("BEGIN"))
        return line([
          words,
          [...new Set(statements)].sort().join("; "),
          isTransaction ? "one transaction on one node" : "each by itself"
        ])
      })
    )
    const table = [line(["what happens", "statements, each one task", "commit"]), "|---|---|---|", ...rows].join("\n")
    expect(readFileSync(join(import.meta.dirname, "../../../../docs/scaling.md"), "utf8")).toContain(table)
  })
})
