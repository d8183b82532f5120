import { QuarantineReason } from "@place-access/domain/devices"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Device } from "@place-access/domain/devices"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/**
 * The column `devices.put_aside`: for each reason, how many readings were put aside (quarantined), and when the last of
 * them arrived.
 */
export const PutAsideColumn = Schema.partial(
  Schema.Record({
    key: QuarantineReason,
    value: Schema.Struct({ count: Schema.Int, last_at: Timestamp.Timestamp })
  })
)

export const decode = (column: typeof PutAsideColumn.Type): Device.Device["putAside"] =>
  QuarantineReason.literals
    .flatMap((reason) => {
      const one = column[reason]
      return one === undefined ? [] : [{ reason, count: one.count, lastAt: one.last_at }]
    })
    .sort(Device.latestFirst)

export const encode = (putAside: Device.Device["putAside"]): string =>
  Rows.json(Object.fromEntries(putAside.map(({ count, lastAt, reason }) => [reason, { count, last_at: lastAt }])))

/**
 * An SQL expression for an UPDATE of `devices`: the column after these counts were added. The expression builds the
 * JSON text by itself: Citus refuses `jsonb_build_object` in an UPDATE, because for some types its result depends on
 * the session.
 */
export const added = (sql: SqlClient, putAside: Device.Device["putAside"]) =>
  putAside.reduce(
    (column, { count, lastAt, reason }) => sql`${column} || ('{"' || ${reason}::text || '": {"count": ' ||
        (coalesce((devices.put_aside #>> ARRAY[${reason}::text, 'count'])::bigint, 0) + ${count}::bigint)::text ||
        ', "last_at": ' ||
        greatest((devices.put_aside #>> ARRAY[${reason}::text, 'last_at'])::bigint, ${lastAt}::bigint)::text ||
        '}}')::jsonb`,
    sql`devices.put_aside`
  )
