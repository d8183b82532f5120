import type { HttpApi } from "@effect/platform"
import { type Scope } from "@place-access/domain/shared"
import { Context } from "effect"
import { byRoute } from "../engine/byRoute.js"

/**
 * What a token must have to call an endpoint: a particular scope, any standard scope (such as for
 * `GET /v1/answers/places`), or no scope at all (`none`), so that a live connection is enough.
 */
export type ScopeRequirement = Scope.Scope | "any_standard" | "none"

/**
 * Annotation of every endpoint behind `BearerAuth`: `.annotate(RequiredScope, "location.rules.place")`. The scope is
 * checked before the body is decoded, so that 403 comes before 400. Without the annotation every call fails with 500;
 * `coverage.test.ts` reports an endpoint that lacks the annotation.
 */
export class RequiredScope extends Context.Tag("@place-access/adapters-http/security/RequiredScope")<
  RequiredScope,
  ScopeRequirement
>() {}

/** For each endpoint with the annotation (by `Routes.label`), what a token must have to call the endpoint. */
export const requirements = (api: HttpApi.HttpApi.Any): ReadonlyMap<string, ScopeRequirement> =>
  byRoute(api, RequiredScope)
