import { KeyUsage, NodeVault, Reencryption } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { EndpointHeader, SigningSecret } from "@place-access/domain/endpoints"
import { Factors } from "@place-access/domain/factors"
import { Receiver } from "@place-access/domain/legacy"
import { Mail } from "@place-access/domain/mail"
import { AppId, EndpointId, RuleId, SubscriptionId, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Check, type Contract } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Redacted } from "effect"
import { lockCredentials } from "../../src/accounts/credentialLock.js"

const key = (id: string): string => Redacted.value(NodeVault.generateKey(id))
/** `k20` begins like `k2`, and a search for one of these ids must not find the other. */
const [k1, k2, k20, k3] = [key("k1"), key("k2"), key("k20"), key("k3")]

/** Runs an effect with these keys, newest first. The newest key seals new values. */
const under = (...keys: ReadonlyArray<string>) =>
  Effect.provide(NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(keys.join(",")))))

const app = AppId.make("app_00000000000000000000000000")
const person = UserId.make("usr_00000000000000000000000000")
const rule = RuleId.make("rul_00000000000000000000000000")
const subscription = SubscriptionId.make("sub_00000000000000000000000000")
const endpointAt = (index: number) => EndpointId.make(`whe_${String(index).padStart(26, "0")}`)
const mail = { to: person, dedupeKey: "reset 1" }
const header = EndpointHeader.HeaderName.make("x-key")

const seal = (plain: string, context: string) => Effect.flatMap(Vault.Vault, (vault) => vault.seal(plain, context))

const empty = Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const table of ["endpoints", "rules", "subscriptions", "code_apps", "mail_outbox"])
    yield* sql`DELETE FROM ${sql(table)}`
})

/** Stores an endpoint with these secrets and one header. `expiresAt`: for each secret, when it stops signing. */
const storeEndpoint = (index: number, expiresAt: ReadonlyArray<number | null> = [null]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const id = endpointAt(index)
    const secrets = yield* Effect.forEach(expiresAt, (end, at) =>
      Effect.map(seal(`whsec_${at}`, SigningSecret.sealContext(app, id)), (sealed) => ({
        sealed,
        createdAt: 0,
        expiresAt: end
      }))
    )
    const headers = [{ name: header, sealed: yield* seal("Bearer x", EndpointHeader.sealContext(app, id, header)) }]
    yield* sql`INSERT INTO endpoints (app_id, endpoint_id, url, events, epoch, strikes, secrets, headers, created_at)
      VALUES (${app}, ${id}, 'https://example.com/', '{}', 1, 0, ${JSON.stringify(secrets)}::jsonb,
              ${JSON.stringify(headers)}::jsonb, ${new Date(0)})`
  })

