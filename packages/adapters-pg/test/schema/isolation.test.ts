import { SqlClient } from "@effect/sql/SqlClient"
import { AppId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { isolate } from "../../src/schema/Isolation.js"

const HERE = { host: "10.0.0.1", port: 5432 }
const THERE = { host: "10.0.0.2", port: 5432 }

/**
 * Isolates an app on a substitute for a cluster. Each time that the code asks for the shard of the app, the substitute
 * answers with the next of the `placements`; undefined means that no node with the shard is up. Returns the reason of
 * the refusal.
 */
const refusal = (...placements: ReadonlyArray<{ readonly is_alone: boolean } | undefined>) => {
  const left = [...placements]
  const rows = (text: string): ReadonlyArray<unknown> => {
    if (!text.includes("AS is_alone")) return [{}]
    const placement = left.shift()
    return placement === undefined ? [] : [{ shard: "7", ...HERE, ...placement }]
  }
  const withTransaction = <A, E, R>(statements: Effect.Effect<A, E, R>) => statements
  const statement = ([...text]: TemplateStringsArray) => Effect.sync(() => rows(text.join("?")))
  const sql = Object.assign(statement, { withTransaction }) as unknown as SqlClient
  return isolate({ appId: AppId.make("app_7"), node: THERE, say: () => Effect.void }).pipe(
    Effect.flip,
    Effect.map(({ message }) => message),
    Effect.provideService(SqlClient, sql),
    Effect.runPromise
  )
}

it("nothing was changed when no node of the shard is up before the first step", async () => {
  expect(await refusal(undefined)).toBe("The app's shard has no node that is up. Nothing was changed.")
  expect(await refusal({ is_alone: true }, undefined)).toContain("Nothing was changed.")
})

it("after the shard was split or moved, no refusal says that nothing was changed", async () => {
  const message =
    "The app's shard has no node that is up. The steps before stay done: repeat the command once the node is up."
  expect(await refusal({ is_alone: false }, undefined)).toBe(message)
  expect(await refusal({ is_alone: false }, { is_alone: true }, undefined)).toBe(message)
  expect(await refusal({ is_alone: true }, { is_alone: true }, undefined)).toBe(message)
})
