import type { Account } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import type { Factors } from "@place-access/domain/factors"
import { type ServiceOptions } from "../HttpOptions.js"

/** The name of this service for authenticators (its RP ID): the host of `BASE_URL`. */
export const relyingParty = ({ baseUrl }: ServiceOptions): string => new URL(baseUrl).hostname

/**
 * Whether the host of `BASE_URL` can have passkeys: a passkey can belong to a host name, but never to a network
 * address.
 */
export const canHavePasskeys = (options: ServiceOptions): boolean => {
  const host = relyingParty(options)
  return !host.startsWith("[") && !/^\d+(?:\.\d+){3}$/.test(host)
}

const TIMEOUT_MS = 300_000

const described = (passkeys: ReadonlyArray<Factors.Passkey>) => passkeys.map(({ id }) => ({ type: "public-key", id }))

/**
 * `PublicKeyCredentialRequestOptions` as JSON. When `passkeys` is empty, the authenticator offers every passkey that it
 * has for this service.
 */
export const toSign = (
  options: ServiceOptions,
  challenge: string,
  { alone, passkeys }: { readonly passkeys: ReadonlyArray<Factors.Passkey>; readonly alone: boolean }
) => ({
  challenge,
  rpId: relyingParty(options),
  timeout: TIMEOUT_MS,
  userVerification: alone ? "required" : "preferred",
  allowCredentials: described(passkeys)
})

/**
 * `PublicKeyCredentialCreationOptions` as JSON. The authenticator stores `user.id` with the passkey. When somebody
 * signs in with the passkey alone, the service learns from `user.id` which account the sign-in is for.
 */
export const toCreate = (
  options: ServiceOptions,
  challenge: string,
  account: Account.Account,
  present: ReadonlyArray<Factors.Passkey>
) => ({
  challenge,
  rp: { id: relyingParty(options), name: "Place Access" },
  user: {
    id: Buffer.from(account.id, "utf8").toString("base64url"),
    name: SignUpRequest.addressOf(account) ?? account.displayName,
    displayName: account.displayName
  },
  // The COSE numbers of EdDSA, ES256 and RS256.
  pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
  timeout: TIMEOUT_MS,
  attestation: "none",
  authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  excludeCredentials: described(present)
})
