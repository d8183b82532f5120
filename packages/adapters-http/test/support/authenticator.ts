import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

/** A passkey in software (WebAuthn, ES256, no attestation), for tests without a browser. */
export interface Authenticator {
  readonly id: string
  /** The count of signatures. A test may lower the count, as if somebody used a copy of the passkey. */
  counter: number
  /** The response to the options of `navigator.credentials.create`, as the script of the page posts this response. */
  readonly create: (options: string, on?: Circumstances) => string
  readonly get: (options: string, on?: Circumstances) => string
}

interface Circumstances {
  readonly origin?: string
  readonly isUserVerified?: boolean
  /** The account that the response names; null: no account. Left out: the account that the passkey was made for. */
  readonly owner?: string | null
  readonly challenge?: string
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url")

/** Encodes the kinds of values of CBOR that a response needs: byte strings, texts, small integers, and maps. */
const cbor = (value: unknown): Buffer => {
  const head = (major: number, length: number): Buffer =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map) {
    const pairs = Array.from(value, ([key, one]) => Buffer.concat([cbor(key), cbor(one)]))
    return Buffer.concat([head(5, value.size), ...pairs])
  }
  throw new Error("cbor: not such a value")
}

export const authenticator = (origin: string): Authenticator => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const id = randomBytes(32)
  let madeFor: string | null = null

  const data = (rpId: string, isUserVerified: boolean, attested: Uint8Array = new Uint8Array()): Buffer => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(self.counter)
    const flags = 0x01 | (isUserVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([flags]), counter, attested])
  }
  const client = (type: string, challenge: string, from: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const credential = (response: object): string =>
    JSON.stringify({
      id: base64url(id),
      rawId: base64url(id),
      type: "public-key",
      clientExtensionResults: {},
      response
    })

  const self: Authenticator = {
    id: base64url(id),
    counter: 0,
    create: (text, on = {}) => {
      const options = JSON.parse(text) as {
        readonly challenge: string
        readonly rp: { readonly id: string }
        readonly user: { readonly id: string }
      }
      madeFor = options.user.id
      const key = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")]
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)])
      const authData = data(options.rp.id, on.isUserVerified ?? true, attested)
      const attestation = new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData]
      ])
      return credential({
        clientDataJSON: base64url(client("webauthn.create", on.challenge ?? options.challenge, on.origin ?? origin)),
        attestationObject: base64url(cbor(attestation))
      })
    },
    get: (text, on = {}) => {
      const options = JSON.parse(text) as { readonly challenge: string; readonly rpId: string }
      self.counter += 1
      const authData = data(options.rpId, on.isUserVerified ?? true)
      const clientData = client("webauthn.get", on.challenge ?? options.challenge, on.origin ?? origin)
      const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()])
      return credential({
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(sign("sha256", signed, privateKey)),
        userHandle: on.owner === undefined ? madeFor : on.owner
      })
    }
  }
  return self
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The WebAuthn options, as JSON text, of a page's passkey form (its attribute `data-options`). */
export const optionsOf = (page: string): string =>
  (/data-options="([^"]*)"/.exec(page)?.[1] ?? "").replace(/&(#?\w+);/g, (all, name: string) => CHARACTERS[name] ?? all)
