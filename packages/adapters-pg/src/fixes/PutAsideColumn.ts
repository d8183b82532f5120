import type { SqlClient } from "@effect/sql/SqlClient"
import { Device } from "@place-access/domain/devices"
import { Fix, type PutAside } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../Rows.js"

/** `devices.put_aside`: for each reason how many readings there were, and when the last of them arrived. */
export const PutAsideColumn = Schema.partial(
  Schema.Record({
    key: Fix.QuarantineReason,
    value: Schema.Struct({ count: Schema.Int, last_at: Timestamp.Timestamp })
  })
)

export const decode = (column: typeof PutAsideColumn.Type): Device.Device["putAside"] =>
  Fix.QuarantineReason.literals
    .flatMap((reason) => {
      const one = column[reason]
      return one === undefined ? [] : [{ reason, count: one.count, lastAt: one.last_at }]
    })
    .sort(Device.latestFirst)

export const encode = (putAside: Device.Device["putAside"]): string =>
  Rows.json(Object.fromEntries(putAside.map(({ count, lastAt, reason }) => [reason, { count, last_at: lastAt }])))

/** The column with these added, in an UPDATE of `devices`. */
export const added = (sql: SqlClient, putAside: ReadonlyArray<PutAside>, at: Timestamp.Timestamp) =>
  sql`devices.put_aside || jsonb_build_object(${sql.csv(
    putAside.map(
      ({ count, reason }) => sql`${reason}::text, jsonb_build_object(
        'count', coalesce((devices.put_aside #>> ARRAY[${reason}::text, 'count'])::bigint, 0) + ${count}::bigint,
        'last_at', greatest((devices.put_aside #>> ARRAY[${reason}::text, 'last_at'])::bigint, ${at}::bigint))`
    )
  )})`
