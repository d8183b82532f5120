import type { HttpApi } from "@effect/platform"
import { Effect } from "effect"
import type { OnRoute } from "../engine/Router.js"
import * as Routes from "../engine/Routes.js"
import * as Errors from "../wire/Errors.js"
import * as BodyBounds from "./BodyBounds.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as Deprecation from "./Deprecation.js"

const HOLDS_NUL = Effect.fail(Errors.invalidRequest("The address holds a NUL character"))

/**
 * Stores the contract's declarations about the matched route in the request's `Cell`. Refuses an address with a NUL
 * character, which PostgreSQL cannot store in a text.
 */
export const note = (api: HttpApi.HttpApi.Any, baseUrl: string): OnRoute<Errors.WireError> => {
  const contentTypes = Routes.contentTypes(api)
  const bounds = BodyBounds.ofRoutes(api)
  const deprecations = Deprecation.headers(api, baseUrl)
  return ({ method, path }) => {
    const label = Routes.label(method, path)
    const route: CurrentRequest.Route = {
      label,
      reads: contentTypes.get(label) ?? Routes.FORMS,
      bounds: bounds.get(label) ?? BodyBounds.ORDINARY,
      deprecation: deprecations.get(label)
    }
    return (fiber, url) => {
      fiber.getFiberRef(CurrentRequest.ref).route = route
      return url.includes("%00") ? HOLDS_NUL : undefined
    }
  }
}
