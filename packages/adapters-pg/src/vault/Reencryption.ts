import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { EndpointHeader, SigningSecret } from "@place-access/domain/endpoints"
import { Factors } from "@place-access/domain/factors"
import { Receiver } from "@place-access/domain/legacy"
import { Mail } from "@place-access/domain/mail"
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
import { Effect, Option, type ParseResult, Schedule, Schema } from "effect"
import { lockCredentials } from "../accounts/credentialLock.js"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import { Headers, toHeaders } from "./EndpointHeaders.js"
import { Secrets, toSecrets } from "./SigningSecrets.js"

/**
 * Encrypts stored values again with the newest key, so that an operator can remove an older key (decision settings-3).
 * Only the columns below are encrypted again. The canary is sealed anew at a start (`KeyCanary`). Values in other
 * columns are deleted after a week at the latest (`Export.KEPT_FOR`).
 */

/** What became of the rows of one column that had values of older keys. */
export interface Reencrypted {
  /** The column, as `table.column`. */
  readonly where: string
  /** How many rows were changed: a value was encrypted again, or an expired secret was deleted. */
  readonly rows: number
  /** The number of rows whose value was not changed, because its key is missing or the value was damaged. */
  readonly unreadable: number
}

type Failure = SqlError | ParseResult.ParseError

/** A column's new value. */
interface Renewed {
  readonly value: string
  /** Whether anything was encrypted again or deleted. */
  readonly isChanged: boolean
  /** Whether every encrypted part of the value could be decrypted. */
  readonly isWhole: boolean
}

/**
 * A column with encrypted values. `renew` gets the column's value as text and encrypts it again; a part that cannot be
 * decrypted stays as it is. `owner` and `id` name the row. On a cluster, `owner` is the column that distributes the
 * table, unless every node has a copy of it.
 */
