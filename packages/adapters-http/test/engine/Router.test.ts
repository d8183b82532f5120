import { type HttpApp, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as NodeServer from "@place-access/adapters-http/engine/NodeServer"
import * as Router from "@place-access/adapters-http/engine/Router"
import { Deferred, Effect, FiberId } from "effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"

const NOTHING: Router.OnRoute<never> = () => () => undefined

let close: () => void = () => undefined
/** Resolves when the server has noticed that the last client hung up. */
let gone: Promise<void> = Promise.resolve()
afterEach(() => close())

const serve = async (router: HttpRouter.HttpRouter): Promise<string> => {
  const app = Effect.catchAll(Router.make(router, NOTHING), (error) =>
    HttpServerResponse.text(error._tag, { status: 404 })
  ) as HttpApp.Default
  const server = createServer(await Effect.runPromise(NodeServer.listener(app)))
  server.on("request", (_, response) => {
    gone = new Promise((resolve) => response.once("close", resolve))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const params = Effect.all([
  Effect.map(HttpRouter.RouteContext, (found) => found.params),
  HttpServerRequest.ParsedSearchParams
]).pipe(Effect.map((found) => HttpServerResponse.unsafeJson(found)))

describe("routes", () => {
  it("are found by method and path, with their parameters and the query; HEAD where GET is", async () => {
    const url = await serve(
      HttpRouter.empty.pipe(
        HttpRouter.get("/things/:id", params),
        HttpRouter.all("/any", HttpServerResponse.text("any"))
      )
    )
    expect(await (await fetch(`${url}/things/a%20b?x=1&y=2&y=3`)).json()).toEqual([
      { id: "a b" },
      { x: "1", y: ["2", "3"] }
    ])
    expect((await fetch(`${url}/things/1`, { method: "HEAD" })).status).toBe(200)
    expect(await (await fetch(`${url}/any`, { method: "PATCH" })).text()).toBe("any")
    expect(await (await fetch(`${url}/things`)).text()).toBe("RouteNotFound")
    expect(await (await fetch(`${url}/things/1`, { method: "POST" })).text()).toBe("RouteNotFound")
  })

  /** What happens to a handler when the client hangs up while the handler runs. */
  const abandoned = async (uninterruptible: boolean): Promise<string> => {
    const [begun, gate, ended] = [0, 1, 2].map(() => Deferred.unsafeMake<string>(FiberId.none)) as [
      Deferred.Deferred<string>,
      Deferred.Deferred<string>,
      Deferred.Deferred<string>
    ]
    const handler = Deferred.succeed(begun, "").pipe(
      Effect.zipRight(Deferred.await(gate)),
      Effect.zipRight(Deferred.succeed(ended, "finished")),
      Effect.onInterrupt(() => Deferred.succeed(ended, "interrupted")),
      Effect.as(HttpServerResponse.empty())
    )
    const url = await serve(HttpRouter.empty.pipe(HttpRouter.get("/slow", handler, { uninterruptible })))
    const call = request(`${url}/slow`).on("error", () => undefined)
    call.end()
    await Effect.runPromise(Deferred.await(begun))
    call.destroy()
    await gone
    await Effect.runPromise(Deferred.succeed(gate, ""))
    return Effect.runPromise(Deferred.await(ended))
  }

  it("are given up when the client goes away, unless the route says that they are not", async () => {
    expect(await abandoned(false)).toBe("interrupted")
    expect(await abandoned(true)).toBe("finished")
  })

  it("are not mounted, and have no prefix that is cut off: the router would not know what to do with them", () => {
    const mounted = HttpRouter.mountApp(HttpRouter.empty, "/sub", Effect.succeed(HttpServerResponse.empty()))
    expect(() => Router.make(mounted, NOTHING)).toThrow("nothing is mounted")
    const inner = HttpRouter.get(HttpRouter.empty, "/x", HttpServerResponse.empty())
    expect(() => Router.make(HttpRouter.prefixAll(inner, "/v1"), NOTHING)).toThrow("no prefix")
  })
})
