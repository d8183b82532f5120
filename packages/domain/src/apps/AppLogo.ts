// The picture that users see beside an app's name (decision apps-9).
import { Encoding, Either, Schema } from "effect"
import { brand } from "../shared/Errors.js"
import { Vault } from "../shared/index.js"

/**
 * The SHA-256 of a logo's base64 text. An app names its logo by this digest, so nobody can exchange the picture that a
 * reviewer approved.
 */
export const LogoDigest = Vault.Hash
export type LogoDigest = typeof LogoDigest.Type

export const MAX_BYTES = 65_536
export const MIN_SIDE_PX = 64
export const MAX_SIDE_PX = 512

/**
 * A PNG file in base64. The file has at most `MAX_BYTES`, is not animated, and has nothing after its end. The picture
 * is square, with sides from `MIN_SIDE_PX` to `MAX_SIDE_PX`.
 */
export const LogoPng = Schema.String.pipe(
  Schema.filter((text) => faultOf(text)),
  brand("LogoPng")
)
export type LogoPng = typeof LogoPng.Type

/** The picture of a logo, with the digest by which the app names it. */
export interface Logo {
  readonly digest: LogoDigest
  readonly png: LogoPng
}

/** The bytes of the PNG file. */
export const bytesOf = (png: LogoPng): Uint8Array =>
  Either.getOrElse(Encoding.decodeBase64(png), () => new Uint8Array())

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** The number of bytes of a chunk's length, name and checksum together. */
const FRAME_BYTES = 12
/**
 * The names of the chunks that only an animated PNG has. The later frames of an animation could show what the reviewer
 * did not see.
 */
const ANIMATED = new Set(["acTL", "fcTL", "fdAT"])

const NOT_PNG = "must be a PNG file in base64"

const faultOf = (text: string): string | undefined => {
  if (text.length > Math.ceil(MAX_BYTES / 3) * 4) return TOO_LARGE
  const decoded = Encoding.decodeBase64(text)
  if (Either.isLeft(decoded) || Encoding.encodeBase64(decoded.right) !== text) return NOT_PNG
  return decoded.right.length > MAX_BYTES ? TOO_LARGE : faultOfPng(decoded.right)
}

const TOO_LARGE = `must be at most ${MAX_BYTES / 1_024} KiB`

/**
 * Why the file is refused; undefined when it is accepted. The function reads chunk by chunk, from the signature to the
 * end of the file (PNG specification, section 5).
 */
const faultOfPng = (bytes: Uint8Array): string | undefined => {
  if (SIGNATURE.some((byte, index) => bytes[index] !== byte)) return NOT_PNG
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = SIGNATURE.length
  for (let index = 0; at + FRAME_BYTES <= bytes.length; index++) {
    const length = view.getUint32(at)
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const next = at + FRAME_BYTES + length
    if (next > bytes.length) return NOT_PNG
    if (ANIMATED.has(name)) return "must not be animated"
    if (index === 0) {
      if (name !== "IHDR" || length !== 13) return NOT_PNG
      const [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)]
      if (width !== height || width < MIN_SIDE_PX || width > MAX_SIDE_PX) {
        return `must be square, from ${MIN_SIDE_PX} to ${MAX_SIDE_PX} pixels wide`
      }
    }
    if (name === "IEND") return next === bytes.length ? undefined : NOT_PNG
    at = next
  }
  return NOT_PNG
}
