import { EndpointUrl, type SigningSecret, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { AppId, EndpointId, Timestamp, Vault } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "./Rows.js"

/** In jsonb, newest first; times as whole milliseconds. */
export const Secrets = Schema.Array(
  Schema.Struct({
    sealed: Vault.Sealed,
    createdAt: Timestamp.Timestamp,
    expiresAt: Schema.NullOr(Timestamp.Timestamp)
  })
)

export const toSecrets = (secrets: ReadonlyArray<SigningSecret.SigningSecret>): string =>
  Rows.json(secrets.map(({ sealed, createdAt, expiresAt }) => ({ sealed, createdAt, expiresAt })))

/** The columns of `endpoints`. */
export const EndpointRow = Schema.Struct({
  app_id: AppId,
  endpoint_id: EndpointId,
  url: EndpointUrl.EndpointUrl,
  events: Schema.Array(Event.Subscribable),
  description: Schema.NullOr(Schema.typeSchema(WebhookEndpoint.Description)),
  disabled_at: Rows.NullableAt,
  epoch: Schema.Int,
  strikes: Schema.Int,
  secrets: Secrets,
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
  createdAt: row.created_at
})
