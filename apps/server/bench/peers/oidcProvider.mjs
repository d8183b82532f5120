import { createServer } from "node:http"
import { Provider } from "oidc-provider"
import pg from "pg"

/**
 * A server of oidc-provider with rotating refresh tokens and a PostgreSQL adapter, which follows oidc-provider's
 * documentation: one table, with a JSON document for each token and grant. `PEOPLE` people have a grant and a refresh
 * token; the token is the person's number in 43 digits.
 */

const { DATABASE_URL, PEOPLE, PORT } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
await pool.query(`CREATE TABLE oidc (
  kind text NOT NULL, id text NOT NULL, payload jsonb NOT NULL, grant_id text, expires_at timestamptz,
    consumed_at timestamptz,
  PRIMARY KEY (kind, id))`)
await pool.query(`CREATE INDEX oidc_by_grant ON oidc (grant_id)`)

const UPSERT = `INSERT INTO oidc (kind, id, payload, grant_id, expires_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (kind, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
    expires_at = excluded.expires_at`

class Adapter {
  constructor(kind) {
    this.kind = kind
  }
  async upsert(id, payload, expiresIn) {
    const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1_000)
    await pool.query({
      name: "upsert",
      text: UPSERT,
      values: [this.kind, id, payload, payload.grantId ?? null, expiresAt]
    })
  }
  async find(id) {
    const { rows } = await pool.query({
      name: "find",
      text: "SELECT payload, expires_at, consumed_at FROM oidc WHERE kind = $1 AND id = $2",
      values: [this.kind, id]
    })
    const [row] = rows
    if (row === undefined || (row.expires_at !== null && row.expires_at.getTime() <= Date.now())) return undefined
    return row.consumed_at === null
      ? row.payload
      : { ...row.payload, consumed: Math.floor(row.consumed_at.getTime() / 1_000) }
  }
  async findByUid() {}
  async findByUserCode() {}
  async consume(id) {
    await pool.query({
      name: "consume",
      text: "UPDATE oidc SET consumed_at = now() WHERE kind = $1 AND id = $2",
      values: [this.kind, id]
    })
  }
  async destroy(id) {
    await pool.query({ name: "destroy", text: "DELETE FROM oidc WHERE kind = $1 AND id = $2", values: [this.kind, id] })
  }
  async revokeByGrantId(grantId) {
    await pool.query("DELETE FROM oidc WHERE grant_id = $1", [grantId])
  }
}

const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  adapter: Adapter,
  clients: [
    {
      client_id: "bench",
      client_secret: "secret",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "client_secret_post"
    }
  ],
  cookies: { keys: ["bench"] },
  features: { devInteractions: { enabled: false } },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  rotateRefreshToken: true,
  scopes: ["offline_access"],
  ttl: { AccessToken: 3_600, Grant: 1_209_600, RefreshToken: 1_209_600 }
})

// The library makes the first grant and the first token. The other grants and tokens are copies of these two rows.
const client = await provider.Client.find("bench")
const grant = new provider.Grant({ accountId: "person", clientId: "bench" })
grant.addOIDCScope("offline_access")
const grantId = await grant.save()
const model = await new provider.RefreshToken({
  accountId: "person",
  client,
  expiresWithSession: false,
  grantId,
  gty: "authorization_code",
  scope: "offline_access"
}).save()
for (const [kind, id] of [
  ["Grant", grantId],
  ["RefreshToken", model]
]) {
  await pool.query(
    `INSERT INTO oidc (kind, id, payload, grant_id, expires_at)
     SELECT kind, own, payload || jsonb_build_object('jti', own, 'accountId', 'person' || n)
         || CASE WHEN kind = 'Grant' THEN '{}' ELSE jsonb_build_object('grantId', 'grant' || n) END,
       CASE WHEN kind = 'Grant' THEN NULL ELSE 'grant' || n END, expires_at
     FROM oidc, generate_series(0, $3::integer - 1) AS n,
       LATERAL (SELECT CASE WHEN kind = 'Grant' THEN 'grant' || n ELSE lpad(n::text, 43, '0') END AS own) o
     WHERE kind = $1 AND id = $2`,
    [kind, id, PEOPLE]
  )
}
await pool.query("VACUUM ANALYZE oidc")

const answer = provider.callback()
createServer((request, response) => (request.url === "/readyz" ? response.end() : answer(request, response))).listen(
  Number(PORT),
  "127.0.0.1"
)
