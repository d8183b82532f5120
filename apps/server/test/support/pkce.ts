import { createHash, randomBytes } from "node:crypto"

/**
 * The values of one authorization (RFC 7636). The app keeps `verifier` and `state` secret, and sends the `challenge`.
 */
export interface Pkce {
  readonly verifier: string
  readonly challenge: string
  readonly state: string
}

export const pkce = (): Pkce => {
  const verifier = randomBytes(48).toString("base64url")
  return {
    verifier,
    challenge: createHash("sha256").update(verifier).digest("base64url"),
    state: randomBytes(16).toString("base64url")
  }
}
