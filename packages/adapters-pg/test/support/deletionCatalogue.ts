import { Rows } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Account, AccountStore, Session, SignInThrottle } from "@place-access/domain/accounts"
import type { AppStore } from "@place-access/domain/apps"
import { everything } from "@place-access/domain/leases"
import { AccountLink, AddressChange, SignUpRequest } from "@place-access/domain/credentials"
import { MailOutbox } from "@place-access/domain/mail"
import type { PurposeStore } from "@place-access/domain/purposes"
import { AccountDeletion, AccountDeletionStore, removeDeleted } from "@place-access/domain/deletions"
import { type AppId, Entropy, InvitationId, MemberId, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { TeamLife, TeamStore } from "@place-access/domain/teams"
import { Check, type Contract, Fixtures } from "@place-access/domain/testing"
import { Effect, Either, Option, Schema, TestClock } from "effect"

/**
 * Checks account deletion against the schema in the catalog, and not against a list that somebody maintains. Every
 * table with a `user_id` gets rows of a person, and the account is deleted. Then no row anywhere may identify the
 * person.
 */

/** The tables in which a deleted account may leave a trace, each with the reason. Keep this list empty if you can. */
const STAYS: Readonly<Record<string, string>> = {}

const ColumnRow = Schema.Struct({
  table_name: Schema.String,
  column_name: Schema.String,
  type: Schema.String,
  is_required: Schema.Boolean
})

/**
 * SQL values that satisfy the check constraints of these tables. Every other column gets a value of its type; a null in
 * this table leaves the column out.
 */
const VALUES: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  history_choices: { keep_days: "30" },
  rules: { place_id: null },
  // Only a delivery in the state `trying` has a due time.
  deliveries: { due_at: null }
}

/**
 * Tables into which `plant` inserts no rows, because a row there needs rows of other tables. `person` inserts the rows
 * of these tables, or the deletion writes them.
 */
const BY_HAND: ReadonlySet<string> = new Set([
  "accounts",
  "sessions",
  "account_links",
  "pending_accounts",
  "account_deletions",
  "passkeys",
  "code_apps",
  "recovery_codes",
  "factor_removals",
  "app_members",
  "app_invitations"
])

const CANARY = "canary-7c31"
const email = Account.Email.make(`${CANARY}@example.com`)
const displayName = Account.DisplayName.make(`Ada ${CANARY}`)

const columnsOf = Effect.gen(function* () {
  const sql = yield* SqlClient
  return yield* sql`SELECT t.relname AS table_name, a.attname AS column_name, format_type(a.atttypid, NULL) AS type,
      a.attnotnull AS is_required
    FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relnamespace = 'public'::regnamespace
    ORDER BY t.relname, a.attnum`.pipe(Rows.all(ColumnRow))
})

const tables = Effect.map(columnsOf, (columns) => [...new Set(columns.map((column) => column.table_name))])

const literal = (type: string, name: string, row: number): string => {
  if (type.endsWith("[]")) return `ARRAY[${literal(type.slice(0, -2), name, row)}]::${type}`
  switch (type) {
    case "text":
      return `'${name} ${email} ${displayName} ${row}'`
    case "jsonb":
      return `'{"${name}": "${email} ${displayName}"}'`
    case "boolean":
      return "true"
    case "bytea":
      return `'\\x00'`
    case "timestamp with time zone":
      return `'2026-01-14 12:00:00+00'::timestamptz + ${row} * interval '1 second'`
    default:
      return String(row)
  }
}

/**
 * Inserts a few rows of the person into every table with a `user_id`, except those in `BY_HAND`, and returns the
 * tables.
 */
const plant = (userId: UserId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = yield* columnsOf
    const planted: Array<string> = []
    for (const table of yield* tables) {
      const all = columns.filter((column) => column.table_name === table)
      if (BY_HAND.has(table) || !all.some((column) => column.column_name === "user_id")) continue
      const given = VALUES[table] ?? {}
      const used = all.filter(({ column_name: name }) => given[name] !== null)
      for (const row of [1, 2, 3]) {
        const values = used.map(({ column_name: name, type }) =>
          name === "user_id" ? `'${userId}'` : (given[name] ?? literal(type, name, row))
        )
        yield* sql
          .unsafe(
            `INSERT INTO ${table} (${used.map((column) => column.column_name).join(", ")}) VALUES (${values.join(", ")})
             ON CONFLICT DO NOTHING`
          )
          .pipe(Effect.orDieWith((cause) => new Error(`VALUES says what a row of ${table} may hold`, { cause })))
      }
      planted.push(table)
    }
    return planted
  })

