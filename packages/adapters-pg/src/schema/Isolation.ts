import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type AppId, type Program, program } from "@place-access/domain/shared"
import { Clock, Data, Effect, Option, type ParseResult, Schedule, ScheduleDecision, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as Failures from "../Failures.js"
import { isDistributed } from "./isDistributed.js"

/** The app's rows cannot get a separate shard in this database, or a step failed. */
export class IsolationRefused extends Data.TaggedError("IsolationRefused")<{
  /** Whole sentences that say what to do. */
  readonly message: string
}> {}

/** The address of a node, as it was given to `citus_add_node`. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

export interface IsolationRequest {
  readonly appId: AppId
  /** The node to which the shard moves. Undefined: the shard stays on its node. */
  readonly node: NodeAddress | undefined
  /** Prints one line about a step. */
  readonly say: (line: string) => Effect.Effect<void>
}

type Failure = SqlError | ParseResult.ParseError | IsolationRefused

/**
 * Gives the rows of one app a separate shard in every table that is spread by `app_id`, and moves these shards to
 * `node` if it is given. The command can be repeated: it changes nothing when the app has a separate shard on that node
 * already. The command checks everything before it writes anything (decision deliveries-17).
 *
 * Splitting a shard blocks writes of the rows in it: the split of Citus that blocks no writes needs a plugin that
 * PostgreSQL does not allow by default. Moving the new shard does not block.
 */
export const isolate = program("Isolation.isolate", function* ({ appId, node, say }: IsolationRequest): Program<
  void,
  Failure,
  SqlClient
> {
  yield* mustBeCluster
  yield* mustBeApp(appId)
  if (node !== undefined) yield* mustBeNode(node)
  const before = yield* placementOf(appId, false)
  if (before.is_alone) yield* say("The app has a shard of its own already.")
  else {
    yield* say("Splitting the app's shard. Writes to the apps of this shard wait meanwhile.")
    yield* perform(
      say,
      (sql) => sql`SELECT isolate_tenant_to_new_shard('endpoints', ${appId}::text, 'CASCADE', 'block_writes')`
    )
  }
  let hasChanged = !before.is_alone
  const alone = yield* placementOf(appId, hasChanged)
  if (node !== undefined && !isAt(alone, node)) {
    yield* say(`Moving the app's shard from ${nameOf(alone)} to ${nameOf(node)}.`)
    yield* perform(
      say,
      (sql) => sql`SELECT citus_move_shard_placement(${alone.shard}::bigint, ${alone.host}::text,
                       ${alone.port}::integer, ${node.host}::text, ${node.port}::integer)`
    )
    hasChanged = true
  }
  yield* say(`The app's rows are on ${nameOf(yield* placementOf(appId, hasChanged))}:`)
  for (const { bytes, table } of yield* sizesOf(appId)) yield* say(`  ${table}: ${bytes} bytes`)
})

const refuse = (why: string) => new IsolationRefused({ message: `${why}. Nothing was changed.` })

const NO_NODE = "The app's shard has no node that is up"

const nameOf = ({ host, port }: NodeAddress): string => `${host}:${port}`
const isAt = (a: NodeAddress, b: NodeAddress): boolean => a.host === b.host && a.port === b.port

const mustBeCluster = Effect.gen(function* () {
  const sql = yield* SqlClient
  if (!(yield* isDistributed(sql))) {
    return yield* refuse(
      "This database is a single server without the Citus extension, so an app cannot get a node of its own"
    )
  }
  const spread = yield* sql`SELECT 1 FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid
    WHERE t.relname = 'endpoints' AND t.relnamespace = current_schema()::regnamespace AND p.partkey IS NOT NULL`
  if (spread.length === 0) return yield* refuse("The tables are not spread yet: run npm start -- db distribute first")
  const [is] = yield* sql`SELECT 1 WHERE citus_is_coordinator()`
  if (is === undefined) return yield* refuse("Shards are moved from the coordinator: set DATABASE_URL to its address")
})

const mustBeApp = (appId: AppId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const found = yield* sql`SELECT 1 FROM apps WHERE app_id = ${appId}`
    if (found.length === 0) return yield* refuse("There is no app with this id")
  })

