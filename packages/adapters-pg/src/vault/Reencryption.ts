import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { EndpointHeader, SigningSecret } from "@place-access/domain/endpoints"
import { Factors } from "@place-access/domain/factors"
import { Receiver } from "@place-access/domain/legacy"
import {
  AppId,
  EndpointId,
  type Program,
  program,
  RuleId,
  SubscriptionId,
  Timestamp,
  UserId,
  Vault
} from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { Headers, toHeaders } from "./EndpointHeaders.js"
import { Secrets, toSecrets } from "./SigningSecrets.js"

/**
 * Encrypts stored values again with the newest key, so that an operator can remove an older key (decision settings-3).
 * Only the columns below are encrypted again. Values in other columns are deleted after a week at the latest
 * (`Export.KEPT_FOR`).
 */

/** What became of the values of one column that an older key had encrypted. */
export interface Reencrypted {
  /** The column, as `table.column`. */
  readonly where: string
  /** How many rows were encrypted again. */
  readonly rows: number
  /** How many rows stayed as they were: their key is missing, or the value was damaged. */
  readonly unreadable: number
}

type Failure = SqlError | ParseResult.ParseError

/**
 * A column with encrypted values. `renew` gets the column's value as text, decrypts it, and returns the new value.
 * `owner` and `id` name the row. On a cluster, `owner` is the column that distributes the table.
 */
interface Column<Owner extends string, Id extends string> {
  readonly table: string
  readonly column: string
  readonly type: "text" | "jsonb"
  readonly owner: string
  readonly id: string
  readonly row: Schema.Schema<{ readonly owner: Owner; readonly id: Id; readonly value: string }, SealedRow>
  readonly renew: (
    owner: Owner,
    id: Id,
    value: string
  ) => Effect.Effect<string, Vault.VaultError | ParseResult.ParseError, Vault.Vault>
}

interface SealedRow {
  readonly owner: string
  readonly id: string
  readonly value: string
}

const rowOf = <Owner extends string, Id extends string>(
  owner: Schema.Schema<Owner, string>,
  id: Schema.Schema<Id, string>
) => Schema.Struct({ owner, id, value: Schema.String })

const resealed = (sealed: Vault.Sealed, context: string) =>
  Effect.flatMap(Vault.Vault, (vault) =>
    Effect.flatMap(vault.unseal(sealed, context), (plain) => vault.seal(plain, context))
  )

/** A column of plain texts, each of which is one encrypted value. */
const textColumn = <Owner extends string, Id extends string>(
  column: Omit<Column<Owner, Id>, "type" | "renew">,
  context: (owner: Owner, id: Id) => string
): Column<Owner, Id> => ({
  ...column,
  type: "text",
  renew: (owner, id, value) => resealed(Vault.Sealed.make(value), context(owner, id))
})

const ENDPOINT = {
  table: "endpoints",
  type: "jsonb",
  owner: "app_id",
  id: "endpoint_id",
  row: rowOf(AppId, EndpointId)
} as const

/** Secrets that no longer sign are left out: nobody needs them, and their key may be missing. */
const SECRETS: Column<AppId, EndpointId> = {
  ...ENDPOINT,
  column: "secrets",
  renew: (appId, id, value) =>
    Effect.gen(function* () {
      const secrets = yield* Schema.decode(Schema.parseJson(Secrets))(value)
      const live = SigningSecret.live(secrets, yield* Timestamp.now)
      const context = SigningSecret.sealContext(appId, id)
      return toSecrets(
        yield* Effect.forEach(live, (one) =>
          Effect.map(resealed(one.sealed, context), (sealed): SigningSecret.SigningSecret => ({ ...one, sealed }))
        )
      )
    })
}

const HEADERS: Column<AppId, EndpointId> = {
  ...ENDPOINT,
  column: "headers",
  renew: (appId, id, value) =>
    Effect.gen(function* () {
      const headers = yield* Schema.decode(Schema.parseJson(Headers))(value)
      return toHeaders(
        yield* Effect.forEach(headers, ({ name, sealed }) =>
          Effect.map(resealed(sealed, EndpointHeader.sealContext(appId, id, name)), (renewed) => ({
            name,
            sealed: renewed
          }))
        )
      )
    })
}

