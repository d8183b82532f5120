import { Effect } from "effect"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { type ForwardedAnswer, forward } from "../../src/listen/forward.js"
import * as Messages from "../../src/listen/Messages.js"
import * as words from "../../src/listen/words.js"
import { freePort } from "../support/freePort.js"

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const serve = async (listener: RequestListener): Promise<URL> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?a=b`)
}

const TOLD = {
  headers: {
    "content-type": "application/json",
    "user-agent": "place-access-webhooks/1",
    "x-service-signature": "t=1,v1=00"
  },
  body: '{"type":"place.enter","event_id":"evt_1","target":{"label":"Café 🏡"}}'
}

const send = (url: URL): Promise<ForwardedAnswer> => Effect.runPromise(forward(url, TOLD))

describe("what is forwarded", () => {
  it("has the bytes and the headers of a delivery, and no others but those that HTTP needs", async () => {
    let seen:
      | { readonly headers: ReadonlyArray<string>; readonly url: string | undefined; readonly body: string }
      | undefined
    const url = await serve((request, response) => {
      let body = ""
      request
        .setEncoding("utf8")
        .on("data", (chunk: string) => (body += chunk))
        .on("end", () => {
          seen = { headers: request.rawHeaders, url: request.url, body }
          response.end()
        })
    })
    expect(await send(url)).toEqual({ _tag: "Answered", status: 200, millis: expect.any(Number) })
    const { body, headers, url: path } = seen ?? { headers: [], body: "", url: "" }
    expect([path, body]).toEqual(["/hooks?a=b", TOLD.body])
    const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    expect(names.sort()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "x-service-signature"
    ])
    for (const [name, value] of Object.entries(TOLD.headers)) expect(headers[headers.indexOf(name) + 1]).toBe(value)
  })

  it("follows no redirect", async () => {
    const elsewhere = await serve((_, response) => response.end())
    const url = await serve((_, response) => response.writeHead(302, { location: elsewhere.href }).end())
    expect(await send(url)).toMatchObject({ _tag: "Answered", status: 302 })
  })

  it("says in words why there was no answer [listeners-6]", async () => {
    const nobody = new URL(`http://127.0.0.1:${await freePort()}/`)
    expect(await send(nobody)).toEqual({ _tag: "Failed", why: "nothing listens there" })
    const rude = await serve((request) => request.socket.destroy())
    expect(await send(rude)).toEqual({ _tag: "Failed", why: "the connection was closed without an answer" })
  })

  it("is one line: what it was, what was answered, and whether the service would count that as a success", () => {
    const line = (answer?: ForwardedAnswer) => words.eventLine(TOLD, answer)
    expect(line()).toBe("place.enter evt_1")
    expect(line({ _tag: "Answered", status: 204, millis: 12 })).toBe("place.enter evt_1 -> 204 (12 ms)")
    expect(line({ _tag: "Answered", status: 500, millis: 3 })).toBe(
      "place.enter evt_1 -> 500 (3 ms), which counts as a failure: only 2xx is success"
    )
    expect(line({ _tag: "Answered", status: 200, millis: 5_001 })).toBe(
      "place.enter evt_1 -> 200 (5001 ms), which counts as a failure: the service waits 5 s"
    )
    expect(line({ _tag: "Failed", why: "nothing listens there" })).toBe(
      "place.enter evt_1 -> not received: nothing listens there"
    )
  })
})

describe("what a terminal would obey", () => {
  const hostile = "\u001b[2J\u009b31m\u007f\u202eevil\u2028"

  it("is written out in an event's line and body, wherever it stands", () => {
    const event = { headers: {}, body: JSON.stringify({ type: hostile, event_id: "evt_1", label: hostile }) }
    const spelt = "\\u001b[2J\\u009b31m\\u007f\\u202eevil\\u2028"
    expect(words.eventLine(event, undefined)).toBe(`${spelt} evt_1`)
    expect(words.body(event)).toBe(`{\n  "type": "${spelt}",\n  "event_id": "evt_1",\n  "label": "${spelt}"\n}`)
    expect(words.body({ headers: {}, body: hostile })).toBe(spelt)
  })

  it("does not cut the stream: a line ends where the service ends it", () => {
    const event = { headers: {}, body: hostile }
    expect(Messages.read("", `event: event\ndata: ${JSON.stringify(event)}\n\n`)[1]).toEqual([
      { _tag: "Event", data: event }
    ])
  })
})

describe("the stream", () => {
  it("is read the same, wherever it is cut; what is not known is passed over", () => {
    const text = [
      'event: ready\ndata: {"endpoint_id":"lst_1","secret":null,"heartbeat_s":15,"more":1}',
      ": still here",
      `event: event\ndata: ${JSON.stringify(TOLD)}`,
      "event: news\ndata: {}",
      "event: event\ndata: {",
      'event: end\ndata: {"reason":"stopping"}',
      "event: dropped\ndata: {"
    ].join("\n\n")
    for (let size = 1; size <= 40; size++) {
      const found: Array<Messages.ListenMessage> = []
      let rest = ""
      for (let from = 0; from < text.length; from += size) {
        const [left, messages] = Messages.read(rest, text.slice(from, from + size))
        rest = left
        found.push(...messages)
      }
      expect(found).toEqual([
        { _tag: "Ready", data: { endpoint_id: "lst_1", secret: null, heartbeat_s: 15 } },
        { _tag: "Event", data: TOLD },
        { _tag: "End", data: { reason: "stopping" } }
      ])
    }
  })
})
