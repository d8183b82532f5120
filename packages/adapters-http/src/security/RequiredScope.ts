import type { HttpApi } from "@effect/platform"
import { type Scope } from "@place-access/domain/shared"
import { Context } from "effect"
import { byRoute } from "./byRoute.js"

/** What a token must be good for: one scope, any standard scope (`GET /v1/answers/places`), or nothing more than being live. */
export type Requirement = Scope.Scope | "any_standard" | "none"

/**
 * Annotation of every endpoint behind `BearerAuth`: `.annotate(RequiredScope, "location.rules.place")`. It is checked before
 * the body is read, so that 403 comes before 400. An endpoint without it does not start.
 */
export class RequiredScope extends Context.Tag("@place-access/adapters-http/security/RequiredScope")<
  RequiredScope,
  Requirement
>() {}

/** Requirements of all endpoints that have one, by `Routes.label`. */
export const requirements = (api: HttpApi.HttpApi.Any): ReadonlyMap<string, Requirement> => byRoute(api, RequiredScope)
