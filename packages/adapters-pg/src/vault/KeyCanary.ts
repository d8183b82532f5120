import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { SigningSecret } from "@place-access/domain/endpoints"
import { AppId, EndpointId, type Program, program, Timestamp, Vault } from "@place-access/domain/shared"
import { Data, Effect, Option, type ParseResult, Schema } from "effect"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"

/**
 * The canary is a sealed (encrypted) text in the database. It shows whether a process has the right keys, before wrong
 * keys do harm. A process with wrong keys would seal new secrets that the other processes cannot open, could not repeat
 * the lost answer of a token request, and could sign no webhook.
 *
 * The first start seals a fixed text and stores it. Each later start opens it. So that a key can be replaced, a server
 * or worker whose newest key is not the canary's key seals the canary anew at its start: the old key, which is still in
 * the list, opens it.
 */

/**
 * None of the keys opens the canary; or, in a database without a canary, the keys do not open an endpoint's secret.
 * Nothing was changed.
 */
export class WrongKeys extends Data.TaggedError("WrongKeys")<{
  /** The id of the key that sealed the canary or the secret; never the key itself. */
  readonly keyId: string
}> {}

type Failure = SqlError | ParseResult.ParseError | WrongKeys

/** The column of the canary, as `KeyUsage.count` names it. */
export const COLUMN = "key_canaries.sealed"

/** The name of the canary's row. The table has no other row. */
const NAME = "current"
const CONTEXT = "key-canary"
const TEXT = "place-access"

const Canary = Schema.Struct({ sealed: Vault.Sealed })
const Secret = Schema.Struct({ app_id: AppId, endpoint_id: EndpointId, sealed: Vault.Sealed })

/** The id of the key in the format of `NodeVault`: `v1.kid.text`. */
const keyIdOf = (sealed: Vault.Sealed): string => sealed.split(".")[1] ?? ""

const hasTable = (name: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT 1 WHERE to_regclass(${name}) IS NOT NULL`, (rows) => rows.length > 0)
  )

const opens = (sealed: Vault.Sealed, context: string) =>
  Effect.flatMap(Vault.Vault, (vault) =>
    Effect.orElseFail(vault.unseal(sealed, context), () => new WrongKeys({ keyId: keyIdOf(sealed) }))
  )

/**
 * Checks the keys on a database that has no canary yet. Looks for the newest endpoint whose signing secret was sealed
 * with a key of the same id as one of the given keys, and opens that secret.
 */
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

/** Checks the keys and changes nothing. The database may be empty or have a schema of any version. */
export const check = program("KeyCanary.check", function* (): Program<void, Failure, SqlClient | Vault.Vault> {
  const sql = yield* SqlClient
  const canary = (yield* hasTable("key_canaries"))
    ? yield* sql`SELECT sealed FROM key_canaries WHERE name = ${NAME}`.pipe(Rows.first(Canary))
    : Option.none()
  yield* Option.match(canary, { onNone: () => opensASecret, onSome: ({ sealed }) => opens(sealed, CONTEXT) })
})

/**
 * Checks the keys, and stores the canary (a sealed text that only the right keys open) when the database has none; the
 * schema must be up to date. Of two processes that start at the same time on an empty database with different keys, one
 * is refused. When an existing canary is not sealed with the newest key, a server or worker seals it anew with that
 * key. A command does not (`isCommand`), so only a server or worker changes the key of an existing canary (decision
 * settings-3).
 */
export const keep = program("KeyCanary.keep", function* (isCommand = false): Program<
  void,
  Failure,
  SqlClient | Vault.Vault
> {
  const [sql, vault] = [yield* SqlClient, yield* Vault.Vault]
  const now = Rows.at(yield* Timestamp.now)
  const fresh = yield* vault.seal(TEXT, CONTEXT)
  yield* Effect.gen(function* () {
    yield* sql`INSERT INTO key_canaries (name, sealed, sealed_at) VALUES (${NAME}, ${fresh}, ${now})
      ON CONFLICT (name) DO NOTHING`
    const kept = yield* sql`SELECT sealed FROM key_canaries WHERE name = ${NAME} FOR UPDATE`.pipe(Rows.first(Canary))
    if (Option.isNone(kept)) return
    yield* opens(kept.value.sealed, CONTEXT)
    if (isCommand || keyIdOf(kept.value.sealed) === vault.currentKey) return
    yield* sql`UPDATE key_canaries SET sealed = ${fresh}, sealed_at = ${now} WHERE name = ${NAME}`
  }).pipe(sql.withTransaction, Failures.orSqlError)
})
