import { createHmac } from "node:crypto"

/** HMAC-SHA256 in lower-case hex; the key is the UTF-8 bytes of the whole secret (decision W1). */
export const sign = (secret: string, message: string): string =>
  createHmac("sha256", secret).update(message).digest("hex")
