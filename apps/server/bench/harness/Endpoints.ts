import { SigningSecret } from "@place-access/domain/endpoints"
import { AppId, EndpointId, Vault } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as People from "./People.js"
import type { Scratch } from "./Scratch.js"

// The webhook endpoints of the benchmark's app.

export const endpoint = (n: number): string => `ep_b${n}`
export const secret = (n: number): string => `${SigningSecret.PREFIX}${String(n).padStart(52, "0")}`

/**
 * Makes one endpoint for each address; endpoint numbers begin at 0. The secrets are sealed with the keys of the
 * product's programs, so that a worker can open the secrets and sign webhooks with them.
 */
export const seed = async ({ query, run }: Scratch, urls: ReadonlyArray<string>): Promise<void> => {
  for (const [n, url] of urls.entries()) {
    const context = SigningSecret.sealContext(AppId.make(People.APP), EndpointId.make(endpoint(n)))
    const sealed = await run(Effect.flatMap(Vault.Vault, (vault) => vault.seal(secret(n), context)))
    await query(
      `INSERT INTO endpoints (app_id, endpoint_id, url, events, epoch, strikes, secrets, created_at)
       VALUES ($1, $2, $3, '{rule.fired}', 0, 0, $4, now())`,
      [People.APP, endpoint(n), url, JSON.stringify([{ sealed, createdAt: Date.now(), expiresAt: null }])]
    )
  }
}
