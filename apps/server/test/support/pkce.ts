import { createHash, randomBytes } from "node:crypto"

/**
 * The secrets of one authorization (`verifier`, `state`), which the app keeps, and the `challenge`, which it shows (RFC
 * 7636).
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
