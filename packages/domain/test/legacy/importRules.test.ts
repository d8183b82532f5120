import { importRules } from "@place-access/domain/legacy"
import { listRules, removeRuleOfUser } from "@place-access/domain/rules"
import { type ConnectionId, RuleId, Timestamp, Vault } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples, VirtualTime } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { inVirtualTime } from "../support/webhooks.js"

const SECRET = "a secret of before endpoints"
const NOW = new Date(VirtualTime.START).toISOString()

const stage = RuleSamples.sharing({ standardExpiresAt: null })
type Stage = Effect.Effect.Success<typeof stage>

/** A valid line. A field that is `undefined` in `change` is left out. */
const lineOf = ({ connection, place }: Stage, change: object = {}) => ({
  id: "old_1",
  connection_id: connection.id,
  type: "enter",
  place_id: place.id,
  webhook_url: "https://old.example.com/hook",
  secret: SECRET,
  created_at: "2025-06-01T00:00:00.000Z",
  ...change
})
const file = (...lines: ReadonlyArray<object | string>) =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")

const rules = ({
  connection
}: {
  readonly connection: { readonly userId: Stage["user"]["id"]; readonly id: ConnectionId }
}) => Effect.map(listRules(connection, "Place", { limit: 500, cursor: undefined }), (page) => page.rules)

/** The faults of the file, as an operator reads them. */
const faultsOf = (text: string) =>
  Effect.map(Effect.flip(importRules(text)), (error) =>
    error._tag === "RulesNotImported"
      ? error.faults.map(({ field, line, message }) => `${line} ${field} ${message}`)
      : []
  )

