// Inserts row after row into the embedded database of a folder and prints each number after its commit. The program
// never ends by itself: directory.test.ts kills it.
import { layerEmbedded } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

const [, , dataDir] = process.argv

const program = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE kept (n int PRIMARY KEY)`
  for (let n = 1; ; n++) {
    yield* sql`INSERT INTO kept VALUES (${n})`
    process.stdout.write(`${n}\n`)
  }
})

await Effect.runPromise(program.pipe(Effect.provide(layerEmbedded({ dataDir }))))
