import { KeyUsage, Migrator, NodeVault, Reencryption } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Vault } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Redacted, TestClock } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { emptyEmbedded, migratedEmbedded } from "../support/embedded.js"

const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("k1"))))

/**
 * For each file of the domain that seals values with the vault, the column that stores the sealed values. Cursors of
 * pages are sealed too, but they are not stored.
 */
const COLUMN_OF: Readonly<Record<string, string>> = {
  "credentials/changeAddress.ts": "mail_outbox.link_secret",
  "credentials/knownBrowsers.ts": "mail_outbox.link_secret",
  "credentials/resetPassword.ts": "mail_outbox.link_secret",
  "credentials/signUpByMail.ts": "mail_outbox.link_secret",
  "endpoints/manageEndpoints.ts": "endpoints.headers",
  "exports/makeArchive.ts": "export_pieces.sealed",
  "factors/manageFactors.ts": "code_apps.secret",
  "idempotency/answerOnce.ts": "idempotent_answers.sealed",
  "legacy/changeSubscriptions.ts": "subscriptions.secret",
  "legacy/importRules.ts": "rules.own_secret"
}

/** The columns whose values are deleted within a week, so they need not be encrypted again (decision settings-3). */
const SHORT_LIVED: ReadonlyArray<string> = ["export_pieces.sealed", "idempotent_answers.sealed"]

const DOMAIN = join(import.meta.dirname, "../../../domain/src")

describe("the count of sealed values", () => {
  it("knows the column of everything that the domain seals", () => {
    const sealing = readdirSync(DOMAIN, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && /vault\w*\)?\.seal(?:Bytes)?\(/i.test(readFileSync(join(DOMAIN, file), "utf8"))
    )
    expect(sealing.sort()).toEqual(Object.keys(COLUMN_OF).sort())
  })

  it("every column is encrypted again on request, or its values are deleted within a week [settings-3]", () => {
    const left = Object.values(COLUMN_OF).filter((column) => !SHORT_LIVED.includes(column))
    expect(left.filter((column) => !Reencryption.COLUMNS.includes(column))).toEqual([])
  })

  it.effect("has the headers of endpoints and the pieces of archives: without their key nobody can read them", () =>
    Effect.gen(function* () {
      const [sql, vault] = [yield* SqlClient, yield* Vault.Vault]
      const headers = JSON.stringify([{ name: "authorization", sealed: yield* vault.seal("Bearer x", "a header") }])
      yield* sql`INSERT INTO endpoints (app_id, endpoint_id, url, events, epoch, strikes, secrets, headers, created_at)
                 VALUES ('app_1', 'whe_1', 'https://example.com/', '{}', 1, 0, '[]', ${headers}::jsonb, now())`
      const piece = Buffer.from(yield* vault.sealBytes(new Uint8Array(100_000), "a piece"))
      yield* sql`INSERT INTO export_pieces (user_id, export_id, position, sealed) VALUES ('usr_1', 'exp_1', 0, ${piece})`
      const used = yield* KeyUsage.count()
      expect(used.filter(({ where }) => where !== "key_canaries.sealed")).toEqual([
        { keyId: "k1", where: "endpoints.headers", count: 1 },
        { keyId: "k1", where: "export_pieces.sealed", count: 1 }
      ])
    }).pipe(Effect.provide(Layer.merge(migratedEmbedded, NodeVault.layer(keys))))
  )

  it.effect(
    "has the tokens and codes that a repeated request derives again with the key of the last minute [settings-1]",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* TestClock.setTime(Date.parse("2026-11-29T12:00:00Z"))
        const moments = [
          ["k1", "11:59:30Z"],
          ["k0", "11:58:30Z"]
        ] as const
        for (const [key, time] of moments) {
          const at = `2026-11-29T${time}`
          yield* sql`INSERT INTO refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link, rotated_at,
                     nonce, key_id)
                   VALUES ('usr_1', ${key}, 'con_1', ${key}, ${at}, 1, ${at}, 'n', ${key})`
          yield* sql`INSERT INTO authorization_codes (user_id, code_hash, connection_id, app_id, redirect_uri, challenge,
                     created_at, used_at, nonce, key_id)
                   VALUES ('usr_1', ${key}, ${`con_${key}`}, 'app_1', 'https://example.com/', 'c', ${at}, ${at}, 'n', ${key})`
          // The consent request is half an hour old: the user read the consent page for this time before the decision.
          yield* sql`INSERT INTO consent_requests (request_id, app_id, redirect_uri, scopes, challenge, state, answers_issuer,
                     created_at, decided_by, outcome, connection_id, key_id)
                   VALUES (${key}, 'app_1', 'https://example.com/', '{}', 'c', '12345678', true,
                     '2026-11-29T11:30:00Z', 'usr_1', 'approved', ${`con_${key}`}, ${key})`
        }
        // An app that sends no Idempotency-Key cannot repeat the exchange of its code, so its row has no `key_id`.
        yield* sql`INSERT INTO authorization_codes (user_id, code_hash, connection_id, app_id, redirect_uri, challenge,
                   created_at, used_at)
                 VALUES ('usr_2', 'other', 'con_2', 'app_1', 'https://example.com/', 'c', '2026-11-29T11:59:30Z',
                   '2026-11-29T11:59:30Z')`
        const used = yield* KeyUsage.count()
        expect(used.filter(({ where }) => where.endsWith(".key_id"))).toEqual([
          { keyId: "k1", where: "refresh_tokens.key_id", count: 1 },
          { keyId: "k1", where: "authorization_codes.key_id", count: 1 },
          { keyId: "k1", where: "consent_requests.key_id", count: 1 }
        ])
      }).pipe(Effect.provide(migratedEmbedded))
  )

  it.live("has the values of a database whose tables are not in the schema `public` [settings-1]", () =>
    Effect.gen(function* () {
      const [sql, vault] = [yield* SqlClient, yield* Vault.Vault]
      const found = [{ keyId: "k1", where: "key_canaries.sealed", count: 1 }]
      yield* sql`CREATE SCHEMA other`
      yield* sql`SET search_path TO other, public`
      yield* Migrator.migrate
      const sealed = yield* vault.seal("Bearer x", "a header")
      yield* sql`INSERT INTO key_canaries (name, sealed, sealed_at) VALUES ('current', ${sealed}, now())`
      expect(yield* KeyUsage.count()).toEqual(found)
      // A schema that somebody makes later may come first in the search path, as "$user" does by default.
      yield* sql`CREATE SCHEMA newer`
      yield* sql`SET search_path TO newer, other, public`
      expect(yield* KeyUsage.count()).toEqual(found)
    }).pipe(Effect.provide(Layer.merge(emptyEmbedded, NodeVault.layer(keys))))
  )
})
