import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { certificate } from "../../../../packages/domain/test/support/certificate.js"
import type { Bench } from "./Bench.js"
import * as Endpoints from "./Endpoints.js"
import * as People from "./People.js"
import * as Program from "./Program.js"
import type { Await, Heard } from "./receiver.js"
import type { Scratch } from "./Scratch.js"

/** A receiver on this machine, for the webhooks of a benchmark. */
export interface Receiver {
  readonly port: number
  /**
   * The setting with which a program trusts the receiver. Its value is the file of the receiver's certificate
   * authority.
   */
  readonly environment: { readonly NODE_EXTRA_CA_CERTS: string }
  /** Resolves when `requests` further requests have arrived; fails if one of them had no signature. */
  readonly received: (requests: number) => Promise<void>
}

/** Starts a receiver with a certificate for `localhost` that is made for this run. */
export const receiver = async (bench: Bench): Promise<Receiver> => {
  const directory = await bench.directory()
  const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")]
  const { cert, key } = certificate("localhost")
  await Promise.all([writeFile(keyFile, key, { mode: 0o600 }), writeFile(certFile, cert)])
  const running = bench.keep(
    Program.source("receiver", fileURLToPath(new URL("receiver.ts", import.meta.url)), {}, [keyFile, certFile])
  )
  const port = await Program.portOf(running)
  let arrived: ((message: Extract<Heard, { readonly _tag: "Received" }>) => void) | undefined
  running.child.on("message", (message: Heard) => {
    if (message._tag === "Received") arrived?.(message)
  })
  return {
    port,
    environment: { NODE_EXTRA_CA_CERTS: certFile },
    received: (requests) =>
      new Promise((resolve, reject) => {
        arrived = ({ signed }) =>
          signed === requests ? resolve() : reject(new Error(`${requests - signed} requests were not signed`))
        running.child.send({ requests } satisfies Await)
      })
  }
}

export const rule = (n: number): string => `rul_b${n}`
export const url = (port: number, n: number): string => `https://localhost:${port}/hooks/${n}`

/** Makes the app's endpoints, and for each of the first `people` a rule whose events go to one endpoint. */
export const seed = async (
  scratch: Scratch,
  { endpoints, people, port }: { readonly endpoints: number; readonly people: number; readonly port: number }
): Promise<void> => {
  await Endpoints.seed(
    scratch,
    Array.from({ length: endpoints }, (_, n) => url(port, n))
  )
  await scratch.query(`INSERT INTO rules (user_id, rule_id, connection_id, app_id, type, place_id, webhook_url, created_at)
    SELECT 'usr_b' || n, 'rul_b' || n, 'con_b' || n, '${People.APP}', 'enter', 'plc_b' || n,
      'https://localhost:${port}/hooks/' || n % ${endpoints}, now()
    FROM generate_series(0, ${people - 1}) AS n`)
}

/** Writes firings into the outbox, one for each seeded rule in turn, and notifies the workers of them. */
export const fire = async (
  { query }: Scratch,
  { count, people, round }: { readonly count: number; readonly people: number; readonly round: string }
): Promise<void> => {
  await query(`INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, webhook_url, created_at,
      fan_out_due_at)
    SELECT r.user_id, 'evt_${round}n' || i, r.connection_id, r.app_id,
      jsonb_build_object('type', 'place.enter', 'ruleId', r.rule_id,
        'target', jsonb_build_object('placeId', r.place_id, 'label', 'Home')), now(), r.webhook_url, now(), now()
    FROM generate_series(0, ${count - 1}) AS i JOIN rules r ON r.user_id = 'usr_b' || i % ${people}
      AND r.rule_id = 'rul_b' || i % ${people}`)
  await query("SELECT pg_notify('place_access_work', '1')")
}
