import { KeyCanary, Migrator, NodeVault } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { expect } from "vitest"
import { migrations } from "../../../../packages/adapters-pg/src/schema/migrations/index.js"
import { emptyEmbedded, migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { storeSealedEndpoint } from "../../../../packages/adapters-pg/test/support/sealedEndpoint.js"
import { keysReencrypt } from "../../src/operator/keysReencrypt.js"

const [k1, k2, lost] = ["k1", "k2", "k9"].map((id) => Redacted.value(NodeVault.generateKey(id)))

/** The vault with these keys, newest first. */
const vaultOf = (...keys: ReadonlyArray<string | undefined>) =>
  NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(keys.join(","))))

const endpoints = Effect.flatMap(SqlClient, (sql) => sql`SELECT secrets FROM endpoints ORDER BY endpoint_id`)

describe("keys reencrypt [settings-3]", () => {
  it.live("on a database with an older schema: says what to do, and changes nothing", () =>
    Effect.gen(function* () {
      yield* Migrator.migrateWith(Migrator.fromRecord(migrations).slice(0, -1))
      yield* KeyCanary.keep().pipe(Effect.provide(vaultOf(k1)))
      yield* storeSealedEndpoint(1).pipe(Effect.provide(vaultOf(k1)))
      const before = yield* endpoints
      const refused = yield* Effect.flip(keysReencrypt.pipe(Effect.provide(vaultOf(k1))))
      expect(refused.message).toBe(
        "The database has an older schema: 1 migration is missing. Use the release that the database belongs to, " +
          "or run npm start -- migrate. Nothing was changed."
      )
      expect(yield* endpoints).toEqual(before)
      expect(yield* Migrator.missing).toHaveLength(1)
    }).pipe(Effect.provide(emptyEmbedded))
  )

  it.live("names the rows with a value that cannot be decrypted, and encrypts the others again", () =>
    Effect.gen(function* () {
      yield* storeSealedEndpoint(1).pipe(Effect.provide(vaultOf(k1)))
      yield* storeSealedEndpoint(2).pipe(Effect.provide(vaultOf(lost)))
      yield* KeyCanary.keep().pipe(Effect.provide(vaultOf(k2, k1)))
      const { sentences } = yield* keysReencrypt.pipe(Effect.provide(vaultOf(k2, k1)))
      expect(sentences.slice(0, 4)).toEqual([
        'Encrypted 1 row again with the key "k2":',
        "  endpoints.secrets: 1",
        "1 row has a value that cannot be decrypted and stays: its key is missing, or the value is damaged:",
        "  endpoints.secrets: 1"
      ])
    }).pipe(Effect.provide(migratedEmbedded))
  )
})
