import { createHmac } from "node:crypto"

/** HMAC-SHA256 in lower-case hex. The key is the whole secret as UTF-8 bytes (decision W1). */
export const sign = (secret: string, message: string): string =>
  createHmac("sha256", secret).update(message).digest("hex")
