import type { Bench, Served } from "../harness/Bench.js"
import type { Side } from "../harness/Row.js"

/** The number of people in the database. */
export const PEOPLE = 1_000
/** The number of fixes of each person. */
export const FIXES = 20

const CLIENTS_PER_SERVER = 32

/**
 * A side that loads the servers with presence requests. The clients are spread over the servers, and each client sends
 * its next request as soon as the last one is answered.
 */
export const asking =
  (bench: Bench, servers: ReadonlyArray<Pick<Served, "port" | "running">>, seconds: number): Side =>
  () =>
    bench.load(
      servers.map(({ running }) => running),
      {
        script: new URL("presence.load.ts", import.meta.url),
        options: { people: PEOPLE },
        ports: servers.map(({ port }) => port),
        clients: CLIENTS_PER_SERVER * servers.length,
        seconds
      }
    )
