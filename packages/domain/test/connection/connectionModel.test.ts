import { MemoryDatabase } from "@place-access/domain/testing"
import { ConnectionId } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { command, MARKS, stories } from "../support/connectionCommands.js"
import { live } from "../support/connectionLife.js"
import { inWorld } from "../support/connections.js"

describe("connections against a second writing of Spec §3.1, §4.1-4.3, §6.3 and decisions O6 to O8", () => {
  it("answer alike over generated lives: consent, renewal, change, tokens, narrowing, sweeps and jumps of the clock", async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 30 }), (commands) =>
        inWorld(
          Effect.gen(function* () {
            const model = yield* live(commands, seen, "any")
            const tables = yield* MemoryDatabase
            expect(tables.connections.size).toBe(model.grants.length)
            expect(tables.flagged.size).toBe(model.leakMails)
            for (const grant of model.grants) {
              const heads = [...tables.refreshTokens.values()].filter(
                (token) =>
                  token.connectionId === ConnectionId.make(grant.id) &&
                  token.rotation === null &&
                  token.revokedAt === null
              )
              expect(heads.length).toBeLessThanOrEqual(grant.ended === null ? 1 : 0)
            }
          })
        )
      ),
      { numRuns: 250, examples: stories.map((story) => [[...story]]) }
    )
    expect([...seen].sort()).toEqual(MARKS)
  }, 120_000)
})
