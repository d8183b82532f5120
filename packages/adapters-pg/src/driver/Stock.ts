import { layerFromPool } from "@effect/sql-pg/PgClient"
import { Layer } from "effect"
import { Driver } from "./Driver.js"
import * as Watch from "./Watch.js"

/**
 * `@effect/sql-pg`'s own client on `pg`'s own connections: it sends one statement at a time and names none. The
 * contract suites of the stores pass on it as well (`npm run test:stock`). So after an upgrade of `pg` or
 * `@effect/sql-pg` that this folder does not support yet, a service can run on it: `Layer.provide(Stock.layer)` below
 * `layerPostgres`.
 */
export const layer: Layer.Layer<never> = Layer.succeed(Driver, {
  connections: Watch.client,
  poolOptions: {},
  client: (acquire) => layerFromPool({ acquire })
})
