import type { HttpApi } from "@effect/platform"
import { Context } from "effect"
import { byRoute } from "../engine/byRoute.js"

/**
 * Annotation of a POST that does not read `Idempotency-Key`, with the reason. A POST without the annotation reads the
 * header, so a new endpoint is repeatable by default.
 */
export class WithoutKey extends Context.Tag("@place-access/adapters-http/idempotency/WithoutKey")<
  WithoutKey,
  string
>() {}

/**
 * Annotation of a POST with `WithoutKey` whose handler reads `Idempotency-Key` itself. The annotation is a text for the
 * OpenAPI document, which says what the key does.
 */
export class OwnKey extends Context.Tag("@place-access/adapters-http/idempotency/OwnKey")<OwnKey, string>() {}

/**
 * The reasons why POST endpoints do not read `Idempotency-Key`, by `Routes.label`. When a whole group of endpoints has
 * the annotation, only its POST endpoints are listed.
 */
export const reasons = (api: HttpApi.HttpApi.Any): ReadonlyMap<string, string> =>
  new Map([...byRoute(api, WithoutKey)].filter(([label]) => label.startsWith("POST ")))

/** Returns a function that says whether the endpoint with a label (`Routes.label`) reads `Idempotency-Key`. */
export const keyReader = (api: HttpApi.HttpApi.Any): ((label: string) => boolean) => {
  const without = reasons(api)
  return (label) => label.startsWith("POST ") && !without.has(label)
}

/**
 * Annotation of an endpoint whose work consists of several transactions. With an `Idempotency-Key`, the work runs
 * outside the transaction that stores the answer (`answerKeyed`).
 */
export class SeveralCommits extends Context.Tag("@place-access/adapters-http/idempotency/SeveralCommits")<
  SeveralCommits,
  true
>() {}

/**
 * Annotation of an endpoint that looks up the host of its body's `url`. When a request has an `Idempotency-Key`, the
 * look-up runs before the transaction. Otherwise the transaction would keep its locks while the network is slow.
 */
export class LooksUpUrl extends Context.Tag("@place-access/adapters-http/idempotency/LooksUpUrl")<LooksUpUrl, true>() {}
