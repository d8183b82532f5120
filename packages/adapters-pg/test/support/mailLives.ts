import { type Database, SqlAccountStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { liveMail, mailLives } from "../../../domain/test/support/mailLife.js"
import { withStores } from "./contracts.js"

/**
 * Runs some of the random scenarios of the outbox on a database. They are the scenarios that the domain's tests run on
 * an outbox in memory.
 */
export const mailLivesOn = (database: Layer.Layer<Database>, numRuns: number): void => {
  const run = withStores(database, Layer.merge(SqlMailOutbox.layer, SqlAccountStore.layer))

  it("the outbox keeps a message once, gives it to one worker at a time and accepts the result of that worker", () =>
    fc.assert(
      fc.asyncProperty(mailLives, (steps) => run(liveMail(steps, new Set()))),
      { numRuns }
    ))
}
