import * as WorkedSignature from "@place-access/adapters-http/openapi/WorkedSignature"
import * as Snippets from "@place-access/adapters-http/pages/docs/verify/snippets"
import { verify } from "@place-access/adapters-webhook/verify"
import { describe, expect, it } from "vitest"

describe("the worked example of /docs/webhooks", () => {
  const { at, body, header, secret } = WorkedSignature

  it("is genuine for our own verify, called as the page calls it [wire-1-events]", async () => {
    expect(Snippets.WITH_VERIFY).toContain('from "@place-access/adapters-webhook/verify"')
    expect(Snippets.WITH_VERIFY).toContain("await verify({ payload: rawBody, header, secrets: ")
    const rawBody = Buffer.from(body)
    expect(await verify({ payload: rawBody, header, secrets: secret, now: at })).toMatchObject({ ok: true, body })
    const forged = Buffer.from(body.replace("ping", "pong"))
    expect(await verify({ payload: forged, header, secrets: secret, now: at })).toMatchObject({ reason: "no_match" })
  })
})
