import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Routes from "../../../src/pages/kit/Routes.js"

it("a page whose path does not begin with a slash stops the start of the server", () => {
  const page = Effect.succeed(HttpServerResponse.empty())
  for (const route of [Routes.get, Routes.post]) {
    expect(route("/me/places", page).path).toBe("/me/places")
    for (const path of ["me/places", ""]) expect(() => route(path, page)).toThrow(`must begin with "/": ${path}`)
  }
})
