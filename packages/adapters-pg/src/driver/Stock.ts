import { layerFromPool } from "@effect/sql-pg/PgClient"
import { Layer } from "effect"
import { Driver } from "./Driver.js"
import * as Watch from "./Watch.js"

/**
 * The client of `@effect/sql-pg` on the connections of `pg`, in place of this folder's driver. It sends one statement
 * at a time and prepares no statement. The contract suites of the stores pass with it too (`npm run test:stock`). So
 * when this folder does not support a new version of `pg` or `@effect/sql-pg` yet, a service can use this layer:
 * `Layer.provide(Stock.layer)` below `layerPostgres`.
 */
export const layer: Layer.Layer<never> = Layer.succeed(Driver, {
  connections: Watch.client,
  poolOptions: {},
  client: (acquire) => layerFromPool({ acquire })
})
