import { PasskeyRejected, type PasskeyResponse, PasskeyVerifier } from "@place-access/domain/factors"
import { Effect, Layer } from "effect"
import { ownOrigins, type ServiceOptions } from "../HttpOptions.js"
import { relyingParty } from "./passkeyOptions.js"

/** The library is loaded when somebody uses a passkey for the first time, because most processes never need it. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

type Library = Effect.Effect.Success<typeof library>
type RegistrationResponse = Parameters<Library["verifyRegistrationResponse"]>[0]["response"]
type AuthenticationResponse = Parameters<Library["verifyAuthenticationResponse"]>[0]["response"]

const verified = <A>(verify: (library: Library) => Promise<A>): Effect.Effect<A, PasskeyRejected> =>
  Effect.flatMap(library, (loaded) =>
    Effect.tryPromise({
      try: () => verify(loaded),
      // The error's message is dropped: the library's messages may repeat parts of the response.
      catch: (error) => new PasskeyRejected({ reason: error instanceof Error ? error.name : "unknown" })
    })
  )

const rejected = new PasskeyRejected({ reason: "not verified" })

/** Verifies passkey responses: a browser must have made them on a page of this service, for the host of `BASE_URL`. */
export const layer = (options: ServiceOptions): Layer.Layer<PasskeyVerifier> => {
  const expected = ({ challenge }: PasskeyResponse) => ({
    expectedChallenge: challenge,
    expectedOrigin: [...ownOrigins(options)],
    expectedRPID: relyingParty(options)
  })
  return Layer.succeed(PasskeyVerifier, {
    registered: (response) =>
      Effect.gen(function* () {
        const { registrationInfo } = yield* verified((library) =>
          library.verifyRegistrationResponse({
            ...expected(response),
            response: JSON.parse(response.json) as RegistrationResponse,
            requireUserVerification: false
          })
        )
        if (registrationInfo === undefined || registrationInfo.credential.id !== response.id) return yield* rejected
        const { counter, publicKey } = registrationInfo.credential
        return { id: response.id, publicKey: Buffer.from(publicKey).toString("base64url"), counter }
      }),
    signed: (response, { id, publicKey }) =>
      Effect.gen(function* () {
        const result = yield* verified((library) =>
          library.verifyAuthenticationResponse({
            ...expected(response),
            response: JSON.parse(response.json) as AuthenticationResponse,
            requireUserVerification: false,
            // 0 switches the library's comparison of counters off. The domain compares the counters instead, so that it
            // can warn the owner about a copied passkey.
            credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter: 0 }
          })
        )
        if (!result.verified) return yield* rejected
        const { newCounter, userVerified } = result.authenticationInfo
        return { counter: newCounter, isUserVerified: userVerified }
      })
  })
}