/** Stores a value in each column. */
const storeEverything = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* storeEndpoint(0)
  yield* sql`INSERT INTO rules (user_id, rule_id, connection_id, app_id, type, place_id, created_at, own_secret)
    VALUES (${person}, ${rule}, 'con_1', ${app}, 'enter', 'plc_1', ${new Date(0)},
            ${yield* seal("of the rule", Receiver.sealContext(person, rule))})`
  yield* sql`INSERT INTO subscriptions (user_id, connection_id, subscription_id, app_id, url, secret, created_at)
    VALUES (${person}, 'con_1', ${subscription}, ${app}, 'https://example.com/',
            ${yield* seal("of the subscription", Receiver.sealContext(person, subscription))}, ${new Date(0)})`
  yield* sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
    VALUES (${person}, 'keys@example.test', 'Kim', 'x', '{}', ${new Date(0)}) ON CONFLICT DO NOTHING`
  yield* sql`INSERT INTO code_apps (user_id, secret, confirmed_at, used_step)
    VALUES (${person}, ${yield* seal("of the code app", Factors.secretContext(person))}, NULL, 0)`
  const secret = yield* seal("of the link", Mail.secretContext(mail))
  yield* sql`INSERT INTO mail_outbox (user_id, dedupe_key, subject, body, link_secret, created_at, due_at)
    VALUES (${mail.to}, ${mail.dedupeKey}, 'Hello', 'Hello', ${secret}, ${new Date(0)}, ${new Date(0)})`
})

interface Stored {
  readonly secrets: ReadonlyArray<{ readonly sealed: Vault.Sealed }>
  readonly headers: ReadonlyArray<{ readonly sealed: Vault.Sealed }>
}

const endpointRow = (index: number) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql<Stored>`SELECT secrets, headers FROM endpoints WHERE app_id = ${app} AND endpoint_id = ${endpointAt(index)}`,
      ([row]) => row ?? { secrets: [], headers: [] }
    )
  )

const oneText = (table: string, column: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql<{
        readonly value: Vault.Sealed
      }>`SELECT ${sql(column)} AS value FROM ${sql(table)} WHERE user_id = ${person}`,
      ([row]) => row?.value ?? Vault.Sealed.make("")
    )
  )

const opened = (sealed: Vault.Sealed, context: string) =>
  Effect.flatMap(Vault.Vault, (vault) => vault.unseal(sealed, context))

/** The plain texts of an endpoint's secrets, and of its headers. Fails when the keys do not open one of them. */
const openedEndpoint = (index: number) =>
  Effect.gen(function* () {
    const { headers, secrets } = yield* endpointRow(index)
    const id = endpointAt(index)
    return [
      ...(yield* Effect.forEach(secrets, ({ sealed }) => opened(sealed, SigningSecret.sealContext(app, id)))),
      ...(yield* Effect.forEach(headers, ({ sealed }) => opened(sealed, EndpointHeader.sealContext(app, id, header))))
    ]
  })

/** A result with these numbers of rows, in the order of `Reencryption.COLUMNS`. */
const result = (rows: ReadonlyArray<number>, unreadable: ReadonlyArray<number> = []) =>
  Reencryption.COLUMNS.map((where, at) => ({ where, rows: rows[at] ?? 0, unreadable: unreadable[at] ?? 0 }))

export const reencryptionContract: Contract<SqlClient> = [
  {
    name: "encrypts each value again with the newest key: the newest key alone opens it, and no value needs the old key",
    run: Effect.gen(function* () {
      yield* empty
      yield* storeEverything.pipe(under(k20))
      const run = Reencryption.run().pipe(under(k2, k20))
      Check.equal(yield* run, result([1, 1, 1, 1, 1, 1]), "the first run")
      const all = Effect.gen(function* () {
        return [
          ...(yield* openedEndpoint(0)),
          yield* opened(yield* oneText("rules", "own_secret"), Receiver.sealContext(person, rule)),
          yield* opened(yield* oneText("subscriptions", "secret"), Receiver.sealContext(person, subscription)),
          yield* opened(yield* oneText("code_apps", "secret"), Factors.secretContext(person)),
          yield* opened(yield* oneText("mail_outbox", "link_secret"), Mail.secretContext(mail))
        ]
      })
      const plain = ["whsec_0", "Bearer x", "of the rule", "of the subscription", "of the code app", "of the link"]
      Check.equal(yield* all.pipe(under(k2)), plain, "what the newest key opens")
      const used = (yield* KeyUsage.count()).filter(({ where }) => Reencryption.COLUMNS.includes(where))
      Check.equal([...new Set(used.map(({ keyId }) => keyId))], ["k2"], "the keys in use")
      Check.equal(yield* run, result([]), "the second run")
    })
  },
  {
    name: "writes no row that the newest key encrypted",
    run: Effect.gen(function* () {
      yield* empty
      yield* storeEverything.pipe(under(k2))
      const before = yield* endpointRow(0)
      Check.equal(yield* Reencryption.run().pipe(under(k2, k1)), result([]), "the run")
      Check.equal(yield* endpointRow(0), before, "the row")
    })
  },
  {
    name: "keeps the times of a secret; leaves out a secret that expired a day ago, and not 1 ms earlier",
    run: Effect.gen(function* () {
      yield* empty
      const now = yield* Timestamp.now
      yield* storeEndpoint(0, [null, now - Timestamp.DAY + 1, now - Timestamp.DAY]).pipe(under(k1))
      const [newest, previous] = (yield* endpointRow(0)).secrets
      yield* Reencryption.run().pipe(under(k2, k1))
      const { secrets } = yield* endpointRow(0)
      const times = (secret: object | undefined) => ({ ...secret, sealed: "" })
      Check.equal(secrets.map(times), [newest, previous].map(times), "the secrets")
      Check.equal(yield* openedEndpoint(0).pipe(under(k2)), ["whsec_0", "whsec_1", "Bearer x"], "their texts")
    })
  },
  {
    name: "a value whose key is missing, or which was copied from another row, stays and is counted; other values go on",
    run: Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient
      yield* storeEndpoint(0).pipe(under(k3))
      yield* storeEndpoint(1).pipe(under(k1))
      yield* storeEndpoint(2).pipe(under(k1))
      const stranger = JSON.stringify((yield* endpointRow(2)).secrets)
      yield* sql`UPDATE endpoints SET secrets = ${stranger}::jsonb
        WHERE app_id = ${app} AND endpoint_id = ${endpointAt(1)}`
      const before = [yield* endpointRow(0), (yield* endpointRow(1)).secrets]
      Check.equal(yield* Reencryption.run().pipe(under(k2, k1)), result([1, 2], [2, 1]), "the run")
      Check.equal([yield* endpointRow(0), (yield* endpointRow(1)).secrets], before, "what cannot be read")
      Check.equal(yield* openedEndpoint(2).pipe(under(k2)), ["whsec_0", "Bearer x"], "the last endpoint")
      Check.equal(yield* Reencryption.run().pipe(under(k2, k1)), result([], [2, 1]), "the next run")
    })
  },
  {
    name: "reads all rows, also when they are more than it reads at once",
    run: Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient
      const people = Array.from({ length: 501 }, (_, index) => UserId.make(`usr_${String(index).padStart(26, "0")}`))
      const secrets = yield* Effect.forEach(people, (one) => seal("s", Receiver.sealContext(one, subscription))).pipe(
        under(k1)
      )
      yield* sql`INSERT INTO subscriptions (user_id, connection_id, subscription_id, app_id, url, secret, created_at)
        SELECT one.user_id, 'con_1', ${subscription}, ${app}, 'https://example.com/', one.secret, ${new Date(0)}
        FROM unnest(${people}::text[], ${secrets}::text[]) AS one (user_id, secret)`
      Check.equal(yield* Reencryption.run().pipe(under(k2, k1)), result([0, 0, 0, people.length]), "the run")
    })
  },
  {
    name: "a value that a program changes at the same time stays as the program wrote it",
    run: Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient
      yield* storeEndpoint(0).pipe(under(k1))
      const written = JSON.stringify([])
      const changed = Effect.gen(function* () {
        const vault = yield* Vault.Vault
        const changing: typeof vault = {
          ...vault,
          seal: (plain, context) =>
            Effect.zipRight(
              Effect.orDie(sql`UPDATE endpoints SET secrets = ${written}::jsonb, headers = ${written}::jsonb
                WHERE app_id = ${app} AND endpoint_id = ${endpointAt(0)}`),
              vault.seal(plain, context)
            )
        }
        return yield* Effect.provideService(Reencryption.run(), Vault.Vault, changing)
      })
      Check.equal(yield* changed.pipe(under(k2, k1)), result([]), "the run")
      Check.equal(yield* endpointRow(0), { secrets: [], headers: [] }, "the row")
    })
  },
  {
    name: "one value of a row that cannot be decrypted does not keep the others on the old key",
    run: Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient
      yield* storeEndpoint(0, [null, null]).pipe(under(k1))
      yield* storeEndpoint(1, [null]).pipe(under(k3))
      const [first, second] = (yield* endpointRow(0)).secrets
      const [lost] = (yield* endpointRow(1)).secrets
      const mixed = JSON.stringify([first, lost, second])
      yield* sql`UPDATE endpoints SET secrets = ${mixed}::jsonb WHERE app_id = ${app} AND endpoint_id = ${endpointAt(0)}`
      Check.equal(yield* Reencryption.run().pipe(under(k2, k1)), result([1, 1], [2, 1]), "the run")
      const { secrets } = yield* endpointRow(0)
      Check.equal(secrets[1], lost, "what cannot be decrypted")
      const context = SigningSecret.sealContext(app, endpointAt(0))
      const others = yield* Effect.forEach([0, 2], (at) =>
        opened(secrets[at]?.sealed ?? Vault.Sealed.make(""), context)
      )
      Check.equal(others, ["whsec_0", "whsec_1"], "the others")
    }).pipe(under(k2))
  },
  {
    name: "a sign-in that has read the secret of a code app, and writes it back, does not bring the old value back",
    run: Effect.gen(function* () {
      yield* empty
      const sql = yield* SqlClient
      yield* storeEverything.pipe(under(k1))
      const hasRead = yield* Deferred.make<void>()
      // Reads and writes the secret in one transaction, as `FactorStore.change` does.
      const signIn = sql.withTransaction(
        Effect.gen(function* () {
          yield* lockCredentials(sql)
          const secret = yield* oneText("code_apps", "secret")
          yield* Deferred.succeed(hasRead, undefined)
          // Without the lock of the credentials, `Reencryption.run` would write the row during this sleep.
          yield* sql`SELECT pg_sleep(0.3)`
          yield* sql`UPDATE code_apps SET secret = ${secret}, used_step = 1 WHERE user_id = ${person}`
        })
      )
      const run = Effect.zipRight(Deferred.await(hasRead), Reencryption.run()).pipe(under(k2, k1))
      yield* Effect.all([signIn, run], { concurrency: "unbounded", discard: true })
      const secret = yield* oneText("code_apps", "secret")
      const plain = yield* opened(secret, Factors.secretContext(person)).pipe(under(k2))
      Check.equal(plain, "of the code app", "what the newest key opens")
    })
  }
]
