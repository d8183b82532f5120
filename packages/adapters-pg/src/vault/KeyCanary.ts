import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { SigningSecret } from "@place-access/domain/endpoints"
import { AppId, EndpointId, Timestamp, Vault } from "@place-access/domain/shared"
import { Data, Effect, Option, type ParseResult, Schema } from "effect"
import * as Rows from "../Rows.js"

/**
 * The canary tells wrong keys before they do harm. A process with wrong keys would seal new secrets that the other processes cannot open,
 * would refuse every refresh token, and could sign no webhook.
 *
 * The first start seals a text that everybody knows and keeps it in the database. Each later start opens it. A start whose newest key is
 * another one than the canary's seals it anew, so that a key can be replaced: as long as the old key stays in the ring, it opens the canary.
 */

/** None of the keys opens what the database holds; nothing was changed. */
export class WrongKeys extends Data.TaggedError("WrongKeys")<{
  /** The key that the database was last used with; never the key itself. */
  readonly keyId: string
}> {}

type Failure = SqlError | ParseResult.ParseError | WrongKeys

/** There is one canary. */
const NAME = "current"
const CONTEXT = "key-canary"
const TEXT = "place-access"

const Canary = Schema.Struct({ sealed: Vault.Sealed })
const Secret = Schema.Struct({ app_id: AppId, endpoint_id: EndpointId, sealed: Vault.Sealed })

/** Where the format of `NodeVault` has the key's id: `v1.kid.text`. */
const keyIdOf = (sealed: Vault.Sealed): string => sealed.split(".")[1] ?? ""

const hasTable = (name: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT 1 WHERE to_regclass(${name}) IS NOT NULL`, (rows) => rows.length > 0)
  )

const opens = (sealed: Vault.Sealed, context: string) =>
  Effect.flatMap(Vault.Vault, (vault) =>
    Effect.orElseFail(vault.unseal(sealed, context), () => new WrongKeys({ keyId: keyIdOf(sealed) }))
  )

/** Before a database has its first canary, the newest signing secret of an endpoint that a key of this name has sealed must do. */
const opensASecret = Effect.gen(function* () {
  if (!(yield* hasTable("endpoints"))) return
  const [sql, { keys }] = [yield* SqlClient, yield* Vault.Vault]
  const found = yield* sql`SELECT app_id, endpoint_id, secrets -> 0 ->> 'sealed' AS sealed FROM endpoints
    WHERE split_part(secrets -> 0 ->> 'sealed', '.', 2) = ANY(${keys}) ORDER BY created_at DESC LIMIT 1`.pipe(
    Rows.first(Secret)
  )
  if (Option.isNone(found)) return
  const { app_id, endpoint_id, sealed } = found.value
  yield* opens(sealed, SigningSecret.sealContext(app_id, endpoint_id))
})

/** Reads, and changes nothing: for a database whose schema may be of any version, or empty. */
export const check: Effect.Effect<void, Failure, SqlClient | Vault.Vault> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const canary = (yield* hasTable("key_canaries"))
    ? yield* sql`SELECT sealed FROM key_canaries WHERE name = ${NAME}`.pipe(Rows.first(Canary))
    : Option.none()
  yield* Option.match(canary, { onNone: () => opensASecret, onSome: ({ sealed }) => opens(sealed, CONTEXT) })
}).pipe(Effect.withSpan("KeyCanary.check"))

/** For a database that is up to date. Of two that start at once on an empty database with different keys one is refused. */
export const keep: Effect.Effect<void, Failure, SqlClient | Vault.Vault> = Effect.gen(function* () {
  const [sql, vault] = [yield* SqlClient, yield* Vault.Vault]
  const now = Rows.at(yield* Timestamp.now)
  const fresh = yield* vault.seal(TEXT, CONTEXT)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`INSERT INTO key_canaries (name, sealed, sealed_at) VALUES (${NAME}, ${fresh}, ${now})
        ON CONFLICT (name) DO NOTHING`
      const kept = yield* sql`SELECT sealed FROM key_canaries WHERE name = ${NAME} FOR UPDATE`.pipe(Rows.first(Canary))
      if (Option.isNone(kept)) return
      yield* opens(kept.value.sealed, CONTEXT)
      if (keyIdOf(kept.value.sealed) === vault.currentKey) return
      yield* sql`UPDATE key_canaries SET sealed = ${fresh}, sealed_at = ${now} WHERE name = ${NAME}`
    })
  )
}).pipe(Effect.withSpan("KeyCanary.keep"))
