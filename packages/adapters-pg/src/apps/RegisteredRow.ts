import type { ClientSecret, Registered } from "@place-access/domain/apps"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { AppRow, toApp } from "./AppRow.js"

/** An entry of `apps.client_secrets`, a jsonb list with the newest secret first. Times are in whole milliseconds. */
const Secret = Schema.Struct({
  hash: Vault.Hash,
  createdAt: Timestamp.Timestamp,
  expiresAt: Schema.NullOr(Timestamp.Timestamp)
})

/** The columns of `apps` that make an app with its secrets. */
export const RegisteredRow = Schema.Struct({ ...AppRow.fields, client_secrets: Schema.Array(Secret) })

export const REGISTERED_COLUMNS = Rows.columns(RegisteredRow)

export const toRegistered = (row: typeof RegisteredRow.Type): Registered => ({
  app: toApp(row),
  secrets: row.client_secrets.map((secret) => ({ appId: row.app_id, ...secret }))
})

export const toSecrets = (secrets: ReadonlyArray<ClientSecret.ClientSecret>): string =>
  Rows.json(secrets.map(({ hash, createdAt, expiresAt }): typeof Secret.Type => ({ hash, createdAt, expiresAt })))
