import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import type { Connection, WithApp } from "@place-access/domain/connection"
import type { AppId, ConnectionId, UserId } from "@place-access/domain/shared"
import { Effect, Option, type ParseResult } from "effect"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { columns, ConnectionRow, toConnection, toWithApp, WithAppRow } from "./ConnectionRow.js"

type Read<A> = Effect.Effect<Option.Option<A>, SqlError | ParseResult.ParseError>

/** The reads of connections that several stores share. */
export interface ConnectionReads {
  /** The statement that `readWithApp` runs, for a caller that sends several statements together. */
  readonly withApp: (userId: UserId, id: ConnectionId) => Statement<object>
  readonly readWithApp: (userId: UserId, id: ConnectionId) => Read<WithApp>
  /** Reads the connection of this user and app that has not ended. */
  readonly readUnended: (userId: UserId, appId: AppId) => Read<Connection.Connection>
  readonly lockOne: (userId: UserId, id: ConnectionId) => Statement<object>
}

export const make = (sql: SqlClient): ConnectionReads => {
  const read = reads(sql)
  const select = columns(sql)

  const withApp = (userId: UserId, id: ConnectionId) =>
    read`SELECT ${select.withApp(userId)} FROM connections c JOIN apps a ON a.app_id = c.app_id
         WHERE c.user_id = ${userId} AND c.connection_id = ${id}`

  return {
    withApp,
    readWithApp: (userId: UserId, id: ConnectionId) =>
      withApp(userId, id).pipe(Rows.first(WithAppRow), Effect.map(Option.map(toWithApp))),
    readUnended: (userId: UserId, appId: AppId) =>
      sql`SELECT ${select.connection(userId)} FROM connections c
          WHERE c.user_id = ${userId} AND c.app_id = ${appId} AND c.ended_at IS NULL`.pipe(
        Rows.first(ConnectionRow),
        Effect.map(Option.map(toConnection))
      ),
    lockOne: (userId: UserId, id: ConnectionId) =>
      sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND connection_id = ${id} FOR UPDATE`
  }
}
