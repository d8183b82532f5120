import { SqlClient } from "@effect/sql/SqlClient"
import { layerPostgres } from "@place-access/adapters-pg"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "../support/postgres.js"

describeServers("the name of a program's connections", (server) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await server.freshDatabase()
  })
  afterAll(() => database.drop())

  const nameOn = (parameters: ReadonlyArray<string>) => {
    const query = parameters.length === 0 ? "" : `?${parameters.join("&")}`
    return Effect.flatMap(
      SqlClient,
      (sql) => sql`SELECT current_setting('application_name') AS name, current_setting('work_mem') AS memory`
    ).pipe(
      Effect.provide(
        layerPostgres({
          url: Redacted.make(`${database.url}${query}`),
          poolSize: 4,
          applicationName: "place-access server"
        })
      ),
      Effect.runPromise
    )
  }

  it("is the program's own, also with another name in the address, whose other parameters count [settings-2]", async () => {
    const memory = "options=-c%20work_mem%3D7MB"
    const other = "application_name=mine"
    for (const parameters of [[other], [other, memory], [memory, other]]) {
      const expected = { name: "place-access server", memory: parameters.includes(memory) ? "7MB" : "4MB" }
      expect(await nameOn(parameters)).toEqual([expected])
    }
  })
})
