import { HttpApi } from "@effect/platform"
import { Api } from "@place-access/adapters-http/Api"
import * as Group from "@place-access/adapters-http/Group"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { Effect } from "effect"
import { expect, it } from "vitest"

declare const page: { readonly visits: []; readonly nextCursor: null; readonly complete: true }

it("behind a bearer token a handler says what it disclosed, or it does not compile", () => {
  // Nothing calls these handlers. The test is whether the compiler accepts their types (`npm run check`).
  Group.group(Api, "visits", (handlers) =>
    handlers.handle("list", () => Effect.succeed({ answer: page, disclosed: "no visits" }))
  )
  Group.group(Api, "visits", (handlers) =>
    handlers.handle("list", () => Effect.succeed({ answer: page, disclosed: null }))
  )
  // @ts-expect-error -- `disclosed` is left out
  Group.group(Api, "visits", (handlers) => handlers.handle("list", () => Effect.succeed({ answer: page })))
  // @ts-expect-error -- an answer without `disclosed`, as handlers of other groups return it
  Group.group(Api, "visits", (handlers) => handlers.handle("list", () => Effect.succeed(page)))
  // @ts-expect-error -- an answer of another shape than the contract's
  Group.group(Api, "visits", (handlers) => handlers.handle("list", () => Effect.succeed({ answer: 1, disclosed: "" })))
  // @ts-expect-error -- an endpoint without a handler
  Group.group(Api, "answers", (handlers) => handlers)
})

it("elsewhere a handler returns its answer alone", () => {
  Group.group(Api, "deletion", (handlers) => handlers.handle("deleteAccount", () => Effect.void))
  Group.group(Api, "deletion", (handlers) =>
    // @ts-expect-error -- nothing is disclosed to an app
    handlers.handle("deleteAccount", () => Effect.succeed({ answer: undefined, disclosed: null }))
  )
})

it("an endpoint behind a bearer token stands in a group behind it: that is where the type is taken from", () => {
  const groups = new Map<string, boolean>()
  HttpApi.reflect(Api, {
    onGroup: ({ group }) => void groups.set(group.identifier, group.middlewares.has(BearerAuth as never)),
    onEndpoint: ({ endpoint, group, middleware }) => {
      const isBehind = Array.from(middleware).some(({ key }) => key === BearerAuth.key)
      expect([endpoint.name, isBehind]).toEqual([endpoint.name, groups.get(group.identifier)])
    }
  })
  expect([...groups.values()].filter(Boolean).length).toBeGreaterThan(5)
})
