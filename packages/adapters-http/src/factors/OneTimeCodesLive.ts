import { OneTimeCode, OneTimeCodes } from "@place-access/domain/factors"
import { Layer } from "effect"
import * as OTPAuth from "otpauth"

/** The parameters that every app for one-time codes supports. */
const PARAMETERS = { algorithm: "SHA1", digits: 6, period: OneTimeCode.STEP / 1_000 }

export const layer: Layer.Layer<OneTimeCodes> = Layer.succeed(OneTimeCodes, {
  secret: (bytes) => new OTPAuth.Secret({ buffer: Uint8Array.from(bytes).buffer }).base32,
  code: (secret, step) =>
    OTPAuth.TOTP.generate({
      ...PARAMETERS,
      secret: OTPAuth.Secret.fromBase32(secret),
      timestamp: step * OneTimeCode.STEP
    })
})

/** The link in the QR code, which an app for one-time codes opens. */
export const setupLink = (secret: string, account: string): string =>
  new OTPAuth.TOTP({
    ...PARAMETERS,
    issuer: "Place Access",
    label: account,
    secret: OTPAuth.Secret.fromBase32(secret)
  }).toString()