const OWN_SECRET = textColumn(
  { table: "rules", column: "own_secret", owner: "user_id", id: "rule_id", row: rowOf(UserId, RuleId) },
  Receiver.sealContext
)

const SUBSCRIPTION_SECRET = textColumn(
  {
    table: "subscriptions",
    column: "secret",
    owner: "user_id",
    id: "subscription_id",
    row: rowOf(UserId, SubscriptionId)
  },
  Receiver.sealContext
)

const CODE_APP_SECRET = textColumn(
  { table: "code_apps", column: "secret", owner: "user_id", id: "user_id", row: rowOf(UserId, UserId) },
  Factors.secretContext
)

/** How many rows are read at once. */
const PAGE = 500

/**
 * A pattern for texts that a key other than `key` encrypted, `v1.kid.text`. It also finds such texts inside JSON. An
 * id of a key has no character with a meaning in a pattern.
 */
const byOtherKeys = (key: Vault.KeyId): string => `v1\\.(?!${key}\\.)[A-Za-z0-9_-]{1,32}\\.[A-Za-z0-9_-]{20,}`

const renewColumn = <Owner extends string, Id extends string>({
  column,
  id,
  owner,
  renew,
  row,
  table,
  type
}: Column<Owner, Id>) =>
  Effect.gen(function* () {
    const [sql, { currentKey }] = [yield* SqlClient, yield* Vault.Vault]
    const cast = sql.literal(type)
    const pageAfter = (after: readonly [string, string]) =>
      // Finding the rows may take longer than the default `statement_timeout`, because a large table may have few.
      sql.withTransaction(
        Effect.zipRight(
          sql`SET LOCAL statement_timeout = 0`,
          sql`SELECT ${sql(owner)} AS owner, ${sql(id)} AS id, ${sql(column)}::text AS value FROM ${sql(table)}
            WHERE (${sql(owner)}, ${sql(id)}) > (${after[0]}, ${after[1]})
              AND ${sql(column)}::text ~ ${byOtherKeys(currentKey)}
            ORDER BY ${sql(owner)}, ${sql(id)} LIMIT ${PAGE}`.pipe(Rows.all(row))
        )
      )
    let [rows, unreadable] = [0, 0]
    let after: readonly [string, string] = ["", ""]
    for (;;) {
      const page = yield* pageAfter(after)
      for (const found of page) {
        const renewed = yield* Effect.either(renew(found.owner, found.id, found.value))
        if (renewed._tag === "Left") {
          if (renewed.left._tag === "ParseError") return yield* renewed.left
          unreadable++
          continue
        }
        // A program may have changed the value since it was read. Then nothing is written: the programs use the newest
        // key already.
        rows += yield* Rows.affected(sql`UPDATE ${sql(table)} SET ${sql(column)} = ${renewed.right}::${cast}
          WHERE ${sql(owner)} = ${found.owner} AND ${sql(id)} = ${found.id}
            AND ${sql(column)} = ${found.value}::${cast}`)
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = [last.owner, last.id]
    }
    return { rows, unreadable }
  })

const renewing = <Owner extends string, Id extends string>(column: Column<Owner, Id>) => ({
  where: `${column.table}.${column.column}`,
  renew: renewColumn(column)
})

const ALL = [
  renewing(SECRETS),
  renewing(HEADERS),
  renewing(OWN_SECRET),
  renewing(SUBSCRIPTION_SECRET),
  renewing(CODE_APP_SECRET)
]

/** The columns that `run` encrypts again, as `table.column`. */
export const COLUMNS: ReadonlyArray<string> = ALL.map(({ where }) => where)

/**
 * Encrypts again what an older key encrypted. Every row is a transaction of its own, so the service goes on meanwhile,
 * and a run that was interrupted can be repeated.
 */
export const run = program("Reencryption.run", function* (): Program<
  ReadonlyArray<Reencrypted>,
  Failure,
  SqlClient | Vault.Vault
> {
  return yield* Effect.forEach(ALL, ({ renew, where }) => Effect.map(renew, (rows) => ({ where, ...rows })))
})
