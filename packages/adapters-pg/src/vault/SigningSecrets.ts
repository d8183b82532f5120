import type { SigningSecret } from "@place-access/domain/endpoints"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** Signing secrets, as jsonb stores them: newest first, with times in whole milliseconds. */
export const Secrets = Schema.Array(
  Schema.Struct({
    sealed: Vault.Sealed,
    createdAt: Timestamp.Timestamp,
    expiresAt: Schema.NullOr(Timestamp.Timestamp)
  })
)

export const toSecrets = (secrets: ReadonlyArray<SigningSecret.SigningSecret>): string =>
  Rows.json(secrets.map(({ sealed, createdAt, expiresAt }) => ({ sealed, createdAt, expiresAt })))
