import type { AppFigures, EndpointFigures } from "@place-access/domain/figures"
import { AppId, EndpointId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** A row of `app_hours`: the counts of one app for one hour. */
export const AppHourRow = Schema.Struct({
  app_id: AppId,
  hour: Rows.At,
  calls: Rows.Bigint,
  refused: Rows.Bigint,
  limited: Rows.Bigint,
  failed: Rows.Bigint,
  unlisted: Rows.Bigint,
  firings: Rows.Bigint,
  peak_percent: Schema.Int
})

export const toAppHour = ({
  app_id: appId,
  peak_percent: peakPercent,
  ...counts
}: typeof AppHourRow.Type): AppFigures.AppHour => ({ appId, peakPercent, ...counts })

/** A row of `app_calls`: one call in the request log of an app. */
export const CallRow = Schema.Struct({
  app_id: AppId,
  at: Rows.At,
  request_id: Schema.String,
  endpoint: Schema.String,
  status: Schema.Int,
  error: Schema.NullOr(Schema.String)
})

export const toCall = ({
  app_id: appId,
  request_id: requestId,
  ...call
}: typeof CallRow.Type): AppFigures.LoggedCall => ({
  appId,
  requestId,
  ...call
})

/**
 * A row of `endpoint_hours`: how many attempts at one endpoint in one hour succeeded, or failed, and took at most
 * `up_to_millis` but longer than the next smaller bound (`EndpointFigures.AttemptCount`).
 */
export const AttemptRow = Schema.Struct({
  app_id: AppId,
  endpoint_id: EndpointId,
  hour: Rows.At,
  is_success: Schema.Boolean,
  up_to_millis: Schema.Int,
  attempts: Rows.Bigint,
  last_at: Rows.At,
  error: Schema.NullOr(Schema.String)
})

export const toAttempts = (row: typeof AttemptRow.Type): EndpointFigures.AttemptCount => ({
  appId: row.app_id,
  endpointId: row.endpoint_id,
  hour: row.hour,
  isSuccess: row.is_success,
  upToMillis: row.up_to_millis,
  attempts: row.attempts,
  lastAt: row.last_at,
  error: row.error
})

export const NewestRow = Schema.Struct({
  endpoint_id: EndpointId,
  is_success: Schema.Boolean,
  last_at: Rows.At,
  error: Schema.NullOr(Schema.String)
})

/** Joins the rows of each endpoint: its newest success and its newest failure, one of which may be missing. */
export const toNewest = (rows: ReadonlyArray<typeof NewestRow.Type>): ReadonlyArray<EndpointFigures.NewestAttempts> =>
  [...new Set(rows.map((row) => row.endpoint_id))].map((endpointId) => {
    const of = (isSuccess: boolean) =>
      rows.find((row) => row.endpoint_id === endpointId && row.is_success === isSuccess)
    return {
      endpointId,
      succeededAt: of(true)?.last_at ?? null,
      failedAt: of(false)?.last_at ?? null,
      error: of(false)?.error ?? null
    }
  })

export const CountRow = Schema.Struct({ count: Rows.Bigint })

export const UsersRow = Schema.Struct({ hour: Rows.NullableAt, count: Rows.Bigint, live: Rows.Bigint })
