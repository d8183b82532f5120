// Examples that check a webhook's signature. test/openapiExamples.test.ts runs all of them except `WITH_VERIFY`, some
// also with forged deliveries.

export const WITH_VERIFY = `import { verify } from "@place-access/adapters-webhook/verify"

// rawBody: the bytes as they arrived, from before any JSON middleware
const result = await verify({ payload: rawBody, header, secrets: process.env.WEBHOOK_SECRET })
if (!result.ok) throw new Error(result.message) // answer 400
const event = JSON.parse(result.body)
`

export const NODE = `import { createHmac, timingSafeEqual } from "node:crypto"

export const isGenuine = (rawBody, header = "", secret, toleranceS = 60, nowS = Date.now() / 1000) => {
  if (!secret) return false // with a secret that is missing, anybody could sign
  const parts = header.split(",").map((part) => part.split("="))
  const t = parts.find(([name]) => name === "t")?.[1] ?? ""
  const expected = createHmac("sha256", secret).update(t + ".").update(rawBody).digest()
  const isSigned = parts
    .filter(([name, value]) => name === "v1" && /^[0-9a-f]{64}$/.test(value))
    .slice(0, 8)
    .some(([, value]) => timingSafeEqual(Buffer.from(value, "hex"), expected))
  return isSigned && Math.abs(nowS - Number(t)) <= toleranceS
}
`

export const PYTHON = `import hashlib, hmac, time

def is_genuine(raw_body: bytes, header, secret: str, tolerance_s=60, now=None):
    if not secret:
        return False  # with a secret that is missing, anybody could sign
    parts = [part.partition("=")[::2] for part in (header or "").split(",")]
    t = next((value for name, value in parts if name == "t"), "")
    expected = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    signatures = [value for name, value in parts if name == "v1"][:8]
    is_signed = any([hmac.compare_digest(value.encode(), expected.encode()) for value in signatures])
    return is_signed and abs((time.time() if now is None else now) - int(t)) <= tolerance_s
`

export const SHELL = `# $BODY: the body as it arrived, $T: the number after t=, $SECRET: the endpoint's signing secret
printf '%s.%s' "$T" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1
`