/**
 * Makes the person invite others into a team, and join a team. So the outbox has mails to others about the person: an
 * open and an accepted invitation by the person, and the person's acceptance.
 */
const teamwork = (user: Account.Account) =>
  Effect.gen(function* () {
    const team = yield* TeamStore
    const [owner, friend, guest] = [yield* Fixtures.user, yield* Fixtures.user, yield* Fixtures.user]
    const invite = (app: AppId, by: Account.Account, invitee: Account.Account) =>
      Effect.gen(function* () {
        const id = InvitationId.make(yield* Entropy.id("inv"))
        const done = yield* team.update(app, TeamLife.invite(by, { id, email: invitee.email, role: "owner", invitee }))
        Check.isTrue(Option.exists(done, Either.isRight), "invited")
        return id
      })
    const join = (app: AppId, by: Account.Account, invitee: Account.Account) =>
      Effect.gen(function* () {
        const [invitation, member] = [yield* invite(app, by, invitee), MemberId.make(yield* Entropy.id("mbr"))]
        const done = yield* team.update(app, TeamLife.accept(invitee, invitation, member))
        Check.isTrue(Option.exists(done, Either.isRight), "joined")
      })
    const { id } = yield* Fixtures.app(owner.id)
    yield* join(id, owner, user)
    yield* join(id, user, friend)
    yield* invite(id, user, guest)
  })

/**
 * Stores mails that were sent to the person's address because somebody else typed this address: for a sign-up that was
 * never confirmed, and for other people's accounts.
 */
const strayMails = Effect.gen(function* () {
  const sql = yield* SqlClient
  const now = yield* Timestamp.now
  const other = yield* Fixtures.user
  const hash = (yield* Vault.Vault).sha256(other.id)
  const link = AccountLink.make("address_change", hash, other, now)
  const mails = [
    SignUpRequest.confirmMail({
      hash,
      userId: UserId.make(yield* Entropy.id("usr")),
      email,
      displayName,
      passwordHash: "",
      keep: null,
      returnTo: "/",
      createdAt: now,
      expiresAt: now
    }),
    AddressChange.confirmMail({ ...link, newEmail: email }),
    AddressChange.confirmMail({ ...AccountLink.make("address_confirmation", hash, yield* Fixtures.user, now), email })
  ]
  for (const mail of mails) yield* (yield* MailOutbox).put(mail, now)
  // The worker that sends a mail removes the address from the mail's row. The test does the same.
  yield* sql`UPDATE mail_outbox SET sent_at = ${Rows.at(now)}, address = NULL WHERE address = ${email}`
})

/** The tables that contain one of the words, in any column of any row. */
const tablesWith = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const found: Array<string> = []
    for (const table of yield* tables) {
      const patterns = words.map((word) => `%${word}%`)
      const rows = yield* sql`SELECT 1 FROM ${sql(table)} t WHERE t::text LIKE ANY(${patterns}::text[]) LIMIT 1`
      if (rows.length > 0) found.push(table)
    }
    return found
  })

