import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

/**
 * A self-signed certificate and its key. Each test makes its own, so that the repository has no private key and no
 * certificate that expires.
 */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: ReadonlyArray<Buffer>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`))

const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"))
const COMMON_NAME = "550403"
const ALT_NAME = "551d11"
const BASIC_CONSTRAINTS = "551d13"

const name = (text: string) => sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(text)))))

/**
 * Makes a certificate for `host` that is valid until `days` days from now, and from at least one day before now. A
 * negative number of days makes an expired certificate.
 */
export const certificate = (host: string, days = 30): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const now = Date.now()
  const at = (offset: number) => time(new Date(now + offset * 86_400_000))
  const altNames = sequence(der(0x82, Buffer.from(host)))
  const constraints = sequence(der(0x01, Buffer.from([0xff])))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    name(host),
    sequence(at(Math.min(-1, days - 1)), at(days)),
    name(host),
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        sequence(oid(ALT_NAME), der(0x04, altNames)),
        sequence(oid(BASIC_CONSTRAINTS), der(0x01, Buffer.from([0xff])), der(0x04, constraints))
      )
    )
  )
  const signature = sign("sha256", body, privateKey)
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature))
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64")}\n-----END CERTIFICATE-----\n`
  }
}
