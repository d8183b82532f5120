import type pg from "pg"
import { type Order, post, webhook } from "./post.js"

/** A kind of job for a general-purpose queue. Each job sends one webhook. */
export interface Job {
  /** The `CREATE TABLE` statements of the tables that only this job uses. */
  readonly tables: string
  /** Writes the rows that the jobs of a round read. Runs in the transaction that adds the jobs. */
  readonly prepare: (client: pg.PoolClient, order: Order) => Promise<void>
  readonly perform: (pool: pg.Pool, order: Order, n: number) => Promise<void>
  /**
   * A statement that counts the webhooks sent in a round, in a column `sent`. For `bare`, the statement also deletes
   * the rows that it counts.
   */
  readonly finish: string
}

/** A job that does only what sending needs: the POST, and one row with its outcome. */
const bare: Job = {
  tables: `CREATE TABLE sent_attempts (n integer NOT NULL, started_at timestamptz NOT NULL, ended_at timestamptz NOT NULL,
    status integer NOT NULL, snippet text)`,
  prepare: async () => undefined,
  perform: async (pool, order, n) => {
    const startedAt = new Date()
    const status = await post(webhook(order, n))
    await pool.query({
      name: "attempt",
      text: "INSERT INTO sent_attempts (n, started_at, ended_at, status, snippet) VALUES ($1, $2, $3, $4, '')",
      values: [n, startedAt, new Date(), status]
    })
  },
  finish: "WITH gone AS (DELETE FROM sent_attempts RETURNING 1) SELECT count(*) AS sent FROM gone"
}

const READ = `SELECT e.event_id, e.connection_id, e.rule_id, e.place_id, p.endpoint_id, p.url, p.secret, c.user_id
  FROM sent_events e JOIN sent_endpoints p USING (app_id)
    JOIN sent_connections c USING (connection_id) JOIN sent_rules r USING (rule_id)
  WHERE e.event_id = $1 AND p.endpoint_id = e.endpoint_id AND p.disabled_at IS NULL
    AND c.ended_at IS NULL AND 'rules' = ANY (c.scopes) AND r.deleted_at IS NULL`

const LOG = `INSERT INTO sent_access_log (user_id, at, app_id, connection_id, event_id, type, place_id)
  VALUES ($1, $2, 'app_bench', $3, $4, 'webhook', $5)`

const END = `WITH attempt AS (
    INSERT INTO sent_attempts (event_id, attempt, started_at, ended_at, status, snippet) VALUES ($1, 1, $2, $3, $4, '')
  ) UPDATE sent_events SET state = 'delivered', ended_at = $3 WHERE event_id = $1`

/**
 * A job that does what the product does for each webhook. It
 * - reads the event from an outbox, together with its endpoint and the rows that must allow the event;
 * - writes a row into the user's access log before the POST;
 * - inserts a row for the attempt and updates the event's state after the POST.
 *
 * The product also decrypts the secret and counts the failures of the endpoint; this job does neither.
 */
const same: Job = {
  tables: `
    CREATE TABLE sent_endpoints (app_id text NOT NULL, endpoint_id text PRIMARY KEY, url text NOT NULL,
      secret text NOT NULL, disabled_at timestamptz);
    CREATE TABLE sent_connections (connection_id text PRIMARY KEY, user_id text NOT NULL, scopes text[] NOT NULL,
      ended_at timestamptz);
    CREATE TABLE sent_rules (rule_id text PRIMARY KEY, connection_id text NOT NULL, deleted_at timestamptz);
    CREATE TABLE sent_events (event_id text PRIMARY KEY, app_id text NOT NULL, connection_id text NOT NULL,
      rule_id text NOT NULL, place_id text NOT NULL, endpoint_id text NOT NULL, occurred_at timestamptz NOT NULL,
      state text NOT NULL, ended_at timestamptz);
    CREATE INDEX ON sent_events (endpoint_id, occurred_at);
    CREATE TABLE sent_attempts (event_id text NOT NULL, attempt integer NOT NULL, started_at timestamptz NOT NULL,
      ended_at timestamptz NOT NULL, status integer NOT NULL, snippet text, PRIMARY KEY (event_id, attempt));
    CREATE TABLE sent_access_log (user_id text NOT NULL, at timestamptz NOT NULL, app_id text NOT NULL,
      connection_id text NOT NULL, event_id text NOT NULL, type text NOT NULL, place_id text NOT NULL);
    CREATE INDEX ON sent_access_log (user_id, at)`,
  prepare: async (client, order) => {
    const all = Array.from({ length: order.requests }, (_, n) => webhook(order, n))
    const people = all.slice(0, order.people)
    await client.query(
      "TRUNCATE sent_endpoints, sent_connections, sent_rules, sent_events, sent_attempts, sent_access_log"
    )
    await client.query(
      `INSERT INTO sent_endpoints SELECT DISTINCT ON (id) 'app_bench', id, url, secret
       FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, url, secret)`,
      [all.map(({ endpointId }) => endpointId), all.map(({ url }) => url), all.map(({ secret }) => secret)]
    )
    await client.query(
      "INSERT INTO sent_connections SELECT id, 'usr_' || id, '{rules}' FROM unnest($1::text[]) AS id",
      [people.map(({ connectionId }) => connectionId)]
    )
    await client.query(
      "INSERT INTO sent_rules SELECT rule, connection FROM unnest($1::text[], $2::text[]) AS g (rule, connection)",
      [people.map(({ ruleId }) => ruleId), people.map(({ connectionId }) => connectionId)]
    )
    await client.query(
      `INSERT INTO sent_events SELECT event, 'app_bench', connection, rule, place, endpoint, now(), 'waiting'
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
         AS g (event, connection, rule, place, endpoint)`,
      [
        all.map(({ eventId }) => eventId),
        all.map(({ connectionId }) => connectionId),
        all.map(({ ruleId }) => ruleId),
        all.map(({ placeId }) => placeId),
        all.map(({ endpointId }) => endpointId)
      ]
    )
  },
  perform: async (pool, order, n) => {
    const { eventId } = webhook(order, n)
    const { rows } = await pool.query<Readonly<Record<string, string>>>({ name: "read", text: READ, values: [eventId] })
    const [row] = rows
    if (row === undefined) throw new Error(`${eventId} is not allowed`)
    const { connection_id = "", endpoint_id = "", place_id = "", rule_id = "", secret = "", url = "", user_id } = row
    const startedAt = new Date()
    await pool.query({ name: "log", text: LOG, values: [user_id, startedAt, connection_id, eventId, place_id] })
    const status = await post({
      eventId,
      connectionId: connection_id,
      ruleId: rule_id,
      placeId: place_id,
      endpointId: endpoint_id,
      url,
      secret
    })
    await pool.query({ name: "end", text: END, values: [eventId, startedAt, new Date(), status] })
  },
  finish: `SELECT count(*) AS sent FROM sent_events JOIN sent_attempts USING (event_id) JOIN sent_access_log USING (event_id)
    WHERE state = 'delivered'`
}

export const jobs = { bare, same } as const