const person = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const sql = yield* SqlClient
  const now = yield* Timestamp.now
  const user = yield* Fixtures.userWith({ email, displayName, roles: ["developer", "reviewer"] })
  yield* accounts.openSession(Session.open((yield* Vault.Vault).sha256(yield* Entropy.secret), user.id, now))
  yield* sql`INSERT INTO account_links (link_hash, user_id, purpose, email, created_at, expires_at)
             VALUES (${yield* Entropy.id("lnk")}, ${user.id}, 'password_reset', ${email}, ${Rows.at(now)}, ${Rows.at(now)})`
  // A second sign-up with the same address, which nobody has confirmed yet.
  yield* sql`INSERT INTO pending_accounts (link_hash, user_id, email, display_name, password_hash, return_to, created_at, expires_at)
             VALUES (${yield* Entropy.id("lnk")}, ${yield* Entropy.id("usr")}, ${email}, ${displayName}, '', '/',
                     ${Rows.at(now)}, ${Rows.at(now)})`
  yield* sql`INSERT INTO passkeys (user_id, passkey_id, name, public_key, counter, created_at)
             VALUES (${user.id}, 'passkey', ${CANARY}, 'key', 0, ${Rows.at(now)})`
  yield* sql`INSERT INTO code_apps (user_id, secret, used_step) VALUES (${user.id}, 'sealed', 0)`
  yield* sql`INSERT INTO recovery_codes (user_id, code_hash) VALUES (${user.id}, 'hash')`
  yield* sql`INSERT INTO factor_removals (user_id, requested_at) VALUES (${user.id}, ${Rows.at(now)})`
  const tried = { id: yield* Entropy.id("try"), email, address: "192.0.2.1", browser: null }
  yield* accounts.admitTry(tried, SignInThrottle.decide)
  yield* teamwork(user)
  yield* strayMails
  const sandbox = yield* Fixtures.app(user.id)
  yield* Fixtures.purpose(sandbox.id, "find_me")
  const production = yield* Fixtures.app(user.id, { status: "production" })
  const others = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
  yield* sql`INSERT INTO app_members (app_id, member_id, user_id, role, since)
             VALUES (${others.id}, ${yield* Entropy.id("mbr")}, ${user.id}, 'owner', ${Rows.at(now)})`
  // An invitation by the person, and one to the person.
  for (const [invitee, by] of [
    ["somebody@example.com", user.id],
    [email, others.ownerId]
  ]) {
    yield* sql`INSERT INTO app_invitations (app_id, invitation_id, email, role, invited_by, created_at)
               VALUES (${others.id}, ${yield* Entropy.id("inv")}, ${invitee}, 'viewer', ${by}, ${Rows.at(now)})`
  }
  for (const app of [sandbox, production, others]) {
    yield* sql`INSERT INTO review_decisions (app_id, decided_at, decision_id, subject_kind, subject_id, subject, kind, note, decided_by)
               VALUES (${app.id}, ${Rows.at(now)}, ${yield* Entropy.id("rvw")}, 'app', ${app.id},
                       ${Rows.json({ kind: "app", id: app.id, name: "App", declaredScopes: [], allowedScopes: null })},
                       'approved', 'Fine.', ${user.id})`
    yield* sql`INSERT INTO app_calls (app_id, at, request_id, endpoint, status)
               VALUES (${app.id}, ${Rows.at(now)}, 'req_1', 'GET /v1/me', 200)`
    yield* sql`INSERT INTO consent_requests (request_id, app_id, redirect_uri, scopes, challenge, state, external_user_id,
                 answers_issuer, created_at, decided_by, outcome)
               VALUES (${yield* Entropy.id("crq")}, ${app.id}, 'https://a.example', '{}', '', '', ${CANARY}, false,
                       ${Rows.at(now)}, ${user.id}, 'denied')`
  }
  return { user, sandbox, production, others }
})

const begin = (userId: UserId) =>
  Effect.gen(function* () {
    const begun = yield* (yield* AccountDeletionStore).begin(userId, AccountDeletion.decide)
    Check.isTrue(Option.exists(begun, Either.isRight), "begun")
  })

const LOOKS = ["0 seconds", "10 minutes", "1 day"] as const

const countOf = (table: string, where: string, value: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql`SELECT 1 FROM ${sql(table)} WHERE ${sql(where)} = ${value}`
    return rows.length
  })

export const deletionCatalogue: Contract<
  | SqlClient
  | AccountStore
  | AppStore
  | TeamStore
  | MailOutbox
  | PurposeStore
  | AccountDeletionStore
  | Entropy.Entropy
  | Vault.Vault
