import { RedirectUri } from "@place-access/domain/apps"
import { ConsentRequest } from "@place-access/domain/consent"
import { AppId, ConnectionId, ConsentRequestId, Scope, UserId, Vault } from "@place-access/domain/shared"
import { Pkce } from "@place-access/domain/tokens"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

export const RequestRow = Schema.Struct({
  request_id: ConsentRequestId,
  app_id: AppId,
  redirect_uri: RedirectUri.RedirectUri,
  scopes: Schema.Array(Scope.Scope),
  challenge: Pkce.Challenge,
  state: ConsentRequest.ConsentRequestState,
  external_user_id: Schema.NullOr(ConsentRequest.ExternalUserId),
  answers_issuer: Schema.Boolean,
  created_at: Rows.At,
  decided_by: Schema.NullOr(UserId),
  outcome: Schema.NullOr(Schema.Literal("denied", "approved")),
  connection_id: Schema.NullOr(ConnectionId),
  key_id: Schema.NullOr(Vault.KeyId)
})

export const COLUMNS = Rows.columns(RequestRow)

export const toRequest = (row: typeof RequestRow.Type): ConsentRequest.ConsentRequest => ({
  id: row.request_id,
  appId: row.app_id,
  redirectUri: row.redirect_uri,
  scopes: row.scopes,
  challenge: row.challenge,
  state: row.state,
  externalUserId: row.external_user_id,
  answersIssuer: row.answers_issuer,
  createdAt: row.created_at,
  decided: toDecided(row)
})

const toDecided = ({
  connection_id,
  decided_by: by,
  key_id,
  outcome
}: typeof RequestRow.Type): ConsentRequest.DecidedConsent | null =>
  by === null || outcome === null
    ? null
    : outcome === "approved" && connection_id !== null && key_id !== null
      ? { by, outcome: "approved", connectionId: connection_id, keyId: key_id }
      : { by, outcome: "denied" }
