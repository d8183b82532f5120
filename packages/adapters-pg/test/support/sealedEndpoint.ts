import { SqlClient } from "@effect/sql/SqlClient"
import { SigningSecret } from "@place-access/domain/endpoints"
import { AppId, EndpointId, Vault } from "@place-access/domain/shared"
import { Effect } from "effect"

const app = AppId.make("app_00000000000000000000000000")

/** Stores an endpoint whose signing secret is encrypted with the newest key of the vault. */
export const storeSealedEndpoint = (index = 0) =>
  Effect.gen(function* () {
    const [sql, vault] = [yield* SqlClient, yield* Vault.Vault]
    const id = EndpointId.make(`whe_${String(index).padStart(26, "0")}`)
    const sealed = yield* vault.seal("whsec_x", SigningSecret.sealContext(app, id))
    const secrets = JSON.stringify([{ sealed, createdAt: 0, expiresAt: null }])
    yield* sql`INSERT INTO endpoints (app_id, endpoint_id, url, events, epoch, strikes, secrets, created_at)
      VALUES (${app}, ${id}, 'https://example.com/', '{}', 1, 0, ${secrets}::jsonb, ${new Date(0)})`
  })