interface Column<Owner extends string, Id extends string> {
  readonly table: string
  readonly column: string
  readonly type: "text" | "jsonb"
  readonly owner: string
  readonly id: string
  readonly row: Schema.Schema<{ readonly owner: Owner; readonly id: Id; readonly value: string }, SealedRow>
  readonly renew: (owner: Owner, id: Id, value: string) => Effect.Effect<Renewed, ParseResult.ParseError, Vault.Vault>
  /** A lock to take before each change of a row of this column. */
  readonly lock?: (sql: SqlClient) => Effect.Effect<unknown, SqlError>
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

/** Returns the value encrypted again, or the value unchanged when it cannot be decrypted. */
const resealed = (sealed: Vault.Sealed, context: string): Effect.Effect<Vault.Sealed, never, Vault.Vault> =>
  Effect.flatMap(Vault.Vault, (vault) =>
    vault.unseal(sealed, context).pipe(
      Effect.flatMap((plain) => vault.seal(plain, context)),
      Effect.orElseSucceed(() => sealed)
    )
  )

/**
 * Encrypts the parts of a jsonb value again. `isKept`: whether a part stays in the value; all other parts are removed.
 */
const renewedParts = <A extends { readonly sealed: Vault.Sealed }>(
  all: ReadonlyArray<A>,
  context: (part: A) => string,
  encode: (parts: ReadonlyArray<A>) => string,
  isKept: (part: A) => boolean = () => true
): Effect.Effect<Renewed, never, Vault.Vault> =>
  Effect.suspend(() => {
    const parts = all.filter(isKept)
    const renewing = Effect.forEach(parts, (part) =>
      Effect.map(resealed(part.sealed, context(part)), (sealed): A => ({ ...part, sealed }))
    )
    return Effect.map(renewing, (renewed) => {
      const left = renewed.filter(({ sealed }, index) => sealed === parts[index]?.sealed).length
      return { value: encode(renewed), isChanged: left < all.length, isWhole: left === 0 }
    })
  })

/** A column of plain texts, each of which is one encrypted value. */
const textColumn = <Owner extends string, Id extends string>(
  column: Omit<Column<Owner, Id>, "type" | "renew">,
  context: (owner: Owner, id: Id) => string
): Column<Owner, Id> => ({
  ...column,
  type: "text",
  renew: (owner, id, value) =>
    Effect.map(resealed(Vault.Sealed.make(value), context(owner, id)), (renewed) => ({
      value: renewed,
      isChanged: renewed !== value,
      isWhole: renewed !== value
    }))
})

const ENDPOINT = {
  table: "endpoints",
  type: "jsonb",
  owner: "app_id",
  id: "endpoint_id",
  row: rowOf(AppId, EndpointId)
} as const

/**
 * Secrets that stopped signing more than a day ago are deleted: nobody needs them, and the key that encrypted them may
 * be missing. The wait of a day allows for a machine whose clock is wrong.
 */
const SECRETS: Column<AppId, EndpointId> = {
  ...ENDPOINT,
  column: "secrets",
  renew: (appId, id, value) =>
    Effect.gen(function* () {
      const secrets = yield* Schema.decode(Schema.parseJson(Secrets))(value)
      const yesterday = Timestamp.plus(yield* Timestamp.now, -Timestamp.DAY)
      const context = SigningSecret.sealContext(appId, id)
      return yield* renewedParts(
        secrets,
        () => context,
        toSecrets,
        (secret) => SigningSecret.isLive(secret, yesterday)
      )
    })
}

const HEADERS: Column<AppId, EndpointId> = {
  ...ENDPOINT,
  column: "headers",
  renew: (appId, id, value) =>
    Effect.gen(function* () {
      const headers = yield* Schema.decode(Schema.parseJson(Headers))(value)
      return yield* renewedParts(headers, ({ name }) => EndpointHeader.sealContext(appId, id, name), toHeaders)
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
  {
    table: "code_apps",
    column: "secret",
    owner: "user_id",
    id: "user_id",
    row: rowOf(UserId, UserId),
    // A sign-in takes this lock, reads the row, and later writes the whole row back. Without the lock, a run of this
    // module could change the row in between, and the sign-in would restore the value of the older key.
    lock: lockCredentials
  },
  Factors.secretContext
)

/**
 * The secrets of the links in mails that wait to be sent. Without a mail server, these mails and their secrets stay in
 * the database for a month.
 */
const LINK_SECRET = textColumn(
  {
    table: "mail_outbox",
    column: "link_secret",
    owner: "user_id",
    id: "dedupe_key",
    row: rowOf(UserId, Schema.String)
  },
  (to, dedupeKey) => Mail.secretContext({ to, dedupeKey })
)

/** How many rows one statement reads. */
const PAGE = 500

/**
 * A pattern for texts that a key other than `key` encrypted, `v1.kid.text`. It also finds such texts inside JSON. The
 * id of a key needs no escaping, because none of its characters has a special meaning in a pattern.
 */
const byOtherKeys = (key: Vault.KeyId): string => `v1\\.(?!${key}\\.)[A-Za-z0-9_-]{1,32}\\.[A-Za-z0-9_-]{20,}`

const renewColumn = <Owner extends string, Id extends string>({
  column,
  id,
  lock,
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
      // Finding the rows may take longer than the default `statement_timeout`, because a large table may have few such
      // rows.
      sql.withTransaction(
        Effect.zipRight(
          sql`SET LOCAL statement_timeout = 0`,
          sql`SELECT ${sql(owner)} AS owner, ${sql(id)} AS id, ${sql(column)}::text AS value FROM ${sql(table)}
            WHERE (${sql(owner)}, ${sql(id)}) > (${after[0]}, ${after[1]})
              AND ${sql(column)}::text ~ ${byOtherKeys(currentKey)}
            ORDER BY ${sql(owner)}, ${sql(id)} LIMIT ${PAGE}`.pipe(Rows.all(row))
        )
      )
    const change = ({ id: rowId, owner: rowOwner, value }: SealedRow, to: string) => {
      const changing = Rows.affected(sql`UPDATE ${sql(table)} SET ${sql(column)} = ${to}::${cast}
        WHERE ${sql(owner)} = ${rowOwner} AND ${sql(id)} = ${rowId} AND ${sql(column)} = ${value}::${cast}`)
      return lock === undefined ? changing : sql.withTransaction(Effect.zipRight(lock(sql), changing))
    }
    let [rows, unreadable] = [0, 0]
    let after: readonly [string, string] = ["", ""]
    for (;;) {
      const page = yield* again(pageAfter(after))
      for (const found of page) {
        const renewed = yield* Effect.option(renew(found.owner, found.id, found.value))
        if (!Option.exists(renewed, ({ isWhole }) => isWhole)) unreadable++
        // When a program has changed the value since this run read it, nothing is written: the program has the same
        // newest key, and has encrypted the value with this key.
        if (Option.isSome(renewed) && renewed.value.isChanged) {
          rows += yield* again(change(found, renewed.value.value))
        }
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = [last.owner, last.id]
    }
    return { rows, unreadable }
  })

/** Repeats a statement after transient errors, for example when a row is locked or the database fails over. */
const again = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.retry(Failures.orSqlError(effect), {
    schedule: Schedule.spaced("1 second"),
    times: 10,
    while: Failures.isTransient
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
  renewing(CODE_APP_SECRET),
  renewing(LINK_SECRET)
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
