import { Array } from "effect"
import type { App } from "../apps/App.js"
import { Invalid, Problem } from "../shared/Invalid.js"
import type { SensitiveScope } from "../shared/Scope.js"

/** A purpose is for scopes that its app declares; each of the others is named by its place. Undefined when there are none. */
export const refused = (scopes: ReadonlyArray<SensitiveScope>, app: App): Invalid | undefined => {
  const problems = scopes.flatMap((scope, index) =>
    app.declaredScopes.includes(scope)
      ? []
      : [new Problem({ field: `scopes[${index}]`, message: "is not one of the scopes that the app declares" })]
  )
  return Array.isNonEmptyReadonlyArray(problems) ? new Invalid({ problems }) : undefined
}
