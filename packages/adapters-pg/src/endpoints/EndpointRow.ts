import { EndpointUrl, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { AppId, EndpointId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { Headers } from "../vault/EndpointHeaders.js"
import { Secrets } from "../vault/SigningSecrets.js"

/** The columns of `endpoints` that make a `WebhookEndpoint`. */
export const EndpointRow = Schema.Struct({
  app_id: AppId,
  endpoint_id: EndpointId,
  url: EndpointUrl.EndpointUrl,
  events: Schema.Array(Event.Subscribable),
  description: Schema.NullOr(Schema.typeSchema(WebhookEndpoint.EndpointDescription)),
  disabled_at: Rows.NullableAt,
  epoch: Schema.Int,
  strikes: Schema.Int,
  secrets: Secrets,
  headers: Headers,
  created_at: Rows.At
})
export type EndpointRow = typeof EndpointRow.Type

export const toEndpoint = (row: EndpointRow): WebhookEndpoint.WebhookEndpoint => ({
  appId: row.app_id,
  id: row.endpoint_id,
  url: row.url,
  events: row.events,
  description: row.description,
  disabledAt: row.disabled_at,
  epoch: row.epoch,
  strikes: row.strikes,
  secrets: row.secrets,
  headers: row.headers,
  createdAt: row.created_at
})

export const COLUMNS = Rows.columns(EndpointRow)
