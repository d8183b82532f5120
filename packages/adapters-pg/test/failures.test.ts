import { Failures } from "@place-access/adapters-pg"
import { SqlError } from "@effect/sql/SqlError"
import { Conflict, StoreError } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const coded = (code: string, more: object = {}) => Object.assign(new Error("refused"), { code, ...more })
const wrapped = (cause: unknown) => new SqlError({ cause, message: "Failed to execute statement" })

describe("what may succeed a little later", () => {
  it.each([
    ["a lock that was not given in time", coded("55P03")],
    ["a statement that took too long", coded("57014")],
    ["a serialization failure", coded("40001")],
    ["a deadlock", coded("40P01")],
    ["a server that shuts down", coded("57P01")],
    ["a server that starts", coded("57P03")],
    ["a connection failure", coded("08006")],
    ["too many connections", coded("53300")],
    ["a full disk", coded("53100")],
    ["a row whose partition was attached this moment", coded("23514")],
    [
      "the same on a shard",
      coded("23514", { message: 'new row for relation "fixes_default_102008" violates partition constraint' })
    ],
    [
      "a row of a month whose partition is being made [sweeps-3]",
      coded("23514", { constraint: "fixes_default_without_2026_03" })
    ],
    [
      "the same on a shard, which Citus reports without the constraint's field",
      coded("23514", {
        message: 'row for relation "x_1" violates check constraint "access_log_default_without_2026_03_102008"'
      })
    ],
    [
      "a lock that a node of a cluster did not give in time",
      coded("XX000", { message: "failure on connection marked as essential: node-2:5432" })
    ],
    [
      "a node of a cluster that was lost before it answered the commit",
      coded("XX000", { message: "could not commit transaction for shard 102193 on at least one active node" })
    ],
    [
      "a node of a cluster that was lost during a statement",
      coded("XX000", { message: "server closed the connection unexpectedly\n\tThis probably means the server" })
    ],
    [
      "a node of a cluster whose machine reset the connection",
      coded("XX000", { message: "could not receive data from server: Connection reset by peer" })
    ],
    ["a refused TCP connection", coded("ECONNREFUSED")],
    ["a reset TCP connection", coded("ECONNRESET")],
    ["a Unix socket that no server has made yet", coded("ENOENT", { syscall: "connect" })],
    ["a write to a closed socket", coded("EPIPE")],
    ["a connection that ended", new Error("Connection terminated unexpectedly")],
    ["a pool without a free connection", new Error("timeout exceeded when trying to connect")]
  ])("%s", (_, cause) => {
    expect(Failures.isTransient(wrapped(cause))).toBe(true)
  })

  it("also when the reason is the cause of a cause, as for several addresses that refused", () => {
    expect(Failures.isTransient(wrapped(new Error("outer", { cause: coded("ECONNREFUSED") })))).toBe(true)
  })
})

describe("what is a mistake of ours", () => {
  it.each([
    ["a taken key", coded("23505", { constraint: "accounts_email_key" })],
    ["a broken check", coded("23514", { constraint: "rules_check" })],
    [
      "a broken check of a shard, which Citus reports without the constraint's field",
      coded("23514", { message: 'new row for relation "rules_102008" violates check constraint "rules_check_102008"' })
    ],
    ["a missing reference", coded("23503")],
    ["a missing column", coded("42703")],
    ["a syntax error", coded("42601")],
    ["a value that does not fit", coded("22P02")],
    ["a file that is missing", coded("ENOENT", { syscall: "open" })],
    ["an internal error of the server", coded("XX000", { message: "cache lookup failed for type 102193" })],
    ["something without a code", new Error("Cannot read properties of undefined")],
    ["nothing at all", undefined]
  ])("%s", (_, cause) => {
    expect(Failures.isTransient(wrapped(cause))).toBe(false)
  })
})

describe("orStoreError", () => {
  const ending = (effect: Effect.Effect<unknown, unknown>) => Effect.flip(Failures.orStoreError(effect))

  it.effect("turns a refused statement into a StoreError that says whether to try again", () =>
    Effect.gen(function* () {
      expect(yield* ending(Effect.fail(wrapped(coded("55P03"))))).toMatchObject({ _tag: "StoreError", transient: true })
      expect(yield* ending(Effect.fail(wrapped(coded("42601"))))).toMatchObject({
        _tag: "StoreError",
        transient: false
      })
    })
  )

  it.effect("brings back a COMMIT or ROLLBACK that could not be sent, of which @effect/sql dies", () =>
    Effect.gen(function* () {
      const lost = Effect.die(wrapped(new Error("Connection terminated unexpectedly")))
      expect(yield* ending(lost)).toMatchObject({ _tag: "StoreError", transient: true })
    })
  )

  it.effect("takes a row that cannot be read for a mistake", () =>
    Effect.gen(function* () {
      expect(yield* ending(Schema.decodeUnknown(Schema.Int)("one"))).toMatchObject({
        _tag: "StoreError",
        transient: false
      })
    })
  )

  it.effect("leaves other errors and other defects as they are", () =>
    Effect.gen(function* () {
      const conflict = new Conflict({ reason: "taken" })
      expect(yield* ending(Effect.fail(conflict))).toBe(conflict)
      const already = StoreError.unavailable("x")
      expect(yield* ending(Effect.fail(already))).toBe(already)
      const exit = yield* Effect.exit(Failures.orStoreError(Effect.die("a bug")))
      expect(exit.toString()).toContain("a bug")
    })
  )
})

describe("orSqlError", () => {
  it.effect("brings back a COMMIT or ROLLBACK that could not be sent, and leaves other causes as they are", () =>
    Effect.gen(function* () {
      const lost = wrapped(new Error("Connection terminated unexpectedly"))
      expect(yield* Effect.flip(Failures.orSqlError(Effect.die(lost)))).toBe(lost)
      expect((yield* Effect.exit(Failures.orSqlError(Effect.die("a bug")))).toString()).toContain("a bug")
      expect(yield* Effect.flip(Failures.orSqlError(Effect.fail("refused")))).toBe("refused")
    })
  )
})