> = [
  {
    name: "no row of any table says who it was: not by id, not by e-mail, not by name",
    run: Effect.gen(function* () {
      const { others, production, sandbox, user } = yield* person
      const planted = yield* plant(user.id)
      Check.isTrue(planted.length >= 25, "the schema is there")
      yield* begin(user.id)
      const words = [user.id, email, displayName, CANARY]
      Check.isTrue(!(yield* tablesWith(words)).includes("accounts"), "the account is gone at once")
      Check.isTrue(!(yield* tablesWith(words)).includes("sessions"), "so are its sessions")
      Check.isTrue(!(yield* tablesWith(words)).includes("account_links"), "and the links that were mailed")
      for (const table of [
        "passkeys",
        "code_apps",
        "recovery_codes",
        "factor_removals",
        "app_members",
        "app_invitations"
      ]) {
        Check.isTrue(!(yield* tablesWith(words)).includes(table), `and its ${table}`)
      }
      Check.isTrue(!(yield* tablesWith(words)).includes("sign_in_tries"), "and its tries to sign in")
      let finished = 0
      for (const wait of LOOKS) {
        yield* TestClock.adjust(wait)
        finished += yield* removeDeleted(everything.people)
      }
      Check.equal(finished, 1, "finished")
      const left = (yield* tablesWith(words)).filter((table) => STAYS[table] === undefined)
      Check.equal(left, [], "tables that still know the person")

      Check.equal(yield* countOf("apps", "app_id", sandbox.id), 0, "the sandbox app is gone")
      Check.equal(yield* countOf("purposes", "app_id", sandbox.id), 0, "with its purposes")
      Check.equal(yield* countOf("review_decisions", "app_id", sandbox.id), 0, "and what was decided of it")
      Check.equal(yield* countOf("app_calls", "app_id", sandbox.id), 0, "and its request log")
      Check.equal(yield* countOf("app_calls", "app_id", production.id), 1, "until it expires, that of another stays")
      Check.equal(yield* countOf("apps", "app_id", production.id), 1, "an app that others used keeps its name for them")
      Check.equal(yield* countOf("review_decisions", "app_id", others.id), 1, "what was decided of others' apps stays")
      Check.equal(yield* countOf("review_decisions", "decided_by", AccountDeletion.NOBODY.id), 2, "by nobody")
      yield* (yield* SqlClient)`DELETE FROM review_decisions`
    })
  },
  {
    name: "in small steps, and by whoever comes when a worker died in the middle, the same",
    run: Effect.gen(function* () {
      const { user } = yield* person
      yield* plant(user.id)
      yield* begin(user.id)
      const store = yield* AccountDeletionStore
      const now = yield* Timestamp.now
      // Does what a worker does before it is killed in the middle: postpones the next look at the account by ten
      // minutes, and removes one row of each table.
      yield* store.lookAgain(user.id, Timestamp.plus(now, 10 * Timestamp.MINUTE))
      const removed = yield* store.removeSome(user.id, now, 1)
      Check.isTrue(removed > 20, "one of each")
      Check.isTrue((yield* tablesWith([user.id])).includes("fixes"), "there is more")
      Check.equal(yield* removeDeleted(everything.people), 0, "it is the turn of the dead worker")
      for (const wait of ["10 minutes", "1 day"] as const) {
        yield* TestClock.adjust(wait)
        yield* removeDeleted(everything.people)
      }
      Check.equal(yield* tablesWith([user.id, email, displayName]), [], "tables that still know the person")
      Check.equal(yield* store.removeSome(user.id, yield* Timestamp.now, 10), 0, "nothing more")
    })
  },
  {
    name: "a row that a request wrote while the account went is found by a later look",
    run: Effect.gen(function* () {
      const { user } = yield* person
      yield* begin(user.id)
      yield* removeDeleted(everything.people)
      yield* plant(user.id)
      yield* TestClock.adjust("10 minutes")
      yield* removeDeleted(everything.people)
      yield* plant(user.id)
      yield* TestClock.adjust("1 day")
      yield* removeDeleted(everything.people)
      Check.equal(yield* tablesWith([user.id, email, displayName]), [], "tables that still know the person")
    })
  },
  {
    name: "a table of apps' rows that names people and was forgotten is noticed by this very test",
    run: Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE forgotten (app_id text, note_id text, user_id text, PRIMARY KEY (app_id, note_id))`
      yield* Effect.gen(function* () {
        const { user } = yield* person
        Check.isTrue((yield* plant(user.id)).includes("forgotten"), "planted")
        yield* begin(user.id)
        for (const wait of LOOKS) {
          yield* TestClock.adjust(wait)
          yield* removeDeleted(everything.people)
        }
        Check.equal(yield* tablesWith([user.id]), ["forgotten"], "tables that still know the person")
      }).pipe(Effect.ensuring(Effect.orDie(sql`DROP TABLE forgotten`)))
    })
  },
  {
    name: "nobody else loses a row",
    run: Effect.gen(function* () {
      const other = yield* Fixtures.user
      const planted = yield* plant(other.id)
      const { user } = yield* person
      yield* begin(user.id)
      for (const wait of LOOKS) {
        yield* TestClock.adjust(wait)
        yield* removeDeleted(everything.people)
      }
      const left = yield* tablesWith([other.id])
      Check.equal(
        planted.filter((table) => !left.includes(table)),
        [],
        "tables that lost another person's rows"
      )
    })
  }
]
