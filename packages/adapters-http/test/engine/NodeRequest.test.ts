import { NodeRequest } from "@place-access/adapters-http/engine/NodeRequest"
import { HttpServerError } from "@effect/platform"
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { inspect } from "node:util"
import { expect, it } from "vitest"

it("a request that is logged shows no query: phones put their token and places there", () => {
  const source = new IncomingMessage(new Socket())
  source.method = "POST"
  source.url = "/v1/phone/overland?token=pa_dv.usr_1.secret&lat=52.3712345"
  const request = new NodeRequest(source)
  const shown = [
    JSON.stringify(request),
    inspect(request),
    String(request),
    JSON.stringify(new HttpServerError.RequestError({ request, reason: "Decode" }))
  ]
  for (const text of shown) expect(text).not.toMatch(/secret|12345/)
  expect(shown[0]).toContain("/v1/phone/overland")
})