const mustBeNode = ({ host, port }: NodeAddress) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const found = yield* sql`SELECT 1 FROM pg_dist_node
      WHERE nodename = ${host} AND nodeport = ${port} AND noderole = 'primary' AND isactive AND shouldhaveshards`
    if (found.length === 0) {
      return yield* refuse(
        "--node must be a node of this cluster that may have shards, written as in SELECT * FROM pg_dist_node"
      )
    }
  })

/**
 * A shard with rows of the app, and its node. Citus finds the shard of a row by a hash of the key: each shard has the
 * hashes between two bounds.
 */
const PlacementRow = Schema.Struct({
  shard: Schema.String,
  /**
   * Whether the shard contains only this app. Another app shares the shard only if both ids have the same hash; the
   * chance is one in four billion.
   */
  is_alone: Schema.Boolean,
  host: Schema.String,
  port: Schema.Int
})

/**
 * Finds the app's shard and its node; refuses when no node of the shard is up. `hasChanged`: whether the command has
 * split or moved the shard already. If it has, the refusal also says that these steps stay done.
 */
const placementOf = (appId: AppId, hasChanged: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const row = yield* sql`SELECT s.shardid::text AS shard, s.shardminvalue = s.shardmaxvalue AS is_alone,
        n.nodename AS host, n.nodeport AS port
      FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
      WHERE s.shardid = get_shard_id_for_distribution_column('endpoints', ${appId}::text) AND n.noderole = 'primary'`.pipe(
      Rows.first(PlacementRow)
    )
    return yield* Option.match(row, {
      onNone: () =>
        hasChanged
          ? new IsolationRefused({
              message: `${NO_NODE}. The steps before stay done: repeat the command once the node is up.`
            })
          : refuse(NO_NODE),
      onSome: Effect.succeed
    })
  })

const SizeRow = Schema.Struct({ table: Schema.String, bytes: Schema.String })

/** The size in bytes of each of the app's shards that is not empty, the largest first. */
const sizesOf = (appId: AppId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return yield* sql`SELECT c.table_name::text AS "table", c.shard_size::text AS bytes
      FROM citus_shards c JOIN pg_dist_shard s USING (shardid)
      WHERE c.colocation_id = (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'endpoints'::regclass)
        AND s.shardminvalue = (SELECT shardminvalue FROM pg_dist_shard
          WHERE shardid = get_shard_id_for_distribution_column('endpoints', ${appId}::text))
        AND c.shard_size > 0
      ORDER BY c.shard_size DESC, 1`.pipe(Rows.all(SizeRow))
  })

/**
 * Whether a lock was not free within the connection's `lock_timeout`, or the server ended a deadlock. Citus rolls the
 * failed step back.
 */
const isBusy = (error: unknown): boolean => {
  const state = Failures.sqlState(error)
  return state === "55P03" || state === "40P01" || Failures.isRefusedByNode(error)
}

const SOON = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(9))

const IN_USE = "A table of the app is in use. The step is tried again."

/**
 * Runs a step of the isolation (giving an app a separate shard). Copying rows may take hours, so a step has no
 * statement time-out. A wait for a lock is limited, because other statements queue behind the waiting step: a step that
 * did not get its lock fails, lets the queue move on, and is tried again.
 */
const perform = (
  say: IsolationRequest["say"],
  statement: (sql: SqlClient) => Effect.Effect<unknown, SqlError>
): Effect.Effect<void, IsolationRefused, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql.withTransaction(Effect.zipRight(sql`SET LOCAL statement_timeout = 0`, statement(sql)))
  }).pipe(
    Failures.orSqlError,
    Effect.retry({
      schedule: Schedule.onDecision(SOON, (_, next) => (ScheduleDecision.isContinue(next) ? say(IN_USE) : Effect.void)),
      while: isBusy
    }),
    // Waits in real time, because locks are held in real time even when the program's `Clock` is a simulated one.
    Effect.withClock(Clock.make()),
    Effect.mapError((error) => {
      const reason = error.cause instanceof Error ? error.cause.message : error.message
      return new IsolationRefused({ message: `The step failed: ${reason}. Repeat the command once this is mended.` })
    })
  )
