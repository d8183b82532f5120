import type { Bench, Served } from "../harness/Bench.js"
import type { Side } from "../harness/Row.js"

/** People of a database that is asked where they are. */
export const PEOPLE = 1_000
/** Of each of them. */
export const FIXES = 20

const CLIENTS = 32

/** Questions for presence to these servers, in turn, as fast as they are answered. */
export const asking =
  (bench: Bench, servers: ReadonlyArray<Pick<Served, "port" | "running">>, seconds: number): Side =>
  () =>
    bench.load(
      servers.map(({ running }) => running),
      {
        script: new URL("presence.load.ts", import.meta.url),
        options: { people: PEOPLE },
        ports: servers.map(({ port }) => port),
        clients: CLIENTS,
        seconds
      }
    )