describe("rules that are imported [§6.4.9]", () => {
  it("keep their id, address, age and secret, which is sealed at rest", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const dwell = lineOf(on, {
          id: "old_2",
          connection_id: undefined,
          app_id: on.app.id,
          sub: on.connection.sub,
          type: "dwell",
          dwell_minutes: 10,
          max_event_age_s: 60,
          active_from: null,
          active_until: "2027-01-01T00:00:00Z"
        })
        expect(yield* importRules(file("\uFEFF" + JSON.stringify(lineOf(on)), "", dwell, ""))).toEqual({
          imported: 2,
          known: 0
        })
        expect(yield* rules(on)).toMatchObject([
          {
            id: "old_1",
            type: "enter",
            target: { placeId: on.place.id, label: "Home" },
            webhookUrl: "https://old.example.com/hook",
            isLegacy: true,
            state: "active",
            createdAt: Date.UTC(2025, 5, 1)
          },
          { id: "old_2", type: "dwell", dwellMinutes: 10, maxEventAgeS: 60, window: { from: null } }
        ])
        const { ownSecrets } = yield* MemoryDatabase
        const sealed = yield* Effect.fromNullable(ownSecrets.get(RuleId.make("old_1")))
        expect(sealed).not.toContain(SECRET)
        const vault = yield* Vault.Vault
        expect(yield* vault.unseal(sealed, `legacy-secret ${on.user.id} old_1`)).toBe(SECRET)
      })
    )
  })

  it("the same file again stores nothing more, and what was removed since stays removed [§6.4.9-migration, legacy-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const text = file(lineOf(on), lineOf(on, { id: "old_2", type: "exit" }))
        yield* importRules(text)
        yield* removeRuleOfUser(on.user.id, null, RuleId.make("old_2"))
        const before = yield* rules(on)
        expect(yield* importRules(text)).toEqual({ imported: 0, known: 2 })
        expect(yield* rules(on)).toEqual(before)
        // The file has one line more than before. Only this line is imported.
        expect(yield* importRules(`${text}\n${file(lineOf(on, { id: "old_3" }))}`)).toEqual({ imported: 1, known: 2 })
      })
    )
  })

  it("the same file again is no fault when its windows have closed and its connections have ended since", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const text = file(lineOf(on, { active_until: "2026-01-01T01:00:00Z" }))
        yield* importRules(text)
        yield* Effect.sleep("2 hours")
        const { connections } = yield* MemoryDatabase
        connections.set(on.connection.id, { ...on.connection, endedAt: yield* Timestamp.now })
        expect(yield* importRules(text)).toEqual({ imported: 0, known: 1 })
      })
    )
  })

  it("every fault of every line at once, by number; nothing is stored, and no value is repeated [§6.4.9-migration, legacy-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const other = yield* stage
        const text = file(
          lineOf(on),
          "{ not json",
          "[]",
          lineOf(on, { id: "a b", type: "appear", secret: "canary-short", created_at: "2027-01-01T00:00:00Z" }),
          lineOf(on, { id: "old_5", webhook_url: 7, canary_field: 1 }),
          lineOf(on, { id: "old_6", connection_id: "con_none", webhook_url: "http://canary.example.com" }),
          lineOf(on, { id: "old_7", app_id: on.app.id }),
          lineOf(on, { id: "old_8", place_id: other.place.id }),
          lineOf(on)
        )
        const faults = yield* faultsOf(text)
        expect(faults).toEqual([
          "2 null is no JSON",
          "3 null is no JSON object",
          "4 id must be 1 to 64 letters, digits, _ or -",
          "4 created_at must be an ISO 8601 timestamp with a zone, and not in the future",
          "4 secret must be 16 to 512 characters, none of them control characters",
          "4 type must be one of enter, exit, dwell",
          "5 canary_field is not known here: see docs/legacy-webhooks.md",
          "5 webhook_url must be a string",
          "6 webhook_url must begin with https://",
          "6 connection_id must be of a connection of this service",
          "7 connection_id must stand alone, or app_id and sub in its place",
          "8 place_id must be of a place that the user shares with the app",
          "9 id is in an earlier line already"
        ])
        expect(faults.join("\n")).not.toMatch(/canary-|canary\.|con_none|appear/)
        expect(yield* rules(on)).toEqual([])
      })
    )
  })

  it("a secret with half of a surrogate pair is refused, because UTF-8 would store another secret [legacy-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const half = lineOf(on, { secret: `${SECRET} \ud83d` })
        expect(yield* faultsOf(file(half))).toEqual([
          "1 secret must not have one half of a surrogate pair (\\ud800 to \\udfff) without the other"
        ])
        expect(yield* importRules(file(lineOf(on, { secret: `${SECRET} \ud83d\ude00` })))).toMatchObject({
          imported: 1
        })
        const { ownSecrets } = yield* MemoryDatabase
        const sealed = yield* Effect.fromNullable(ownSecrets.get(RuleId.make("old_1")))
        const vault = yield* Vault.Vault
        expect(yield* vault.unseal(sealed, `legacy-secret ${on.user.id} old_1`)).toBe(`${SECRET} 😀`)
      })
    )
  })

  it("a created_at of this very instant is not in the future; a millisecond later is", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const later = new Date(VirtualTime.START + 1).toISOString()
        expect((yield* faultsOf(file(lineOf(on, { created_at: later })))).length).toBe(1)
        expect(yield* importRules(file(lineOf(on, { created_at: NOW })))).toEqual({ imported: 1, known: 0 })
      })
    )
  })

  it("of a connection that has ended there are none to bring", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const { connections } = yield* MemoryDatabase
        connections.set(on.connection.id, { ...on.connection, standardExpiresAt: yield* Timestamp.now })
        expect(yield* faultsOf(file(lineOf(on)))).toEqual([
          "1 connection_id must be of a connection that has not ended"
        ])
      })
    )
  })

  it("at most ten active at one instant, together with those that are there; those whose windows have closed do not count", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        yield* RuleSamples.rule(on.connection, RuleSamples.ZONE)
        const lines = Array.from({ length: 10 }, (_, index) => lineOf(on, { id: `old_${index}` }))
        const closed = lineOf(on, { id: "closed", active_until: "2025-07-01T00:00:00Z" })
        expect(yield* faultsOf(file(...lines, closed))).toEqual([
          "10 connection_id has 10 rules active at one instant already"
        ])
        expect(yield* importRules(file(...lines.slice(1), closed))).toEqual({ imported: 10, known: 0 })
      })
    )
  })

  it("at most 500 that uploads evaluate: a rule counts until a day after its window [rules-15]", () => {
    const windowed = (on: Stage, id: string, from: number, until: number) =>
      lineOf(on, { id, active_from: new Date(from).toISOString(), active_until: new Date(until).toISOString() })
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const dayOf = (index: number) => VirtualTime.START + index * Timestamp.DAY
        const ahead = Array.from({ length: 501 }, (_, index) =>
          windowed(on, `old_${index}`, dayOf(index), dayOf(index + 1))
        )
        const counted = windowed(on, "counted", dayOf(-2), dayOf(-1))
        const over = windowed(on, "over", dayOf(-2), dayOf(-1) - 1)
        const message = "connection_id has 500 rules that uploads evaluate already"
        expect(yield* faultsOf(file(over, ...ahead))).toEqual([`502 ${message}`])
        expect(yield* importRules(file(over, ...ahead.slice(1), { ...over, id: "last" }))).toEqual({
          imported: 502,
          known: 0
        })
        expect(yield* faultsOf(file(counted))).toEqual([`1 ${message}`])
      })
    )
  })

  it("an id that is another rule of the user, or this one with other terms, is a fault", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const on = yield* stage
        const plain = yield* RuleSamples.rule(on.connection, RuleSamples.onPlace(on.place))
        // A rule with the same terms as the imported rule, except that its events go to an endpoint of the app. An
        // imported rule has a webhook address of its own.
        const twin = yield* RuleSamples.rule(on.connection, RuleSamples.onPlace(on.place), {
          webhookUrl: "https://old.example.com/hook",
          createdAt: Timestamp.make(Date.UTC(2025, 5, 1))
        })
        yield* importRules(file(lineOf(on)))
        const message = "id is another rule of this user already, or this one with other terms"
        expect(
          yield* faultsOf(
            file(
              lineOf(on, { id: plain.id }),
              lineOf(on, { type: "exit" }),
              lineOf(on, { id: twin.id }),
              lineOf(on, { id: "old_3" })
            )
          )
        ).toEqual([`1 ${message}`, `2 ${message}`, `3 ${message}`])
        expect((yield* rules(on)).length).toBe(3)
      })
    )
  })

  it("an empty file imports nothing", () => {
    inVirtualTime(
      Effect.gen(function* () {
        expect(yield* importRules("\n\n")).toEqual({ imported: 0, known: 0 })
      })
    )
  })
})
