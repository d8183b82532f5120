import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { type PendingEvents, READ_AHEAD_MAX, type ReadAhead } from "@place-access/domain/deliveries"
import type { WebhookEndpoint } from "@place-access/domain/endpoints"
import type { EventId } from "@place-access/domain/shared"
import { Effect, type ParseResult } from "effect"
import { readerOf, UNREAD } from "../driver/Reader.js"
import * as Rows from "../driver/Rows.js"
import { COLUMNS as ENDPOINT_COLUMNS, EndpointRow, toEndpoint } from "../endpoints/EndpointRow.js"
import { answers, AuthorisationRow, toAuthorisation } from "./authorisation.js"
import { type PendingRead, read, waitingEvents } from "./pendingEvents.js"

/**
 * Reads waiting events on a single server. When few events wait, the same statement also reads the endpoints and the
 * authorisation that their first attempts need (`ReadAhead`), so that a single event costs one statement.
 */

type Row = Readonly<Record<string, unknown>>

/** The columns of `table`, each renamed with a prefix, so that they can stand beside the columns of an event. */
const renamed = (table: string, schema: { readonly fields: object }, prefix: string): string =>
  Object.keys(schema.fields)
    .map((name) => `${table}.${name} AS ${prefix}${name}`)
    .join(", ")

/** Picks the columns of the schema from a row in which their names have a prefix. */
const without = (schema: { readonly fields: object }, prefix: string) => {
  const names = Object.keys(schema.fields)
  return (from: Row) => Object.fromEntries(names.map((name) => [name, from[prefix + name]] as const))
}

const AUTHORISATION = "auth_"
const ENDPOINT = "ep_"
const authorisationIn = without(AuthorisationRow, AUTHORISATION)
const endpointIn = without(EndpointRow, ENDPOINT)
const readAuthorisation = readerOf(AuthorisationRow.ast) as (
  row: unknown
) => typeof AuthorisationRow.Type | typeof UNREAD
const readEndpoint = readerOf(EndpointRow.ast) as (row: unknown) => typeof EndpointRow.Type | typeof UNREAD

/** Whether the event `asked` goes not only to endpoints, but also to a listener or a legacy receiver. */
const goesElsewhere = (sql: SqlClient, now: Fragment) =>
  sql`EXISTS (SELECT 1 FROM listeners l WHERE l.app_id = asked.app_id AND l.seen_until > ${now})
      OR (asked.rule_id IS NOT NULL AND (
        EXISTS (SELECT 1 FROM rules r
                WHERE r.user_id = asked.user_id AND r.rule_id = asked.rule_id AND r.own_secret IS NOT NULL)
        OR (asked.webhook_url IS NULL AND EXISTS (
          SELECT 1 FROM subscriptions s
          WHERE s.user_id = asked.user_id AND s.connection_id = asked.connection_id))))`

/**
 * The statement of `EventStore.pending` that also reads ahead (`ReadAhead`). It returns a row for each event and
 * endpoint, or one row for an event whose endpoints it does not read, or that has no endpoint. OFFSET 0 keeps the
 * planner from joining whole tables, which it would do because it expects many events. The limit of `asked` changes no
 * result, because `due` has the same limit. But the limit in `due` is a sub-query, so the planner assumes that `due`
 * returns a tenth of all waiting events. With a large backlog the statement would then seem so expensive that
 * PostgreSQL would compile it (JIT), which takes a second.
 */
export const waitingWithAhead = (sql: SqlClient, query: PendingRead) =>
  sql`WITH due AS (${waitingEvents(sql, query)}), asked AS (
        SELECT due.*, due.payload ->> 'ruleId' AS rule_id, count(*) OVER () <= ${READ_AHEAD_MAX} AS is_few FROM due
        LIMIT ${sql.literal(String(query.limit))}
      )
      SELECT asked.*, early.goes_elsewhere, ${sql.literal(renamed("early", AuthorisationRow, AUTHORISATION))},
        ${sql.literal(renamed("e", EndpointRow, ENDPOINT))}
      FROM asked LEFT JOIN LATERAL (
        SELECT ${answers(sql)}, (${goesElsewhere(sql, sql`${Rows.at(query.now)}::timestamptz`)}) AS goes_elsewhere
        FROM connections c JOIN apps a ON a.app_id = c.app_id
        WHERE asked.is_few AND c.user_id = asked.user_id AND c.connection_id = asked.connection_id OFFSET 0
      ) AS early ON true
      LEFT JOIN LATERAL (
        SELECT ${ENDPOINT_COLUMNS} FROM endpoints
        WHERE NOT early.goes_elsewhere AND endpoints.app_id = asked.app_id OFFSET 0
      ) AS e ON true
      ORDER BY asked.fan_out_due_at, asked.occurred_at, asked.event_id COLLATE "C",
        e.created_at, e.endpoint_id COLLATE "C"`

/**
 * What was read ahead for one event. `rows` are the rows of this event. Undefined when the event's endpoints were not
 * read, or when a column cannot be decoded: the caller then reads the same data again, and gets the error.
 */
const aheadOf = (rows: ReadonlyArray<Row>): ReadAhead | undefined => {
  const [first] = rows
  if (first?.["goes_elsewhere"] !== false) return undefined
  const authorisation = readAuthorisation(authorisationIn(first))
  if (authorisation === UNREAD) return undefined
  const endpoints: Array<WebhookEndpoint.WebhookEndpoint> = []
  for (const row of rows) {
    if (row["ep_app_id"] === null) continue
    const endpoint = readEndpoint(endpointIn(row))
    if (endpoint === UNREAD) return undefined
    endpoints.push(toEndpoint(endpoint))
  }
  return { endpoints, authorisation: toAuthorisation(authorisation) }
}

export const readWithAhead = (
  sql: SqlClient,
  query: PendingRead
): Effect.Effect<PendingEvents, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    const byEvent = new Map<unknown, [Row, ...Array<Row>]>()
    for (const row of (yield* waitingWithAhead(sql, query)) as ReadonlyArray<Row>) {
      const rows = byEvent.get(row["event_id"])
      if (rows === undefined) byEvent.set(row["event_id"], [row])
      else rows.push(row)
    }
    const { events, unreadable } = yield* read([...byEvent.values()].map(([row]) => row))
    const ahead = new Map<EventId, ReadAhead>()
    for (const { id } of events) {
      const found = aheadOf(byEvent.get(id) ?? [])
      if (found !== undefined) ahead.set(id, found)
    }
    return { events, ahead, unreadable }
  })
