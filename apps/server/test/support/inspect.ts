import { layerEmbedded, layerPostgres } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, Schema } from "effect"
import type { Service } from "./service.js"

const Count = Schema.Tuple(Schema.Struct({ count: Schema.NumberFromString }))

/**
 * The number of rows in `table`, read from the database and not through the service. An embedded database can be read
 * only after the process that has it open is stopped.
 */
export const countRows = async (service: Service, table: string): Promise<number> => {
  if (service.databaseUrl === null) await service.server().stop("SIGTERM")
  const database =
    service.databaseUrl === null
      ? layerEmbedded({ dataDir: service.dataDir })
      : layerPostgres({ url: Redacted.make(service.databaseUrl), poolSize: 4, applicationName: "test" })
  const count = Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql`select count(*)::text as count from ${sql(table)}`
    return (yield* Schema.decodeUnknown(Count)(rows))[0].count
  })
  return Effect.runPromise(Effect.provide(count, Layer.orDie(database)))
}
