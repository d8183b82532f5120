import { ask } from "./citusStandIn.js"

/**
 * Sets whether sessions of this database that begin from now on may write. A session that may not write gets the error
 * of a replica (SQLSTATE 25006) for each write.
 */
export const acceptWrites = (url: string, mayWrite: boolean): Promise<unknown> => {
  const name = new URL(url).pathname.slice(1)
  // Runs the statement over another database, because a session of this database could not undo the setting.
  return ask(
    new URL("/postgres", url).href,
    `ALTER DATABASE ${name} SET default_transaction_read_only = ${mayWrite ? "off" : "on"}`
  )
}
