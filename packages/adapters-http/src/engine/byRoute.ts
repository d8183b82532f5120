import { HttpApi } from "@effect/platform"
import { Context, Option } from "effect"
import * as Routes from "./Routes.js"

/** The annotation `tag` of each endpoint, by `Routes.label`. Endpoints without the annotation are left out. */
export const byRoute = <I, A>(api: HttpApi.HttpApi.Any, tag: Context.Tag<I, A>): ReadonlyMap<string, A> => {
  const found = new Map<string, A>()
  HttpApi.reflect(api as HttpApi.HttpApi.AnyWithProps, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const value = Context.getOption(mergedAnnotations, tag)
      if (Option.isSome(value)) found.set(Routes.label(endpoint.method, endpoint.path), value.value)
    }
  })
  return found
}
